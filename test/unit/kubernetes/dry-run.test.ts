import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DryRunObject } from '../../../lib/kubernetes/kept-object.ts';
import { beginTerm } from '../../../lib/state/begin-term.ts';
import type { StateClient } from '../../../lib/store/state-client.ts';
import { ok, refused, scripted } from './scripted-send.ts';

const STATE = { kind: 'ConfigMap' as const, namespace: 'ns', name: 'reloader-state' };

test('a state that a dry run has made in memory is there when it looks again, until there is a real one', async () => {
  const real = { metadata: { name: STATE.name, uid: 'u', resourceVersion: '8' }, data: { k: 'real' } };
  const script = scripted(refused(404), refused(404), ok(real));
  const state = new DryRunObject(script.send, STATE);
  assert.deepEqual(await state.read(), { kind: 'absent' });
  await state.create();
  await state.patch({ resourceVersion: '0', data: { k: 'memory' }, annotations: {} });
  const data = async (): Promise<unknown> => {
    const reading = await state.read();
    return reading.kind === 'found' ? reading.object.data : reading.kind;
  };
  assert.deepEqual(await data(), { k: 'memory' });
  assert.deepEqual(await data(), { k: 'real' });
  assert.deepEqual([...new Set(script.requests.map(({ method }) => method))], ['GET']);
});

test('a dry run begins a term in memory', async () => {
  const annotations = { 'reloader.k8s.collaborne.com/term': '4' };
  const metadata = { name: STATE.name, uid: 'u', resourceVersion: '8', annotations };
  const script = scripted(ok({ metadata, data: { k: 'real' } }));
  const state = new DryRunObject(script.send, STATE);
  const stateClient: StateClient = {
    read: async (shard) => (shard === 0 ? await state.read() : { kind: 'absent' }),
    create: () => state.create(),
    patch: (_shard, patch) => state.patch(patch),
  };
  const begun = await beginTerm(stateClient, 'dry', 'home');
  assert.ok(begun.kind === 'begun');
  assert.deepEqual([begun.mark.term, begun.shards[0]?.data], [5, { k: 'real' }]);
  assert.deepEqual(
    script.requests.map(({ method }) => method),
    ['GET'],
  );
});
