/** The rules of the API that the sandbox keeps are those of a real API server. */

import { after, before, describe, test } from 'node:test';
import { until } from '../integration/reloader-process.ts';
import { API_RULES } from '../sandbox/all-api-rules.ts';
import { RuleClient, runRule } from '../sandbox/api-rules.ts';
import { WIDGETS_DEFINITION } from '../sandbox/api-rules-extensions.ts';
import { HISTORY_RULES } from '../sandbox/api-rules-history.ts';
import { ControlPlane } from './control-plane.ts';

const PATIENCE_MS = 30_000;

// Without controllers: only the rule itself writes.
const plane = await ControlPlane.start({ withPods: false });
after(() => plane[Symbol.asyncDispose]());

before(async () => {
  const api = new RuleClient(plane.send, 'default');
  await api.created('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS_DEFINITION);
  const isServed = async (): Promise<boolean> => (await api.get('widgets')).status === 200;
  await until('widgets are served', isServed, PATIENCE_MS);
});

describe('a real API server', { concurrency: 4 }, () => {
  for (const [i, [name, rule]] of Object.entries(API_RULES).entries())
    test(name, { timeout: PATIENCE_MS }, () => runRule(rule, plane.send, `rule-${i}`));
});

describe('a real API server that forgets', () => {
  const forget = async (): Promise<void> => {
    await plane.compact();
    await plane.killApiServer();
    await plane.startApiServer();
  };
  for (const [i, [name, rule]] of Object.entries(HISTORY_RULES).entries())
    test(name, { timeout: 3 * PATIENCE_MS }, () =>
      runRule((api) => rule(api, forget), plane.send, `forgets-${i}`),
    );
});
