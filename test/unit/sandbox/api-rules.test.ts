/** The rules of the API hold for the sandbox, called directly and over HTTP. */

import { describe, type TestContext, test } from 'node:test';
import { senderTo } from '../../control-plane/sender.ts';
import { API_RULES } from '../../sandbox/all-api-rules.ts';
import { runRule } from '../../sandbox/api-rules.ts';
import { WIDGETS } from '../../sandbox/api-rules-extensions.ts';
import { HISTORY_RULES } from '../../sandbox/api-rules-history.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { serve } from '../../sandbox/serve.ts';

const PATIENCE = { timeout: 120_000 };

/** Only the rule itself writes: the sandbox's controllers do not get to see anything. */
function sandboxOf(t: TestContext): Sandbox {
  const sandbox = createSandbox({ observeMs: 3_600_000, extensions: [WIDGETS] });
  t.after(() => sandbox.close());
  return sandbox;
}

describe('called directly', () => {
  for (const [name, rule] of Object.entries(API_RULES))
    test(name, PATIENCE, (t) => runRule(rule, sandboxOf(t).handle, 'rule'));
});

describe('when its history is forgotten', () => {
  for (const [name, rule] of Object.entries(HISTORY_RULES)) {
    test(name, PATIENCE, async (t) => {
      const sandbox = sandboxOf(t);
      const forget = (): Promise<void> => Promise.resolve(sandbox.compact());
      await runRule((api) => rule(api, forget), sandbox.handle, 'rule');
    });
  }
});

describe('over HTTP', () => {
  for (const [name, rule] of Object.entries(API_RULES)) {
    test(name, PATIENCE, async (t) => {
      await using served = await serve(sandboxOf(t).handle);
      const { send, close } = senderTo({ url: served.url });
      t.after(close);
      await runRule(rule, send, 'rule');
    });
  }
});
