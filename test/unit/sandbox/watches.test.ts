/** Watches under the mocked clock: bookmarks, expiry, order, and what may befall a stream. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { mockTime } from '../../mock-time.ts';
import type { VersionStyle } from '../../sandbox/resource-versions.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

const PATH = '/api/v1/namespaces/default/configmaps';

/** A watch whose pieces are collected as they come. */
interface Watching {
  readonly lines: () => readonly string[];
  readonly text: () => string;
  end: 'open' | 'ended' | 'broken' | 'aborted';
}

function newSandbox(t: TestContext, resourceVersions: VersionStyle = 'comparable'): Sandbox {
  mockTime(t);
  const sandbox = createSandbox({ resourceVersions });
  t.after(() => sandbox.close());
  return sandbox;
}

async function watching(sandbox: Sandbox, query: string, signal?: AbortSignal): Promise<Watching> {
  const path = `${PATH}?watch=1&${query}`;
  const response = await sandbox.handle({ method: 'GET', path, ...(signal ? { signal } : {}) });
  assert.equal(response.status, 200);
  let text = '';
  const seen: Watching = {
    lines: () => text.split('\n').filter(Boolean).map(short),
    text: () => text,
    end: 'open',
  };
  const read = async (): Promise<void> => {
    for await (const piece of response.body) text += piece;
  };
  read().then(
    () => Object.assign(seen, { end: 'ended' }),
    (error: Error) => Object.assign(seen, { end: error.name === 'AbortError' ? 'aborted' : 'broken' }),
  );
  await settle();
  return seen;
}

function short(line: string): string {
  if (!line.endsWith('}}')) return 'no event';
  const { type, object } = JSON.parse(line);
  return `${type} ${object.metadata.name ?? object.code ?? object.metadata.resourceVersion}`;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 20; i += 1) await undefined;
}

async function tick(t: TestContext, ms: number): Promise<void> {
  t.mock.timers.tick(ms);
  await settle();
}

function create(sandbox: Sandbox, name: string): string {
  return sandbox.create('configmaps', { metadata: { name, namespace: 'default' } }).metadata.resourceVersion;
}

describe('a watch', () => {
  test('sends a bookmark once a minute, with the version of the whole store, if asked to', async (t) => {
    const sandbox = newSandbox(t);
    const version = create(sandbox, 'a');
    const with_ = await watching(sandbox, `resourceVersion=${version}&allowWatchBookmarks=true`);
    const without = await watching(sandbox, `resourceVersion=${version}`);
    sandbox.create('secrets', { metadata: { name: 's', namespace: 'default' } });
    await tick(t, 60_000);
    await tick(t, 60_000);
    const bookmark = `BOOKMARK ${sandbox.writes}`;
    assert.deepEqual(with_.lines(), [bookmark, bookmark]);
    assert.deepEqual(without.lines(), []);
  });

  test('of a version from the future says nothing, not even bookmarks, until the store has reached it', async (t) => {
    const sandbox = newSandbox(t);
    const query = `resourceVersion=${sandbox.writes + 2}&allowWatchBookmarks=true`;
    const seen = await watching(sandbox, query);
    create(sandbox, 'a');
    await tick(t, 60_000);
    create(sandbox, 'b');
    assert.deepEqual(seen.lines(), []);
    create(sandbox, 'c');
    await tick(t, 60_000);
    assert.deepEqual(seen.lines(), ['ADDED c', `BOOKMARK ${sandbox.writes}`]);
  });

  test('of a version that was compacted away is one ERROR event with 410, then the end', async (t) => {
    const sandbox = newSandbox(t);
    const version = create(sandbox, 'a');
    create(sandbox, 'b');
    sandbox.compact();
    const seen = await watching(sandbox, `resourceVersion=${version}`);
    assert.deepEqual([seen.lines(), seen.end], [['ERROR 410'], 'ended']);
    const fresh = await watching(sandbox, `resourceVersion=${sandbox.writes}`);
    assert.equal(fresh.end, 'open');
  });

  test('ends with an AbortError as soon as its signal aborts, and is then forgotten', async (t) => {
    const sandbox = newSandbox(t);
    const abort = new AbortController();
    const seen = await watching(sandbox, '', abort.signal);
    assert.equal(sandbox.openWatches().length, 1);
    abort.abort();
    await settle();
    assert.equal(seen.end, 'aborted');
    assert.equal(sandbox.openWatches().length, 0);
  });

  test('of another namespace is told nothing', async (t) => {
    const sandbox = newSandbox(t);
    const seen = await watching(sandbox, '');
    sandbox.create('configmaps', { metadata: { name: 'x', namespace: 'kube-system' } });
    await settle();
    assert.deepEqual(seen.lines(), []);
  });
});

describe('what befalls a stream', () => {
  test('a cut ends it, or breaks it', async (t) => {
    const sandbox = newSandbox(t);
    const ended = await watching(sandbox, '');
    assert.equal(sandbox.disturbWatches({ resource: 'configmaps' }, { kind: 'cut', how: 'end' }), 1);
    const broken = await watching(sandbox, '');
    sandbox.disturbWatches({}, { kind: 'cut', how: 'throw' });
    await settle();
    assert.deepEqual([ended.end, broken.end], ['ended', 'broken']);
  });

  test('silence keeps back events, bookmarks and the end, until the signal aborts', async (t) => {
    const sandbox = newSandbox(t);
    const abort = new AbortController();
    const seen = await watching(sandbox, 'allowWatchBookmarks=true&timeoutSeconds=90', abort.signal);
    sandbox.disturbWatches({}, { kind: 'silent' });
    create(sandbox, 'a');
    await tick(t, 200_000);
    assert.deepEqual([seen.lines(), seen.end], [[], 'open']);
    abort.abort();
    await settle();
    assert.equal(seen.end, 'aborted');
  });

  test('garbage is a line that is no JSON, and the stream goes on', async (t) => {
    const sandbox = newSandbox(t);
    const seen = await watching(sandbox, '');
    sandbox.disturbWatches({}, { kind: 'garbage' });
    create(sandbox, 'a');
    await settle();
    assert.deepEqual([seen.lines(), seen.end], [['no event', 'ADDED a'], 'open']);
  });

  test('a truncated line has no end, and the stream ends', async (t) => {
    const sandbox = newSandbox(t);
    const seen = await watching(sandbox, '');
    sandbox.disturbWatches({}, { kind: 'truncated' });
    await settle();
    assert.deepEqual([seen.text().includes('\n'), seen.end], [false, 'ended']);
  });

  test('a delay of one resource keeps the order of its stream and leaves the others alone', async (t) => {
    const sandbox = newSandbox(t);
    const seen = await watching(sandbox, '');
    sandbox.delayWatches('configmaps', 1000);
    create(sandbox, 'a');
    await tick(t, 900);
    sandbox.delayWatches('configmaps', 0);
    create(sandbox, 'b');
    await settle();
    assert.deepEqual(seen.lines(), []);
    await tick(t, 100);
    assert.deepEqual(seen.lines(), ['ADDED a', 'ADDED b']);
    create(sandbox, 'c');
    await settle();
    assert.equal(seen.lines().length, 3);
  });
});

describe('resourceVersions', () => {
  const styles: readonly { style: VersionStyle; ascending: boolean }[] = [
    { style: 'comparable', ascending: true },
    { style: 'per-kind', ascending: false },
    { style: 'several-etcds', ascending: true },
  ];
  for (const { style, ascending } of styles) {
    test(`that are ${style} can be watched from, and ${ascending ? 'do' : 'do not'} compare between kinds`, async (t) => {
      const sandbox = newSandbox(t, style);
      const version = create(sandbox, 'a');
      assert.match(version, /^\d+$/);
      const seen = await watching(sandbox, `resourceVersion=${version}`);
      create(sandbox, 'b');
      await settle();
      assert.deepEqual(seen.lines(), ['ADDED b']);
      const other = sandbox.create('deployments', deployment()).metadata.resourceVersion;
      const last = create(sandbox, 'c');
      const inOrder = Number(version) < Number(other) && Number(other) < Number(last);
      assert.equal(inOrder, ascending);
    });
  }
});

function deployment(): object {
  const template = { spec: { containers: [{ name: 'app', image: 'app:1' }] } };
  return { metadata: { name: 'web', namespace: 'default' }, spec: { replicas: 0, template } };
}
