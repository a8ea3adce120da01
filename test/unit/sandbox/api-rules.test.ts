/** The rules of the API hold for the sandbox, called directly and over HTTP. */

import { request } from 'node:http';
import { describe, test } from 'node:test';
import type { ApiRequest, ApiResponse, Send } from '../../../lib/kubernetes/transport.ts';
import { runRule } from '../../sandbox/api-rules.ts';
import { PATCH_RULES } from '../../sandbox/api-rules-patches.ts';
import { READ_RULES } from '../../sandbox/api-rules-reads.ts';
import { WRITE_RULES } from '../../sandbox/api-rules-writes.ts';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { serve } from '../../sandbox/serve.ts';

const RULES = [...WRITE_RULES, ...PATCH_RULES, ...READ_RULES];

describe('called directly', () => {
  for (const rule of RULES) {
    test(rule.name, async () => {
      const sandbox = createSandbox();
      await runRule(rule, sandbox.handle, 'rule');
      sandbox.close();
    });
  }
});

describe('over HTTP', () => {
  for (const [i, rule] of RULES.entries()) {
    test(rule.name, async () => {
      const sandbox = createSandbox();
      await using served = await serve(sandbox.handle);
      await runRule(rule, senderTo(served.url), `rule-${i}`);
      sandbox.close();
    });
  }
});

function senderTo(url: string): Send {
  return (asked) => new Promise((resolve, reject) => sendTo(url, asked, resolve, reject));
}

function sendTo(
  url: string,
  { method, path, headers, body, signal }: ApiRequest,
  resolve: (response: ApiResponse) => void,
  reject: (error: Error) => void,
): void {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const options = { method, headers: { ...headers, ...length }, ...(signal === undefined ? {} : { signal }) };
  const sent = request(url + path, options, (response) => {
    response.setEncoding('utf8');
    resolve({ status: response.statusCode ?? 0, headers: {}, body: response });
  });
  sent.once('error', reject);
  sent.end(body);
}
