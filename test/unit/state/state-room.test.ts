/** A ConfigMap of the state that is full: what fits is written, the rest waits, loses nothing and is said. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { FULL_BYTES } from '../../../lib/model/shards.ts';
import { CommitterStage, OURS } from './committer-stage.ts';

const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.ConfigMap_tls';
/** What is left of a commit without room: web, which has rolled, runs another content than the entry. */
const LEFT = { [CFG]: 'a.1', [TLS]: 'a.1', 'ran.Deployment_web': `{"${CFG}":"?"}` };
/** Less than a mark takes. */
const ROOM = 40;

/** A stage whose only ConfigMap has no room for a mark; web and api follow cfg, web alone has rolled for its change. */
async function fullStage(t: TestContext): Promise<CommitterStage> {
  const state = { [CFG]: 'a.1', [TLS]: 'a.1' };
  const used = 2 * (CFG.length + 42) + 'note'.length;
  const note = 'x'.repeat(FULL_BYTES - used - ROOM);
  const stage = new CommitterStage(t, { ...state, note }, OURS);
  stage.listed('cfg', 'a', 'web', 'api').listed('tls', 'a', 'tls');
  stage.world.config('cfg', 'b');
  stage.world.roll('web');
  stage.request([], ['cfg']);
  await stage.pass(2000);
  return stage;
}

/** What it says but for the note. */
function said(stage: CommitterStage): Record<string, string> {
  const { note: _, ...data } = stage.data ?? {};
  return data;
}

test('a commit whose marks have no room is not written, and that is said once; what runs another content is marked', async (t) => {
  const stage = await fullStage(t);
  for (let i = 0; i < 5; i += 1) {
    stage.committer.kick();
    await stage.pass(1000);
  }
  assert.deepEqual(said(stage), LEFT);
  assert.deepEqual(stage.reasons, ['state-full']);
  assert.match(stage.journal.decisions[0]?.message ?? '', /^reloader-state: A state ConfigMap is full/);
  const next = stage.world.restart();
  assert.deepEqual([next.needsRollout('web'), next.needsRollout('api')], [true, true]);
});

test('what needs no mark is committed beside it, and a new object gets its baseline', async (t) => {
  const stage = await fullStage(t);
  stage.world.config('tls', 'b');
  stage.world.roll('tls');
  stage.listed('new', 'a', 'of-new');
  stage.request(['new'], ['tls']);
  await stage.pass(2000);
  assert.deepEqual(said(stage), { ...LEFT, [TLS]: 'b.1' });
  assert.deepEqual(stage.dataOf(1), { 'v1.ConfigMap_new': 'a.1' });
});

test('it is committed once nobody is behind', async (t) => {
  const stage = await fullStage(t);
  stage.world.roll('api');
  stage.request([], ['cfg']);
  await stage.pass(2000);
  assert.deepEqual(said(stage), { [CFG]: 'b.1', [TLS]: 'a.1' });
});
