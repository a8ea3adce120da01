/** The proxy that plays faults does what it is told, no more, and tells what it did. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readText } from '../../../lib/kubernetes/json-call.ts';
import type { ApiRequest, ApiResponse } from '../../../lib/kubernetes/transport.ts';
import { type Sender, senderTo } from '../../control-plane/sender.ts';
import { FaultProxy, type OnWrite } from '../../faults/fault-proxy.ts';
import type { CallMatch } from '../../sandbox/faults.ts';
import { pick } from '../../sandbox/json.ts';
import { createSandbox, type Sandbox } from '../../sandbox/sandbox.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const WATCH: ApiRequest = { method: 'GET', path: `${PATH}?watch=1&resourceVersion=0` };
const WRITES: CallMatch = { verb: 'write' };

/** A sandbox with one ConfigMap, a proxy before it, and a client. */
class Setting implements AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly proxy: FaultProxy;
  /** What the proxy tells of each write: the contents since. */
  readonly told: readonly unknown[];
  readonly #sender: Sender;

  private constructor(sandbox: Sandbox, proxy: FaultProxy, told: readonly unknown[]) {
    this.sandbox = sandbox;
    this.proxy = proxy;
    this.told = told;
    this.#sender = senderTo({ url: proxy.url });
  }

  static async open(): Promise<Setting> {
    const sandbox = createSandbox();
    sandbox.create('configmaps', { metadata: { namespace: 'default', name: 'web' }, data: { key: 'A' } });
    const told: unknown[] = [];
    const onWrite: OnWrite = (_, object) => void told.push(pick(object, 'data', 'key'));
    return new Setting(sandbox, await FaultProxy.start(sandbox.handle, undefined, onWrite), told);
  }

  send(request: ApiRequest): Promise<ApiResponse> {
    return this.#sender.send(request);
  }

  /** Gives the ConfigMap another content, fenced by the version that it has now. */
  write(key: string): Promise<ApiResponse> {
    const { resourceVersion } = this.sandbox.get('configmaps', 'default', 'web')?.metadata ?? {};
    const headers = { 'content-type': 'application/merge-patch+json' };
    const body = JSON.stringify({ metadata: { resourceVersion }, data: { key } });
    return this.send({ method: 'PATCH', path: `${PATH}/web`, headers, body });
  }

  content(): unknown {
    return this.sandbox.get('configmaps', 'default', 'web')?.['data'];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#sender.close();
    await this.proxy[Symbol.asyncDispose]();
    this.sandbox.close();
  }
}

test('without rules it changes nothing, and counts only what was written', async () => {
  await using setting = await Setting.open();
  const response = await setting.send({ method: 'GET', path: PATH });
  assert.equal(
    await readText(response),
    await readText(await setting.sandbox.handle({ method: 'GET', path: PATH })),
  );
  assert.equal((await setting.write('B')).status, 200);
  assert.equal((await setting.write('B')).status, 200);
  assert.deepEqual(
    setting.proxy.writes.map(({ verb, name, status, tookEffect }) => [verb, name, status, tookEffect]),
    [
      ['patch', 'web', 200, true],
      ['patch', 'web', 200, false],
    ],
  );
  assert.deepEqual(setting.told, ['B', 'B']);
  assert.equal(setting.proxy.deeds, 0);
  await setting.send({ method: 'GET', path: `${PATH}?fieldSelector=metadata.name%3Dweb` });
  assert.deepEqual(setting.proxy.lists, ['configmaps']);
});

test('a lost answer belongs to a write that took effect, a refused connection to one that did not', async () => {
  await using setting = await Setting.open();
  const lift = setting.proxy.add({ match: WRITES, effect: { kind: 'lost' } });
  await assert.rejects(setting.write('B'), /socket hang up/);
  lift();
  assert.deepEqual(setting.content(), { key: 'B' });
  setting.proxy.add({ match: WRITES, effect: { kind: 'refused' } });
  await assert.rejects(setting.write('C'), /socket hang up/);
  assert.deepEqual(setting.content(), { key: 'B' });
  assert.deepEqual(
    [...setting.proxy.counts],
    [
      ['lost', 1],
      ['refused', 1],
    ],
  );
});

test('a storm is answered as the API server does, for the next requests only', async () => {
  await using setting = await Setting.open();
  const effect = { kind: 'status', code: 429, retryAfterSeconds: 7 } as const;
  setting.proxy.add({ match: {}, times: 2, effect });
  const answers = [await setting.write('B'), await setting.write('B'), await setting.write('B')];
  assert.deepEqual(
    answers.map(({ status, headers }) => [status, headers['retry-after']]),
    [
      [429, '7'],
      [429, '7'],
      [200, undefined],
    ],
  );
  assert.match(await readText(answers[0] as ApiResponse), /"reason":"TooManyRequests"/);
});

test('a write that is held comes when it is released, though its sender has gone, and may be too late', async () => {
  await using setting = await Setting.open();
  const held = setting.proxy.hold(WRITES);
  const gone = assert.rejects(setting.write('late'));
  while (!held.hasArrived()) await new Promise((resolve) => setImmediate(resolve));
  await setting.proxy.disappear();
  await gone;
  await setting.proxy.appear();
  assert.equal((await setting.write('B')).status, 200);
  assert.equal(await held.release(), 409);
  assert.deepEqual(setting.content(), { key: 'B' });
  assert.deepEqual(
    setting.proxy.writes.map(({ status, wasHeld }) => [status, wasHeld]),
    [
      [200, false],
      [409, true],
    ],
  );
});

test('an answer that is held belongs to a write that took effect', async () => {
  await using setting = await Setting.open();
  const held = setting.proxy.hold(WRITES, 'answer');
  const written = setting.write('B');
  assert.equal(held.hasArrived(), false);
  while (!held.hasArrived()) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(setting.content(), { key: 'B' });
  assert.equal((await setting.write('C')).status, 200);
  assert.equal(await held.release(), 200);
  assert.equal((await written).status, 200);
  assert.deepEqual(setting.content(), { key: 'C' });
});

test('a watch is cut at once', async () => {
  await using setting = await Setting.open();
  const pieces = (await setting.send(WATCH)).body[Symbol.asyncIterator]();
  await pieces.next();
  assert.equal(setting.proxy.disturb({ resource: 'secrets' }, 'cut'), 0);
  assert.equal(setting.proxy.disturb({ resource: 'configmaps' }, 'cut'), 1);
  await assert.rejects(async () => pieces.next(), /aborted/);
});

test('a watch is cut within the next line', async () => {
  await using setting = await Setting.open();
  const pieces = (await setting.send(WATCH)).body[Symbol.asyncIterator]();
  await pieces.next();
  setting.proxy.disturb({}, 'truncated');
  assert.equal(setting.proxy.deeds, 0);
  const piece = pieces.next();
  await setting.write('B');
  const { value } = await piece;
  assert.match(String(value), /^\{"type":"MODIFIED",[^\n]*$/);
  await assert.rejects(async () => pieces.next(), /aborted/);
  assert.deepEqual([...setting.proxy.counts], [['truncated', 1]]);
});

test('a silent watch has nothing to say, until the client goes', async () => {
  await using setting = await Setting.open();
  const away = new AbortController();
  const pieces = (await setting.send({ ...WATCH, signal: away.signal })).body[Symbol.asyncIterator]();
  await pieces.next();
  setting.proxy.disturb({}, 'silent');
  const heard = (await setting.send(WATCH)).body[Symbol.asyncIterator]();
  await heard.next();
  await setting.write('B');
  // Who opened a watch later hears of it; by then the first one would have.
  assert.match(String((await heard.next()).value), /MODIFIED/);
  const heardNothing = assert.rejects(async () => pieces.next(), /aborted/);
  away.abort();
  await heardNothing;
});
