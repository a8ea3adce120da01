import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectionError } from '../../../lib/model/settings.ts';
import {
  HttpPoster,
  type HttpPosterOptions,
  originOf,
  type PostResult,
} from '../../../lib/notify/http-post.ts';
import { type Answer, CUT, Receiver, SILENCE, status } from '../../integration/receiver.ts';
import { until } from '../../integration/reloader-process.ts';

const BODY = { contentType: 'text/plain', text: 'größer' };
const SECRET = 'T000-B000-hunter2';

function posterTo(host: string, options: Partial<HttpPosterOptions> = {}): HttpPoster {
  return new HttpPoster({
    url: `http://me:${SECRET}@${host}/services/${SECRET}?key=${SECRET}`,
    userAgent: 'kubernetes-reloader/0',
    ...options,
  });
}

/** A big answer that never ends. */
const ENDLESS: Answer = (response) => {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(16_384)));
    response.once('drain', more);
  };
  more();
};

/** A head, and then nothing. */
const HALF: Answer = (response) => response.writeHead(202, { 'content-length': '10' }).write('x');

/** What comes never, or never to an end. */
const IMPATIENT = new Set([HALF, SILENCE]);

const ANSWERS: Record<string, [Answer, kind: PostResult['kind'], says?: RegExp]> = {
  '200 is taken': [status(200), 'taken'],
  '202, as Power Automate answers, is taken': [status(202), 'taken'],
  '204 is taken': [status(204), 'taken'],
  'a 200 that never ends is taken': [ENDLESS, 'taken'],
  'a 202 whose body never comes is taken': [HALF, 'taken'],
  'a redirect is refused and not followed': [
    status(302, { location: `/elsewhere/${SECRET}` }),
    'refused',
    /answered 302, a redirect, which is not followed$/,
  ],
  'a permanent redirect too': [status(308, { location: '/' }), 'refused', /308, a redirect/],
  '400 is refused': [status(400), 'refused', /answered 400$/],
  '404 is refused': [status(404), 'refused', /answered 404$/],
  '408 is for later': [status(408), 'later', /answered 408$/],
  '429 is for later': [status(429), 'later', /answered 429$/],
  '500 is for later': [status(500), 'later', /answered 500$/],
  '503 is for later': [status(503), 'later', /answered 503$/],
  'a connection that is cut is for later': [CUT, 'later', /^no answer from .* \(ECONNRESET\)$/],
  'silence is for later': [SILENCE, 'later', /^no answer from .* within 2 s$/],
};

describe('of a post', () => {
  for (const [sentence, [answer, kind, says]] of Object.entries(ANSWERS)) {
    test(sentence, async () => {
      await using receiver = await Receiver.start(answer);
      const result = await posterTo(receiver.host, IMPATIENT.has(answer) ? { timeoutMs: 2000 } : {}).post(
        BODY,
      );
      assert.equal(result.kind, kind);
      assert.doesNotMatch(JSON.stringify(result), new RegExp(SECRET));
      if (says !== undefined && result.kind !== 'taken') assert.match(result.message, says);
      assert.equal(receiver.received.length, 1);
    });
  }

  test('what arrives is a POST with all of the address, the body and its length', async () => {
    await using receiver = await Receiver.start();
    await posterTo(receiver.host).post(BODY);
    const [request] = receiver.received;
    assert.equal(`${request?.method} ${request?.url}`, `POST /services/${SECRET}?key=${SECRET}`);
    assert.equal(request?.body, BODY.text);
    assert.equal(request?.headers['content-type'], 'text/plain');
    assert.equal(request?.headers['content-length'], '8');
    assert.equal(request?.headers['user-agent'], 'kubernetes-reloader/0');
    assert.match(request?.headers.authorization ?? '', /^Basic /);
  });

  test('an address without a server is retried later', async () => {
    const receiver = await Receiver.start();
    const { host } = receiver;
    await receiver[Symbol.asyncDispose]();
    const message = `no answer from http://${host} (ECONNREFUSED)`;
    assert.deepEqual(await posterTo(host).post(BODY), { kind: 'later', message });
  });

  test('an address that cannot be asked is for later, and nothing of it is said', async () => {
    const url = `http://me:${SECRET}%@hooks.invalid/${SECRET}`;
    const message = 'no answer from http://hooks.invalid (URIError)';
    assert.deepEqual(await posterTo('', { url }).post(BODY), { kind: 'later', message });
  });

  test('an untrusted certificate, or none at all, is retried later', async () => {
    await using receiver = await Receiver.start();
    const result = await new HttpPoster({ url: `https://${receiver.host}/${SECRET}`, userAgent: 'x' }).post(
      BODY,
    );
    assert.equal(result.kind, 'later');
    assert.doesNotMatch(JSON.stringify(result), new RegExp(SECRET));
  });

  for (const scheme of ['http', 'https']) {
    test(`for ${scheme} an abort ends it at once, also while a proxy hangs`, {
      timeout: 60_000,
    }, async () => {
      await using proxy = await Receiver.start(SILENCE);
      const [url, through] = [`${scheme}://hooks.invalid`, `http://${proxy.host}`];
      const poster = new HttpPoster({ url, userAgent: 'x', proxy: through, timeoutMs: 3_600_000 });
      const end = new AbortController();
      const posted = poster.post(BODY, end.signal);
      await until('the proxy is asked', () => proxy.received.length + proxy.tunnels.length > 0);
      end.abort();
      assert.equal((await posted).kind, 'later');
      assert.equal((await poster.post(BODY, end.signal)).kind, 'later');
    });
  }

  for (const [header, retryAfterMs] of [
    ['7', 7_000],
    ['99999999', 300_000],
    ['Wed, 21 Oct 2026 07:28:00 GMT', undefined],
  ] as const) {
    test(`Retry-After: ${header} is heeded within bounds`, async () => {
      await using receiver = await Receiver.start(status(429, { 'retry-after': header }));
      const result = await posterTo(receiver.host).post(BODY);
      assert.equal(result.kind === 'later' ? result.retryAfterMs : 0, retryAfterMs);
    });
  }
});

describe('a proxy', () => {
  test('is sent what is for http, with its own password', async () => {
    await using proxy = await Receiver.start(status(202));
    const through = `http://me:pass@${proxy.host}`;
    assert.deepEqual(await posterTo('hooks.invalid', { proxy: through }).post(BODY), { kind: 'taken' });
    const [request] = proxy.received;
    assert.equal(request?.url, `http://hooks.invalid/services/${SECRET}?key=${SECRET}`);
    assert.equal(request?.body, BODY.text);
    assert.match(request?.headers['proxy-authorization'] ?? '', /^Basic /);
  });

  for (const [what, usual] of Object.entries({ refuses: status(200), hangs: SILENCE })) {
    test(`is asked for a tunnel to what is for https; where it ${what}, that is for later`, async () => {
      await using proxy = await Receiver.start(usual);
      const through = `http://me:${SECRET}@${proxy.host}/${SECRET}`;
      const url = `https://hooks.invalid/${SECRET}`;
      const poster = posterTo('', { url, proxy: through, timeoutMs: 2000 });
      const result = await poster.post(BODY);
      assert.deepEqual(proxy.tunnels, ['hooks.invalid:443']);
      assert.equal(result.kind, 'later');
      assert.doesNotMatch(JSON.stringify(result), new RegExp(SECRET));
    });
  }
});

describe('a proxy that cannot be used is refused by the name of its variable alone:', () => {
  const cases: Record<string, [scheme: string, proxy: string]> = {
    'no such port': ['https', `http://me:${SECRET}@proxy:99999`],
    'a password that cannot be decoded': ['http', `http://me:${SECRET}%@proxy`],
  };
  for (const [sentence, [scheme, proxy]] of Object.entries(cases)) {
    test(sentence, () => {
      const error = new ConnectionError(`${scheme.toUpperCase()}_PROXY: expected the URL of a proxy`);
      assert.throws(() => posterTo('', { url: `${scheme}://hooks.invalid`, proxy }), error);
    });
  }
});

test('of an address only scheme and host are shown', () => {
  assert.equal(
    originOf(`https://me:${SECRET}@hooks.example.com:8443/${SECRET}?a=${SECRET}#${SECRET}`),
    'https://hooks.example.com:8443',
  );
});
