/** A state that the program from which this one comes has left, beside the workloads that it has stamped. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { KEYED } from '../digests.ts';
import { base64, olderDigest } from '../integration/older-state.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

/** Keys that look like numbers come first and by their size; the others as the API server answers them: sorted. */
const KEYS = { '10': 'ten', '9': 'nine', a: '', b: 'x=y' };

/** Leaves what that program would: bare digests in the state, and as stamps. */
async function leaveState(stage: Stage, digests: Readonly<Record<string, string>>): Promise<void> {
  const data = Object.fromEntries(Object.entries(digests).map(([key, digest]) => [`v1.${key}`, digest]));
  await stage.expect('POST', 'configmaps', { metadata: { name: 'reloader-state' }, data });
}

/** What nobody changed, or nobody had seen: no rollout. */
const SAME = web('same', {
  follows: { ConfigMap: ['same'], Secret: ['same'] },
  variables: { _RELOADER_CONFIGMAP_SAME: olderDigest(KEYS) },
});
const AGENT = web('agent', {
  kind: 'DaemonSet',
  follows: { Secret: ['same'] },
  variables: { _RELOADER_SECRET_SAME: olderDigest({ key: base64('one') }) },
});
const FRESH = web('fresh');
/** What changed meanwhile: one rollout. That program had stamped the first of them. */
const CHANGED = web('changed', {
  variables: { _RELOADER_CONFIGMAP_CHANGED: olderDigest({ key: 'then' }) },
});
const RENEWED = web('renewed');
const DB = web('db', { kind: 'StatefulSet', follows: { Secret: ['db'] } });

const UNCHANGED = [SAME, AGENT, FRESH];
const ROLLED = [CHANGED, RENEWED, DB];

/** All of them, whose pods run, and the state as that program has left it. */
async function leaveEverything(stage: Stage): Promise<void> {
  await stage.createMarker();
  // That program took no notice of what is binary.
  const same = { metadata: { name: 'same' }, data: KEYS, binaryData: { blob: base64('blob') } };
  await stage.expect('POST', 'configmaps', same);
  await stage.expect('POST', 'secrets', { metadata: { name: 'same' }, data: { key: base64('one') } });
  for (const name of ['fresh', 'changed', 'renewed']) await stage.put(name, 'now');
  await stage.put('db', 'now', 'Secret');
  await Promise.all([...UNCHANGED, ...ROLLED].map((each) => stage.create(each)));
  const marker = await stage.expect('GET', 'configmaps/marker');
  await leaveState(stage, {
    ConfigMap_marker: olderDigest(pick(marker, 'data') as Record<string, string>),
    ConfigMap_same: olderDigest(KEYS),
    Secret_same: olderDigest({ key: base64('one') }),
    ConfigMap_changed: olderDigest({ key: 'then' }),
    ConfigMap_renewed: olderDigest({ key: 'then' }),
    Secret_db: olderDigest({ key: base64('then') }),
    ConfigMap_orphan: olderDigest({ key: 'of nobody' }),
  });
}

/** Everything that is followed stands in the state as this program writes it. */
async function stateIsOurs(stage: Stage): Promise<void> {
  const { metadata } = await stage.expect('GET', 'configmaps/reloader-state');
  assert.equal(pick(metadata, 'annotations', 'reloader.k8s.collaborne.com/state-version'), '1');
  const { 'v1.ConfigMap_orphan': orphan, ...state } = await stage.entries();
  assert.equal(Object.keys(state).length, 7);
  for (const [key, entry] of Object.entries(state)) assert.match(entry, new RegExp(`^${KEYED}\\.\\d+$`), key);
  assert.equal(orphan, olderDigest({ key: 'of nobody' }));
}

/** What changed has been rolled once, or twice if a process was killed beside its mark, and nothing else; none of them carries a stamp of before. */
async function rolledOnce(stage: Stage, marked: ReadonlySet<string>): Promise<void> {
  assert.deepEqual(await stage.revisions(UNCHANGED), [1, 1, 1]);
  for (const [index, revision] of (await stage.revisions(ROLLED)).entries()) {
    const name = ROLLED[index]?.name ?? '';
    assert.ok(revision === 2 || (revision === 3 && marked.has(name)), `${name}: ${revision}`);
  }
  for (const each of ROLLED) assert.equal(Object.keys(await stage.stamps(each)).length, 1, each.name);
}

/** The next change is rolled where it is followed, and nowhere else. */
async function isFollowedFromNowOn(stage: Stage, reloader: ReloaderProcess): Promise<void> {
  const followers = [SAME, AGENT];
  const before = await stage.revisions(ROLLED);
  const stamps = await Promise.all(followers.map((each) => stage.stamps(each)));
  await stage.put('same', 'new', 'Secret');
  for (const [index, each] of followers.entries()) await stage.stampedAfter(each, stamps[index] ?? {});
  await stage.mark(reloader);
  assert.deepEqual(await stage.revisions(UNCHANGED), [2, 2, 1]);
  assert.deepEqual(await stage.revisions(ROLLED), before);
}

describe('a take-over', { concurrency: 2 }, () => {
  for (const [words, isKilled] of [
    ['an older state is taken over without a rollout, and what changed meanwhile is rolled', false],
    ['the same when the first process is killed as soon as it has rolled something', true],
  ] as const) {
    test(words, async () => {
      await using stage = await Stage.open(cluster);
      await leaveEverything(stage);
      const before = await stage.stamps(CHANGED);
      const first = await stage.startReloader();
      await stage.stampedAfter(CHANGED, before);
      if (isKilled) await first.kill();
      const marked = isKilled ? await stage.marked(ROLLED) : new Set<string>();
      const reloader = isKilled ? await stage.startReloader() : first;
      for (const each of [RENEWED, DB]) await stage.stampedAfter(each, {});
      await stage.ready(reloader);
      await stage.mark(reloader);
      await rolledOnce(stage, marked);
      await stateIsOurs(stage);

      await reloader.stop();
      const next = await stage.reloader();
      await stage.mark(next);
      await rolledOnce(stage, marked);
      await isFollowedFromNowOn(stage, next);
    });
  }
});
