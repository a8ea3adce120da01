import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ApiErrorCode } from '../../../lib/kubernetes/api-error.ts';
import type { ApiResponse } from '../../../lib/kubernetes/transport.ts';
import { answered, refused } from './scripted-send.ts';

const CODES: Record<string, { answer: ApiResponse; code: ApiErrorCode }> = {
  'a 400 is invalid': { answer: refused(400), code: 'invalid' },
  'a 401 is unauthorized': { answer: refused(401), code: 'unauthorized' },
  'a 403 is forbidden, whoever forbids': { answer: refused(403), code: 'forbidden' },
  'a 404 with a Status says that there is no such object': { answer: refused(404), code: 'not-found' },
  "a proxy's 404 says nothing about the object": {
    answer: answered(404, '404 page not found'),
    code: 'unavailable',
  },
  'a 409 is a conflict': { answer: refused(409), code: 'conflict' },
  'a 409 may say that the name is taken': {
    answer: refused(409, { reason: 'AlreadyExists' }),
    code: 'already-exists',
  },
  'a 410 is expired': { answer: refused(410), code: 'expired' },
  'a 413 is invalid': { answer: refused(413), code: 'invalid' },
  'a 415 is invalid': { answer: refused(415), code: 'invalid' },
  'a 418 is invalid, as all of its hundred': { answer: refused(418), code: 'invalid' },
  'a 422 is invalid': { answer: refused(422), code: 'invalid' },
  'a 429 is throttled': { answer: refused(429), code: 'throttled' },
  'a 500 is unavailable': { answer: refused(500), code: 'unavailable' },
  'a 503 without a Status is unavailable': { answer: answered(503, '<html>'), code: 'unavailable' },
  'a 504 is unavailable': { answer: refused(504), code: 'unavailable' },
  'a 504 may say that the version is too new': {
    answer: refused(504, { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    code: 'version-too-new',
  },
};

for (const [sentence, { answer, code }] of Object.entries(CODES)) {
  test(sentence, async () => {
    assert.equal((await ApiError.fromResponse(answer)).code, code);
  });
}

test("the message is the Status's", async () => {
  assert.equal((await ApiError.fromResponse(refused(403, { message: 'no, thanks' }))).message, 'no, thanks');
});

test('where nobody knows who we are, the message says what to look at', async () => {
  const { message } = await ApiError.fromResponse(answered(401, '<html>'));
  assert.equal(message, 'the server answered 401: check the token or certificate');
});

test('a message longer than 1024 characters is cut', async () => {
  const error = await ApiError.fromResponse(refused(403, { message: 'x'.repeat(5_000) }));
  assert.equal(error.message, 'x'.repeat(1_024));
});

test('of a body without an end only the first 64 KiB are read', async () => {
  let told = 0;
  async function* endless(): AsyncGenerator<string> {
    for (;;) {
      told += 1;
      yield 'x'.repeat(1_024);
    }
  }
  const error = await ApiError.fromResponse({ status: 500, headers: {}, body: endless() });
  assert.equal(error.message, 'the server answered 500');
  assert.equal(told, 64);
});

const WAITS: Record<string, { answer: ApiResponse; ms: number | undefined }> = {
  'Retry-After in seconds is a wait': { answer: refused(429, {}, { 'retry-after': '7' }), ms: 7_000 },
  'the Status may tell the wait': { answer: refused(429, { details: { retryAfterSeconds: 3 } }), ms: 3_000 },
  'the header goes before the Status': {
    answer: refused(429, { details: { retryAfterSeconds: 3 } }, { 'retry-after': '7' }),
    ms: 7_000,
  },
  'no wait is longer than a minute': { answer: refused(429, {}, { 'retry-after': '86400' }), ms: 60_000 },
  'a date is not understood': {
    answer: refused(429, {}, { 'retry-after': 'Fri, 31 Dec 1999' }),
    ms: undefined,
  },
  'zero is no wait': { answer: refused(429, {}, { 'retry-after': '0' }), ms: undefined },
  'nothing said is nothing asked': { answer: refused(429), ms: undefined },
};

for (const [sentence, { answer, ms }] of Object.entries(WAITS)) {
  test(sentence, async () => {
    assert.equal((await ApiError.fromResponse(answer)).retryAfterMs, ms);
  });
}

test('whatever is thrown becomes an ApiError', () => {
  const own = new ApiError('silent', 'hush');
  assert.equal(ApiError.from(own), own);
  assert.equal(ApiError.from(new DOMException('x', 'AbortError')).code, 'aborted');
  assert.deepEqual(pick(ApiError.from(new Error('ECONNREFUSED'))), ['unanswered', 'ECONNREFUSED']);
  assert.deepEqual(pick(ApiError.from('text')), ['unanswered', 'text']);
  const several = new AggregateError([new Error('connect ECONNREFUSED ::1:443')]);
  assert.deepEqual(pick(ApiError.from(several)), ['unanswered', 'connect ECONNREFUSED ::1:443']);
});

function pick({ code, message }: ApiError): [string, string] {
  return [code, message];
}
