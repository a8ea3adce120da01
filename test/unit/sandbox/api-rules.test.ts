/** The rules of the API hold for the sandbox, called directly and over HTTP. */

import { describe, test } from 'node:test';
import { senderTo } from '../../control-plane/sender.ts';
import { API_RULES } from '../../sandbox/all-api-rules.ts';
import { runRule } from '../../sandbox/api-rules.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { serve } from '../../sandbox/serve.ts';

describe('called directly', () => {
  for (const rule of API_RULES) {
    test(rule.name, { timeout: 20_000 }, async () => {
      const sandbox = createSandbox();
      await runRule(rule, sandbox.handle, 'rule');
      sandbox.close();
    });
  }
});

describe('over HTTP', () => {
  for (const [i, rule] of API_RULES.entries()) {
    test(rule.name, { timeout: 20_000 }, async () => {
      const sandbox = createSandbox();
      await using served = await serve(sandbox.handle);
      const { send, close } = senderTo({ url: served.url });
      await runRule(rule, send, `rule-${i}`);
      close();
      sandbox.close();
    });
  }
});
