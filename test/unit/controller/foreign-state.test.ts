/** What another process wrote: its entry may be heard of before its stamp is, and is looked into before it is contradicted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { observeConfig } from '../../../lib/controller/config-controller.ts';
import { NOTHING_SENT, takeInForeign } from '../../../lib/controller/foreign-state.ts';
import { FreshLook } from '../../../lib/controller/fresh-look.ts';
import { observeWorkload } from '../../../lib/controller/workload-controller.ts';
import { Timeline } from '../../../lib/model/timeline.ts';
import { full } from './sketch.ts';
import { settled, World } from './world.ts';

/** Another process writes the entry of `cfg`; this one reads it. */
function readEntry(world: World, digest: string, number: number): void {
  const { edges } = world;
  const before = edges.state;
  const ref = world.configRef('cfg');
  const entries = new Map(before.entries).set(edges.entryKeyOf(ref), { digest: full(digest), number });
  edges.takeShard(0, { entries, exceptions: before.exceptions });
  takeInForeign(edges, { before, sent: NOTHING_SENT, isEmptied: false });
}

/** A fresh look at `cfg`, and what it asks for; a workload named `unreachable` cannot be read. */
function look(world: World, unreachable?: string) {
  const { edges } = world;
  const asked: string[] = [];
  const fresh = new FreshLook({
    edges,
    timeline: new Timeline(),
    project: (kind, { metadata: { name } }) => ({
      ref: { ...world.configRef(name), kind },
      uid: `uid-${name}`,
      resourceVersion: String(world.contents.get(name)?.version),
      digest: full(world.contents.get(name)?.content ?? ''),
      annotations: {},
    }),
    readConfig: async ({ name }) => {
      asked.push(`ConfigMap ${name}`);
      return { kind: 'found', object: { metadata: { name } } };
    },
    client: {
      get: async ({ name }) => {
        asked.push(`Deployment ${name}`);
        if (name === unreachable) return { kind: 'failed', message: 'reset' };
        return world.live.has(name) ? { kind: 'found', object: world.raw(name) } : { kind: 'gone' };
      },
    },
    onConfig: (event) => void observeConfig(edges, event),
    onWorkload: (event) => void observeWorkload(edges, event, false),
  });
  return { asked, isClear: async () => await fresh.atDisputed(world.configKey('cfg')) };
}

test('an entry heard of before the stamp that it commits leads to no second rollout', async () => {
  const world = new World({ 'v1.ConfigMap_cfg': 'a.1' });
  world.config('cfg', 'b', { initial: true });
  world.workload('web', { follows: ['cfg'] }, { initial: true });
  world.edit('web', { stamps: { cfg: 'b.2' } });
  readEntry(world, 'b', 2);
  assert.equal(world.owes('web'), true, 'nothing but the entry is known');
  const { asked, isClear } = look(world);
  assert.equal(await isClear(), true);
  assert.deepEqual(asked, ['ConfigMap cfg', 'Deployment web']);
  assert.deepEqual([world.edge('web').ran, world.owes('web')], [full('b'), false]);
  assert.equal(world.plan(), undefined, 'nobody contradicts the other process');
});

test('a stamp of the committed number and other content is no work of the other process', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  readEntry(world, 'b', 2);
  world.workload('web', { stamps: { cfg: 'c.2' } });
  assert.equal(world.edge('web').ran, '?');
});

test('once this process wrote the entry itself a stamp of the other one’s number says nothing', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  readEntry(world, 'b', 2);
  world.config('cfg', 'a');
  world.write();
  world.workload('web', { stamps: { cfg: 'b.2' } });
  assert.deepEqual([world.edge('web').ran, world.owes('web')], [full('a'), false]);
});

test('only those are looked at of which the entry says something new', async () => {
  const world = settled('api', 'web');
  world.config('cfg', 'b');
  world.workload('api', { stamps: { cfg: 'b.2' } });
  readEntry(world, 'b', 2);
  const { asked, isClear } = look(world);
  assert.equal(await isClear(), true);
  assert.deepEqual(asked, ['ConfigMap cfg', 'Deployment web']);
  assert.equal(world.owes('web'), true, 'the other process forgot it');
  assert.equal(world.owes('api'), false);
});

test('what cannot be looked at is not clear yet', async () => {
  const world = settled('web');
  world.config('cfg', 'b');
  readEntry(world, 'b', 2);
  assert.equal(await look(world, 'web').isClear(), false);
});

test('a workload that is gone is left to its stream', async () => {
  const world = settled('web');
  world.config('cfg', 'b');
  readEntry(world, 'b', 2);
  world.live.delete('web');
  assert.equal(await look(world).isClear(), true);
  assert.equal(world.edge('web').ran, full('a'));
});

test('a workload whose patch is under way is looked at too: another stamp may have overtaken it, and is what it runs', async () => {
  const world = settled('web');
  world.config('cfg', 'b');
  world.send('web');
  world.edit('web', { stamps: { cfg: 'b.3' } });
  readEntry(world, 'b', 3);
  const { asked, isClear } = look(world);
  assert.equal(await isClear(), true);
  assert.deepEqual(asked, ['ConfigMap cfg', 'Deployment web']);
  assert.deepEqual([world.edge('web').ran, world.edge('web').stamp?.number], [full('b'), 3]);
});

test('what another process recorded of a workload that does not ask is no doubt', () => {
  const world = settled('web');
  world.config('cfg', 'b');
  world.roll('web', false);
  world.config('cfg', 'c', { marks: { 'reloader.k8s.collaborne.com/ignore': 'true' } });
  world.noConfig('cfg');
  const before = world.edges.state;
  world.state({ 'v1.ConfigMap_cfg': 'a.1', 'ran.Deployment_web': '{"v1.ConfigMap_cfg":"a"}' });
  takeInForeign(world.edges, { before, sent: NOTHING_SENT, isEmptied: false });
  world.config('cfg', 'c');
  assert.ok(!world.owes('web'));
});
