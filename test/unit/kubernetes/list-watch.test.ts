import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import {
  type ListItem,
  type ListPage,
  listPage,
  openWatch,
  type WatchEvent,
  watchEventOf,
} from '../../../lib/kubernetes/list-watch.ts';
import { sourceOf } from '../../../lib/kubernetes/sources.ts';
import {
  bookmark,
  configMap,
  cutWatchOf,
  line,
  listOf,
  ok,
  openWatchOf,
  refused,
  type Script,
  scripted,
  watchOf,
} from './scripted-send.ts';

const SOURCE = sourceOf({ kind: 'ConfigMap', namespace: 'ns' });
const PATH = '/api/v1/namespaces/ns/configmaps';

const FIRST: ListPage = { continue: undefined, isWhole: false };

async function listed(script: Script, source = SOURCE, page = FIRST): Promise<ListItem[]> {
  const news: ListItem[] = [];
  const { signal } = new AbortController();
  for await (const each of listPage(script.send, source, page, signal)) news.push(each);
  return news;
}

async function watched(script: Script, signal = new AbortController().signal): Promise<WatchEvent[]> {
  const options = { resourceVersion: '7', timeoutSeconds: 300, silenceMs: 1_000, signal };
  const events: WatchEvent[] = [];
  for await (const event of await openWatch(script.send, SOURCE, options)) events.push(event);
  return events;
}

test('a page asks for the most recent data, never for a version, and ends with the token of the next', async () => {
  const script = scripted(
    listOf('9', [configMap('a', '1')], 'to&ken='),
    listOf('9', [configMap('b', '2')], ''),
  );
  const first = await listed(script);
  const second = await listed(script, SOURCE, { continue: first.at(-1)?.continue, isWhole: false });
  assert.deepEqual(
    script.requests.map(({ path }) => path),
    [`${PATH}?limit=500`, `${PATH}?limit=500&continue=to%26ken%3D`],
  );
  assert.deepEqual(
    [...first, ...second].map(({ object, ...rest }) => [object?.metadata.name, rest]),
    [
      ['a', { resourceVersion: '9' }],
      [undefined, { resourceVersion: '9', continue: 'to&ken=' }],
      ['b', { resourceVersion: '9' }],
      [undefined, { resourceVersion: '9' }],
    ],
  );
});

test('a whole list asks for no limit', async () => {
  const script = scripted(listOf('9', []));
  await listed(script, SOURCE, { continue: undefined, isWhole: true });
  assert.equal(script.requests[0]?.path, PATH);
});

test('Secrets that no container reads are not asked for', async () => {
  const script = scripted(listOf('9', []));
  await listed(script, sourceOf({ kind: 'Secret' }));
  const selector = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token';
  assert.equal(
    script.requests[0]?.path,
    `/api/v1/secrets?limit=500&fieldSelector=${encodeURIComponent(selector)}`,
  );
});

test('namespaces and labels are left out by the server, of lists and of watches', async () => {
  const script = scripted(listOf('9', []), watchOf());
  const source = sourceOf({ kind: 'Secret', except: ['a', 'b'] }, '!old,team in (x)');
  await listed(script, source);
  const options = { resourceVersion: '7', timeoutSeconds: 300, silenceMs: 1_000 };
  await openWatch(script.send, source, { ...options, signal: new AbortController().signal });
  const types = 'type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token';
  assert.equal(script.requests.length, 2);
  for (const { path } of script.requests) {
    const query = new URLSearchParams(path.split('?')[1]);
    assert.equal(query.get('fieldSelector'), `${types},metadata.namespace!=a,metadata.namespace!=b`);
    assert.equal(query.get('labelSelector'), '!old,team in (x)');
  }
});

test('of workloads only namespaces are left out', () => {
  const { path, fieldSelector } = sourceOf({ kind: 'Deployment', except: ['a'] });
  assert.deepEqual([path, fieldSelector], ['/apis/apps/v1/deployments', 'metadata.namespace!=a']);
});

test('items may be null', async () => {
  const news = await listed(scripted(ok({ metadata: { resourceVersion: '9' }, items: null })));
  assert.deepEqual(news, [{ resourceVersion: '9' }]);
});

test('a continue token that is too old is expired', async () => {
  await assert.rejects(listed(scripted(refused(410)), SOURCE, { continue: 'old', isWhole: false }), {
    code: 'expired',
  });
});

test('a watch asks for bookmarks from a version on, for a time', async () => {
  const script = scripted(watchOf());
  await watched(script);
  assert.equal(
    script.requests[0]?.path,
    `${PATH}?watch=1&allowWatchBookmarks=true&resourceVersion=7&timeoutSeconds=300`,
  );
});

test('a watch tells its events in order, however they are cut', async () => {
  const text = line('ADDED', configMap('a', '8')) + bookmark('9') + line('DELETED', configMap('a', '10'));
  const events = await watched(scripted(watchOf(...(text.match(/[\s\S]{1,3}/g) ?? []))));
  assert.deepEqual(
    events.map(({ type, resourceVersion }) => [type, resourceVersion]),
    [
      ['ADDED', '8'],
      ['BOOKMARK', '9'],
      ['DELETED', '10'],
    ],
  );
});

test('a refused watch is an error at once', async () => {
  await assert.rejects(watched(scripted(refused(403))), { code: 'forbidden' });
});

test('a watch that is cut tells what came before', async () => {
  const controller = new AbortController();
  const script = scripted(cutWatchOf(bookmark('8')));
  await assert.rejects(watched(script, controller.signal), { code: 'unanswered' });
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});

test('a line without an end for ever is malformed', async () => {
  const piece = 'x'.repeat(1024 * 1024);
  await assert.rejects(watched(scripted(watchOf(...Array.from({ length: 17 }, () => piece)))), {
    code: 'malformed',
  });
});

const LINES: Record<string, readonly [line: string, code?: string]> = {
  'no JSON': ['{"type":"ADDED","object":{"data":"hunter2"'],
  'no object': ['["hunter2"]'],
  'an unknown type': [line('hunter2', configMap('a', '1'))],
  'an event of nothing': ['{"type":"ADDED"}'],
  'an object without a name': [line('ADDED', { metadata: { resourceVersion: '1' } })],
  'an object without a version': [line('ADDED', { metadata: { name: 'hunter2' } })],
  'a bookmark without a version': [line('BOOKMARK', { metadata: {} })],
  'a 410 inside the 200': [line('ERROR', { kind: 'Status', code: 410 }), 'expired'],
  'a 500 inside the 200': [line('ERROR', { kind: 'Status', code: 500 }), 'unavailable'],
  'an ERROR that says nothing': ['{"type":"ERROR"}', 'unavailable'],
};

for (const [what, [text, code = 'malformed']] of Object.entries(LINES)) {
  test(`${what} is ${code}, and the error quotes nothing`, () => {
    assert.throws(
      () => watchEventOf(text),
      (error: Error & { code?: string }) => error.code === code && !error.message.includes('hunter2'),
    );
  });
}

test('a watch that nobody finishes reading lets its connection go', async () => {
  const script = scripted(openWatchOf(bookmark('8'), bookmark('9')));
  const { signal } = new AbortController();
  const options = { resourceVersion: '7', timeoutSeconds: 300, silenceMs: 1_000, signal };
  for await (const { resourceVersion } of await openWatch(script.send, SOURCE, options)) {
    assert.equal(resourceVersion, '8');
    break;
  }
  assert.equal(script.requests[0]?.signal?.aborted, true);
});

test('each piece of a watch is a sign of life', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  async function* everySecond(): AsyncGenerator<string> {
    for (const version of ['8', '9', '10']) {
      t.mock.timers.tick(999);
      yield bookmark(version);
    }
  }
  const events = await watched(scripted({ status: 200, headers: {}, body: everySecond() }));
  assert.equal(events.length, 3);
});
