/** The rules of the API that the sandbox keeps are those of a real API server. */

import { after, describe, test } from 'node:test';
import { API_RULES } from '../sandbox/all-api-rules.ts';
import { runRule } from '../sandbox/api-rules.ts';
import { HISTORY_RULES } from '../sandbox/api-rules-history.ts';
import { ControlPlane } from './control-plane.ts';

const PATIENCE_MS = 30_000;

// Without controllers: only the rule itself writes.
const plane = await ControlPlane.start({ withPods: false });
after(() => plane[Symbol.asyncDispose]());

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
