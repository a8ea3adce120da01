/** One-line sabotages of lib: each breaks a rule that the program lives by, so some test must fail under it. */

import { change, drop, type Edit } from './edit.ts';

/** One sabotage. */
export interface Mutant {
  /** What no longer holds, in words. */
  readonly name: string;
  readonly edit: Edit;
  /** The test files that should notice, the quickest first. */
  readonly tests: readonly string[];
}

const EDGE_RULES = 'test/unit/tracking/edge-rules.test.ts';
const LATE_NEWS = 'test/unit/tracking/late-news.test.ts';
const GUARDS = 'test/unit/app/guards.test.ts';
const TERMS = 'test/unit/app/terms.test.ts';
const ROLLOUT = 'test/unit/tracking/rollout-decision.test.ts';
const ROLLOUTS = 'test/unit/rollout/rollout-controller.test.ts';
const STATE = 'test/unit/state/state-committer.test.ts';
const STATE_CREATION = 'test/unit/state/state-creation.test.ts';
const STATE_WRITE = 'test/unit/state/state-write.test.ts';
const WORKLOADS = 'test/unit/tracking/observe-workload.test.ts';
const INFORMER = 'test/unit/kubernetes/informer.test.ts';
const REFLECTOR = 'test/unit/kubernetes/reflector.test.ts';
const WRITERS = 'test/unit/kubernetes/writers.test.ts';

/** Every sabotage that must be noticed. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'commit before patch: an object is committed although a workload waits to be rolled',
    edit: change('isBlocked', 'isOutdatedOn()', 'false'),
    tests: [STATE_WRITE, STATE],
  },
  {
    name: 'a workload that waits for its patch is not said to wait',
    edit: drop('RolloutController.isWaiting', 'this.#due.has(workload) || isTried'),
    tests: [ROLLOUTS],
  },
  {
    name: 'no fence: a rollout is patched over whatever is there',
    edit: change('fencedPause', '{ resourceVersion }', '{}'),
    tests: ['test/unit/model/rollout-plan.test.ts', ROLLOUTS],
  },
  {
    name: 'no fence: the state is written over whatever is there',
    edit: drop('KeptObject.patch', 'resourceVersion,'),
    tests: [WRITERS],
  },
  {
    name: 'no number: every stamp is number 1',
    edit: change('planRollout', 'sequenceAfter()', '1'),
    tests: [ROLLOUT],
  },
  {
    name: 'a stamp’s number is not above that of the entry',
    edit: change('planRollout', 'sequenceAfter()', 'edge.highestSequence + 1'),
    tests: [ROLLOUT],
  },
  {
    name: 'a stamp’s number is not above that of the stamp before',
    edit: change('planRollout', 'sequenceAfter()', 'store.persisted.minSequenceOf(observed.ref) + 1'),
    tests: [ROLLOUT],
  },
  {
    name: 'a commit does not silence the stamps that it has seen',
    edit: change('desiredEntry', 'max()', 'Math.max(1, store.persisted.minSequenceOf(ref))'),
    tests: [STATE_WRITE, EDGE_RULES],
  },
  {
    name: 'a number that was sent and not answered is used again',
    edit: drop('KnownState.write', 'noteSent()'),
    tests: [GUARDS],
  },
  {
    name: 'no exception: what a workload still owes at a commit is not recorded',
    edit: change('overrideFor', 'isUncommitted()', 'true'),
    tests: [STATE_WRITE, STATE],
  },
  {
    name: 'exception before stamp: a patch after the exception was written is forgotten at the start',
    edit: change(
      'runningDigestAtStart',
      'isUncommitted()',
      'override === undefined && isUncommitted(stamp, entry)',
    ),
    tests: ['test/unit/model/edge.test.ts', EDGE_RULES],
  },
  {
    name: 'a stamp speaks for ever, also once its change is committed',
    edit: drop('isUncommitted', 'stamp.sequence > (entry?.sequence ?? 0)'),
    tests: ['test/unit/model/edge.test.ts', EDGE_RULES],
  },
  {
    name: 'no dirty: only digests say what is owed',
    edit: change(
      'isOutdated',
      '(edge.mixedPods || edge.runningDigest !== observed)',
      'edge.runningDigest !== observed',
    ),
    tests: ['test/unit/model/edge.test.ts', EDGE_RULES],
  },
  {
    name: 'no dirty: a change while pods start is taken for read by none of them',
    edit: change(
      'afterChange',
      'mayHaveChanged && span.from < readUntil(edge, dependent, isAfterGap)',
      'false',
    ),
    tests: [EDGE_RULES],
  },
  {
    name: 'no dirty: pods that start after a late change are taken to have read one content',
    edit: change('afterLook', 'edge.mixedPods || mayHaveReadBoth', 'edge.mixedPods'),
    tests: [GUARDS],
  },
  {
    name: 'start-dirty ignored: what was owed at the start is settled by a change back',
    edit: change('afterStart', 'isOutdated()', 'false'),
    tests: [EDGE_RULES],
  },
  {
    name: 'a patch settles what changed while it was on its way',
    edit: change('afterPatch', 'mixedPods: changedSince,', 'mixedPods: false'),
    tests: [ROLLOUT, EDGE_RULES],
  },
  {
    name: 'unknown never set: pods that an owner starts while a change is open are taken to have read the last content',
    edit: change('afterWrites', "nextEdge(edge, { type: 'template-changed', stamp })", 'seen'),
    tests: [EDGE_RULES],
  },
  {
    name: 'unsettled ignored: an undo before the rollout was seen to complete says nothing',
    edit: drop('afterWrites', '!edge.rolloutInProgress'),
    tests: [GUARDS],
  },
  {
    name: 'revert ignored: content that is the committed one again is no news',
    edit: change(
      'observeVersion',
      'isStale()',
      'isStale(record, object, event) || store.persisted.entryOf(object.ref)?.digest === object.digest',
    ),
    tests: [EDGE_RULES, ROLLOUTS],
  },
  {
    name: 'revert ignored: a change back within the window leaves its workloads owing',
    edit: change('afterChange', 'isInInitialList || !dependent.workload.isRolledOut', 'true'),
    tests: [WORKLOADS, ROLLOUTS],
  },
  {
    name: 'urgent write not urgent: what must not be forgotten waits for the rollouts',
    edit: drop('StateCommitter.#add', 'pressing.add()'),
    tests: [STATE],
  },
  {
    name: 'nothing is written at once: what a restart would believe wrongly waits for the next batch',
    edit: change('addEffects', 'effects.persist()', "effects.persist(config, 'soon')"),
    tests: [WORKLOADS],
  },
  {
    name: 'requests during the creation of the state are lost',
    edit: drop('StateCommitter.#flush', 'continue;'),
    tests: [STATE_CREATION],
  },
  {
    name: 'the state is written before everything is listed',
    edit: drop('isHeldUp', '!isSynced()'),
    tests: [STATE_WRITE, STATE],
  },
  {
    name: 'an entry is removed although not everything is listed',
    edit: change(
      'endEdge',
      'mayAbandon && record.workload.owner === undefined',
      'record.workload.owner === undefined',
    ),
    tests: [WORKLOADS],
  },
  {
    name: 'state read after the lists',
    edit: change('Terms.run', 'await Promise.race([isDecided, leading])', 'void leading'),
    tests: [TERMS],
  },
  {
    name: 'a state that cannot be read counts as none',
    edit: drop('readShards', "reading.kind === 'failed' && !isNone"),
    tests: [TERMS],
  },
  {
    name: 'refused plan gives up',
    edit: change(
      'RolloutController.#resultOf',
      '{ ...outcome, bounds: REFUSAL_BACKOFF, ...(times && { times }) }',
      '{ ...outcome, bounds: REFUSAL_BACKOFF, atLeastMs: 24 * 60 * 60_000 }',
    ),
    tests: [ROLLOUTS],
  },
  {
    name: 'a patch without an answer counts as not in force, unasked',
    edit: change('RolloutAttempts.#resolveFlight', 'plan === undefined', 'true'),
    tests: [ROLLOUTS],
  },
  {
    name: 'single flight broken: two workers have one key',
    edit: drop('RetryQueue.#start', 'has()'),
    tests: ['test/unit/queue/retry-queue.test.ts', ROLLOUTS],
  },
  {
    name: 'queue: news shortens a backoff',
    edit: drop('RetryQueue.add', 'this.#backoffs.has(key)'),
    tests: ['test/unit/queue/retry-queue.test.ts', ROLLOUTS],
  },
  {
    name: 'queue: what succeeded once backs off as long as before',
    edit: change('RetryQueue.#work', 'this.#failures.delete(key);', ';'),
    tests: ['test/unit/queue/retry-queue.test.ts'],
  },
  {
    name: 'queue: what is added during its work waits for a delay',
    edit: drop('RetryQueue.#work', '!has()'),
    tests: ['test/unit/queue/retry-queue.test.ts'],
  },
  {
    name: 'queue: the end does not wait for the work under way',
    edit: change('RetryQueue.close', 'this.#running.size === 0', 'true'),
    tests: ['test/unit/queue/retry-queue.test.ts'],
  },
  {
    name: 'no maximum wait: a busy source postpones its rollout for ever',
    edit: change('QuietPeriod.touch', 'min()', 'now + window.quietMs'),
    tests: ['test/unit/queue/quiet-period.test.ts', ROLLOUTS],
  },
  {
    name: 'index not shrunk: objects that nobody follows any more are kept',
    edit: drop('DependentsIndex.delete', 'workloads.size === 0'),
    tests: ['test/unit/store/dependents-index.test.ts'],
  },
  {
    name: 'a handler’s exception escapes the informer',
    edit: change(
      'Informer.#tell',
      "const object = event.type === 'synced' ? this.#options.source.path : event.key;",
      'throw error;',
    ),
    tests: [INFORMER],
  },
  {
    name: '410 not relisted',
    edit: drop('Reflector.#afterWatch', "reason === 'expired'"),
    tests: [REFLECTOR],
  },
  {
    name: 'what went while the watch was away is not noticed by the list',
    edit: change('Informer.endList', 'has()', 'true'),
    tests: [INFORMER],
  },
  {
    name: 'what a list shows first after a gap has come to be',
    edit: drop('afterContent', '(isAfterGap && mayHaveBeenRead)'),
    tests: [LATE_NEWS],
  },
  {
    name: 'what is told late was not in force when the workload began to follow it',
    edit: change('afterChange', 'span.to <= followedSince.from', 'span.to < 0'),
    tests: [LATE_NEWS],
  },
  {
    name: 'what a gap hides is the same as when the workload began to follow it',
    edit: change('readUntil', 'isAfterGap && followedSince !== undefined', 'false'),
    tests: [LATE_NEWS],
  },
  {
    name: 'an edge that appears believes a copied stamp',
    edit: change('appearingEdge', 'config.digest', 'stamp?.digest ?? config.digest'),
    tests: [EDGE_RULES],
  },
  {
    name: 'not born dirty: a workload that appears is taken to have read what changed after it',
    edit: change('appearingEdge', 'changedAt > span.from', 'false'),
    tests: [EDGE_RULES],
  },
  {
    name: 'a state that the API server refuses to show counts as absent',
    edit: change('readingOf', "error.code === 'not-found'", 'true'),
    tests: [WRITERS],
  },
  {
    name: 'the end does not wait for the patches under way',
    edit: drop('Controllers.parts', 'this.rollouts'),
    tests: [GUARDS],
  },
  {
    name: 'a list may come from a cache that lags behind',
    edit: change(
      'listPage',
      'fieldSelector: source.fieldSelector,',
      'fieldSelector: source.fieldSelector, resourceVersion: 0',
    ),
    tests: ['test/unit/kubernetes/list-watch.test.ts'],
  },
  {
    name: 'an object that cannot be read is quoted in the log',
    edit: change('Informer.#tellPresent', 'object: key,', 'object: raw'),
    tests: [INFORMER],
  },
  {
    name: 'what others wrote is markup on the status page',
    edit: change('html/textOf', 'escapeHtml()', 'String(part)'),
    tests: ['test/unit/telemetry/html.test.ts'],
  },
  {
    name: 'the status page shows every row',
    edit: change('cut', 'slice()', 'rows'),
    tests: ['test/unit/telemetry/status-view.test.ts'],
  },
  {
    name: 'the youngest outdated workload comes first',
    edit: change(
      'byAge',
      '(b.outdatedForSeconds ?? 0) - (a.outdatedForSeconds ?? 0)',
      '(a.outdatedForSeconds ?? 0) - (b.outdatedForSeconds ?? 0)',
    ),
    tests: ['test/unit/telemetry/status-view.test.ts'],
  },
  {
    name: 'a watch that is open still has its problem',
    edit: drop('WatchHealth.up', 'health.problem = undefined'),
    tests: ['test/unit/model/watch-health.test.ts'],
  },
];
