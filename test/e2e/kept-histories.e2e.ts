/**
 * The histories that the simulation failed once, on a real API server: those that people and processes alone can bring
 * about. Nobody can ask a real server for the others, which say why.
 */

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { History } from '../simulation/history.ts';
import { Player, workloadNamed } from './player.ts';
import { Stage } from './stage.ts';

const FOLDER = new URL('../simulation/regressions/', import.meta.url);

/** How many templates each workload has had in the end. */
const PLAYED: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  'a-return-that-a-deletion-had-cut-off': { 'Deployment/web': 3 },
  'absent-object-named-then-created-and-reverted': { 'Deployment/api': 2 },
  'copy-with-a-later-stamp-in-an-absence': { 'StatefulSet/db': 3, 'Deployment/web': 2 },
  'scale-within-a-window': { 'Deployment/api': 2 },
};

const UNWRITTEN = 'it needs a state that cannot be written, and deaths between writes';

const LATE = 'a stream of one process has to be late by seconds';
const VERSIONS = 'the versions of a real API server can be compared';
const MOMENT = 'a tenth of a second decides in which window a change falls';
const STARTS = 'pods have to start at the very moment at which an object is deleted';
const SELECTION = 'a reloader of these tests looks at one namespace, whose labels do not count';
const BETWEEN = 'a process has to list in the millisecond between a change and the change back';
const KEYS = 'the pods of these tests read whole objects';
const JOBS = 'jobs.e2e.ts and cron-jobs.e2e.ts play with Jobs and CronJobs, by steps of their own';
const JUDGE = 'only the judge of the simulation was wrong about it';
const LEASE = 'nobody edits the Lease of these tests';
const ELECTION = 'two processes elect a leader, and the player starts each for itself';
const NOT_PLAYED: Readonly<Record<string, string>> = {
  'the-lease-emptied-while-a-workload-rolls': LEASE,
  'keys-asked-for-again': KEYS,
  'the-whole-is-asked-for-while-no-process-runs': KEYS,
  'an-edit-of-another-key-before-the-first-look': KEYS,
  'a-part-that-nobody-reads-any-more': KEYS,
  'a-patch-that-hangs-and-is-overtaken-unseen': LATE,
  'created-beside-an-opt-in': VERSIONS,
  'exception-of-a-process-that-died': ELECTION,
  'a-lease-taken-and-released-at-once': ELECTION,
  'changes-that-a-new-leader-hears-of-late': LATE,
  'opted-in-beside-a-late-list': LATE,
  'a-run-just-before-a-change-of-versions-that-do-not-compare': VERSIONS,
  'a-copied-stamp-that-a-death-left-unsilenced': UNWRITTEN,
  'ignored-and-asked-for-again': MOMENT,
  'a-copied-stamp-that-no-write-silenced': UNWRITTEN,
  'a-doubt-that-could-not-be-written': UNWRITTEN,
  'gone-while-pods-start': STARTS,
  'gone-before-pods-start': STARTS,
  'gone-at-a-start-while-pods-start': STARTS,
  'gone-while-another-change-rolls': STARTS,
  'a-rollout-that-waits-for-an-object': STARTS,
  'came-and-went-at-a-start': BETWEEN,
  'a-change-while-nothing-is-selected-and-pods-start': SELECTION,
  'selected-just-before-a-change': SELECTION,
  'a-window-that-ends-where-nothing-is-selected': SELECTION,
  'ready-without-the-object': 'a kubelet starts no pod without an object that it needs',
  'a-doubt-of-a-workload-made-again': UNWRITTEN,
  'a-stamp-of-a-workload-that-is-gone': UNWRITTEN,
  'a-look-that-the-stream-overtook': VERSIONS,
  'a-first-content-that-nobody-heard-of': LATE,
  'first-seen-after-a-gap': LATE,
  'in-force-at-an-opt-in-and-told-late': LATE,
  'exceptions-removed-just-before-a-start': JUDGE,
  'a-finished-job-that-is-suspended': JOBS,
  'a-finished-job-where-only-running-ones-are-created-anew': JOBS,
  'a-job-deleted-as-it-is-copied': JOBS,
  'a-run-of-another-content-between-two-of-one': JOBS,
  'a-job-that-is-edited-and-deleted-while-it-is-copied': JOBS,
  'a-job-suspended-and-deleted-beside-its-copy': JOBS,
  'a-run-that-was-sent-before-its-cron-job-was-suspended': JOBS,
  'owed-as-it-ended-and-created-anew': JOBS,
  'a-pattern-and-a-need-that-never-was': KEYS,
  'a-pattern-and-objects-that-never-were': JUDGE,
  'pods-that-start-just-before-their-kind-is-listed-again': JUDGE,
  'two-names-of-objects-that-are-not-there': JUDGE,
  'two-names-of-one-variable': JOBS,
  'selected-in-the-moment-of-a-creation': SELECTION,
  'selected-for-a-moment-without-the-object': SELECTION,
  'asked-for-just-before-a-return': LATE,
  'gone-just-before-an-opt-in': VERSIONS,
  'an-entry-removed-beside-another-config-map': 'the reads of a real API server are never stale',
  'a-new-workload-beside-a-silent-stream': LATE,
  'a-return-just-after-a-rollout': VERSIONS,
  'an-owners-rollout-that-could-not-be-written': UNWRITTEN,
  'selected-for-a-moment': MOMENT,
  'followed-just-before-deselection': SELECTION,
  'ignored-deleted-and-back-with-other-content': MOMENT,
  'a-right-that-lags-at-the-start': LATE,
  'a-copied-stamp-over-an-exception-of-one-of-its-name': UNWRITTEN,
  'created-just-before-deselection': SELECTION,
  'a-stamp-of-another-object-that-was-not-written': UNWRITTEN,
  'held-while-another-object-is-missing': KEYS,
  'keys-and-the-whole-again': KEYS,
  'rolled-before-all-is-listed': KEYS,
  'parts-of-an-object-in-two-config-maps': KEYS,
  'the-whole-beside-a-part-in-another-config-map': KEYS,
  'an-undo-that-could-not-be-written': UNWRITTEN,
  'asked-for-before-a-return': LATE,
  'asked-for-again-while-absent': MOMENT,
  'declined-beside-a-speaking-stamp': UNWRITTEN,
  'a-question-at-the-start-that-fails': LATE,
  'a-return-between-two-windows': MOMENT,
  'a-return-without-the-mark': VERSIONS,
  'an-opt-in-in-an-absence-to-what-is-gone': MOMENT,
  'a-patch-undone-before-anybody-knew-of-it': UNWRITTEN,
  'made-and-gone-just-after-its-deletion-was-rolled': MOMENT,
  'a-change-of-before-an-opt-in-that-is-told-late': LATE,
  'a-rollout-of-no-pods-while-an-object-is-gone': MOMENT,
  'change-back-beside-another-change': MOMENT,
  'late-news-of-versions-that-do-not-compare': VERSIONS,
  'maximum-wait-that-begins-in-the-middle': MOMENT,
  'news-after-a-patch-of-versions-that-do-not-compare': VERSIONS,
};

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !(cluster instanceof ControlPlane) && 'nobody can pull the images of the histories';

function historyOf(name: string): History {
  return JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8')) as History;
}

/** How often the state was written by whoever calls itself this program. */
async function stateWrites({ namespace }: Stage): Promise<number> {
  assert.ok(cluster instanceof ControlPlane);
  const writes = (await cluster.audit()).filter(
    (each) =>
      each.namespace === namespace &&
      each.verb === 'patch' &&
      each.name === 'reloader-state' &&
      each.userAgent.startsWith('kubernetes-reloader/'),
  );
  return writes.length;
}

test('every history that is kept is played, or it is said why not', () => {
  const kept = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));
  assert.deepEqual(kept.sort(), [...Object.keys(PLAYED), ...Object.keys(NOT_PLAYED)].sort());
});

describe('played', { skip, concurrency: 8 }, () => {
  for (const [name, expected] of Object.entries(PLAYED)) {
    const history = historyOf(name);
    test(`${name}: ${history.why}`, async () => {
      await using stage = await Stage.open(cluster);
      const player = await Player.begin(stage, history);
      await player.play();
      const workloads = Object.keys(expected).map(workloadNamed);
      for (const each of workloads) await stage.rolledOut(each);

      // At rest nobody writes the state, but for the marker, whose window gives everybody time to.
      const before = await stateWrites(stage);
      for (const each of player.processes) await stage.mark(each);
      const written = (await stateWrites(stage)) - before;
      assert.ok(written <= 2 * player.processes.length ** 2, `${written} writes of the state`);
      for (const each of player.processes) await each.kill();
      await stage.mark(await stage.reloader());
      assert.deepEqual(await stage.revisions(workloads), Object.values(expected));
    });
  }
});
