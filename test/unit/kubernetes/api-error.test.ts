import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ApiErrorCode } from '../../../lib/kubernetes/api-error.ts';
import type { ApiResponse } from '../../../lib/kubernetes/transport.ts';
import { answered, refused } from './scripted-send.ts';

const CODES: Record<string, readonly [answer: ApiResponse, code: ApiErrorCode]> = {
  'a 400 is invalid': [refused(400), 'invalid'],
  'a 401 is unauthorized': [refused(401), 'unauthorized'],
  'a 403 is forbidden, whoever forbids': [refused(403), 'forbidden'],
  'a 404 with a Status says that there is no such object': [refused(404), 'not-found'],
  "a proxy's 404 says nothing about the object": [answered(404, '404 page not found'), 'unavailable'],
  'a 409 is a conflict': [refused(409), 'conflict'],
  'a 409 may say that the name is taken': [refused(409, { reason: 'AlreadyExists' }), 'already-exists'],
  'a 410 is expired': [refused(410), 'expired'],
  'a 413 is invalid': [refused(413), 'invalid'],
  'a 415 is invalid': [refused(415), 'invalid'],
  'a 418 is invalid, as all of its hundred': [refused(418), 'invalid'],
  'a 422 with causes is invalid': [refused(422, { details: { causes: [{}] } }), 'invalid'],
  'a 422 without causes is a test that failed': [refused(422, { details: {} }), 'unmet'],
  'a 429 is throttled': [refused(429), 'throttled'],
  'a 500 is unavailable': [refused(500), 'unavailable'],
  'a 503 without a Status is unavailable': [answered(503, '<html>'), 'unavailable'],
  'a 504 is unavailable': [refused(504), 'unavailable'],
  'a 504 may say that the version is too new': [
    refused(504, { details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } }),
    'version-too-new',
  ],
};

for (const [sentence, [answer, code]] of Object.entries(CODES))
  test(sentence, async () => assert.equal((await ApiError.fromResponse(answer)).code, code));

test("the message is the Status's", async () => {
  assert.equal((await ApiError.fromResponse(refused(403, { message: 'no, thanks' }))).message, 'no, thanks');
});

test('where nobody knows who we are, the message says what to look at', async () => {
  const { message } = await ApiError.fromResponse(answered(401, '<html>'));
  assert.equal(message, 'the server answered 401: check the token or certificate');
});

const SAID: Readonly<Record<string, readonly [thrown: ApiResponse | Error, message: string]>> = {
  'a kind that is not served': [
    answered(404, '404 page not found\n'),
    'the server answered 404: 404 page not found: it does not serve this kind, or is no API server',
  ],
  'http in place of https': [
    answered(400, 'Client sent an HTTP request to an HTTPS server.\n'),
    'the server answered 400: Client sent an HTTP request to an HTTPS server.: write https in its address',
  ],
  'https in place of http': [
    new Error('write EPROTO: wrong version number'),
    'write EPROTO: wrong version number: it may be one of http, not https',
  ],
  'an authority that is not trusted': [
    new Error('self-signed certificate in certificate chain'),
    'self-signed certificate in certificate chain: set its certificate-authority',
  ],
  'an authority that is not known': [
    new Error('unable to verify the first certificate'),
    'unable to verify the first certificate: set its certificate-authority',
  ],
  'a page': [answered(502, '<html>'), 'the server answered 502'],
};
for (const [sentence, [thrown, message]] of Object.entries(SAID))
  test(`the message about ${sentence} says what to do`, async () => {
    const error = thrown instanceof Error ? ApiError.from(thrown) : await ApiError.fromResponse(thrown);
    assert.equal(error.message, message);
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

const TOLD = { details: { retryAfterSeconds: 3 } };
const after = (header: string, status = {}): ApiResponse => refused(429, status, { 'retry-after': header });
const WAITS: Record<string, readonly [answer: ApiResponse, ms?: number]> = {
  'Retry-After in seconds is a wait': [after('7'), 7_000],
  'the Status may tell the wait': [refused(429, TOLD), 3_000],
  'the header goes before the Status': [after('7', TOLD), 7_000],
  'no wait is longer than a minute': [after('86400'), 60_000],
  'a date is not understood': [after('Fri, 31 Dec 1999')],
  'zero is no wait': [after('0')],
  'nothing said is nothing asked': [refused(429)],
};

for (const [sentence, [answer, ms]] of Object.entries(WAITS))
  test(sentence, async () => assert.equal((await ApiError.fromResponse(answer)).retryAfterMs, ms));

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
