/** One-line sabotages of lib: each breaks a rule that the program lives by, so some test must fail under it. */

/** One sabotage. */
export interface Mutant {
  /** What no longer holds, in words. */
  readonly name: string;
  readonly file: string;
  /** Stands exactly once in the file: so that the table cannot rot unseen. */
  readonly find: string;
  readonly replace: string;
  /** The test files that should notice, the quickest first. */
  readonly tests: readonly string[];
}

const EDGE_RULES = 'test/unit/controller/edge-rules.test.ts';
const LATE_NEWS = 'test/unit/controller/late-news.test.ts';
const GUARDS = 'test/unit/controller/guards.test.ts';
const ROLLOUT = 'test/unit/controller/rollout.test.ts';
const ROLLOUTS = 'test/unit/controller/rollout-controller.test.ts';
const STATE = 'test/unit/controller/state-committer.test.ts';
const STATE_CREATION = 'test/unit/controller/state-creation.test.ts';
const STATE_WRITE = 'test/unit/controller/state-write.test.ts';
const WORKLOADS = 'test/unit/controller/workload-controller.test.ts';
const INFORMER = 'test/unit/kubernetes/informer.test.ts';
const REFLECTOR = 'test/unit/kubernetes/reflector.test.ts';
const WRITERS = 'test/unit/kubernetes/writers.test.ts';

const STAMP_NUMBER = 'number: used + 1';

/** Every sabotage that must be noticed. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'commit before patch: an object is committed although a workload waits to be rolled',
    file: 'lib/controller/state-write.ts',
    find: 'edges.owesOn(record, config, edge) && gate.isWaiting(',
    replace: 'false && gate.isWaiting(',
    tests: [STATE_WRITE, STATE],
  },
  {
    name: 'a workload that waits for its patch is not said to wait',
    file: 'lib/controller/rollout-controller.ts',
    find: 'if (this.#due.has(workload) || isTried) return true;',
    replace: '',
    tests: [ROLLOUTS],
  },
  {
    name: 'no fence: a rollout is patched over whatever is there',
    file: 'lib/model/rollout-plan.ts',
    find: 'return { metadata: { resourceVersion }, spec: {} };',
    replace: 'return { metadata: {}, spec: {} };',
    tests: ['test/unit/model/rollout-plan.test.ts', ROLLOUTS],
  },
  {
    name: 'no fence: the state is written over whatever is there',
    file: 'lib/kubernetes/state-config-map.ts',
    find: 'const metadata = { resourceVersion, ...(annotations',
    replace: 'const metadata = { ...(annotations',
    tests: [WRITERS],
  },
  {
    name: 'no number: every stamp is number 1',
    file: 'lib/controller/rollout.ts',
    find: STAMP_NUMBER,
    replace: 'number: 1',
    tests: [ROLLOUT],
  },
  {
    name: 'a stamp’s number is not above that of the entry',
    file: 'lib/controller/rollout.ts',
    find: STAMP_NUMBER,
    replace: 'number: edge.highestNumber + 1',
    tests: [ROLLOUT],
  },
  {
    name: 'a stamp’s number is not above that of the stamp before',
    file: 'lib/controller/rollout.ts',
    find: STAMP_NUMBER,
    replace: 'number: edges.floorOf(observed.ref) + 1',
    tests: [ROLLOUT],
  },
  {
    name: 'a commit does not silence the stamps that it has seen',
    file: 'lib/controller/state-write.ts',
    find: 'Math.max(1, edges.floorOf(ref), ...dependents.map(([, edge]) => edge.highestNumber))',
    replace: 'Math.max(1, edges.floorOf(ref))',
    tests: [STATE_WRITE, EDGE_RULES],
  },
  {
    name: 'a number that was sent and not answered is used again',
    file: 'lib/controller/known-state.ts',
    find: 'noteSent(edges, write);',
    replace: '',
    tests: [GUARDS],
  },
  {
    name: 'no exception: what a workload still owes at a commit is not recorded',
    file: 'lib/controller/state-exceptions.ts',
    find: 'if (speaks(edge.stamp, entry)) continue;',
    replace: 'continue;',
    tests: [STATE_WRITE, STATE],
  },
  {
    name: 'exception before stamp: a patch after the exception was written is forgotten at the start',
    file: 'lib/model/edge.ts',
    find: 'if (speaks(stamp, entry)) return stamp.digest;',
    replace: 'if (exception === undefined && speaks(stamp, entry)) return stamp.digest;',
    tests: ['test/unit/model/edge.test.ts', EDGE_RULES],
  },
  {
    name: 'a stamp speaks for ever, also once its change is committed',
    file: 'lib/model/edge.ts',
    find: 'stamp !== undefined && stamp.number > (entry?.number ?? 0)',
    replace: 'stamp !== undefined',
    tests: ['test/unit/model/edge.test.ts', EDGE_RULES],
  },
  {
    name: 'no dirty: only digests say what is owed',
    file: 'lib/model/edge.ts',
    find: '(edge.dirty || edge.ran !== observed)',
    replace: 'edge.ran !== observed',
    tests: ['test/unit/model/edge.test.ts', EDGE_RULES],
  },
  {
    name: 'no dirty: a change while pods start is taken for read by none of them',
    file: 'lib/controller/config-controller.ts',
    find: 'mayHaveChanged && span.from < readUntil(edge, dependent, isAfterGap)',
    replace: 'false',
    tests: [EDGE_RULES],
  },
  {
    name: 'no dirty: pods that start after a late change are taken to have read one content',
    file: 'lib/controller/follow.ts',
    find: 'next.dirty || mayHaveReadBoth || ',
    replace: 'next.dirty || ',
    tests: [GUARDS],
  },
  {
    name: 'start-dirty ignored: what was owed at the start is settled by a change back',
    file: 'lib/controller/follow.ts',
    find: 'return { ...start, dirty };',
    replace: 'return start;',
    tests: [EDGE_RULES],
  },
  {
    name: 'a patch settles what changed while it was on its way',
    file: 'lib/controller/rollout.ts',
    find: 'dirty: changedSince });',
    replace: 'dirty: false });',
    tests: [ROLLOUT, EDGE_RULES],
  },
  {
    name: 'unknown never set: pods that an owner starts while a change is open are taken to have read the last content',
    file: 'lib/controller/follow.ts',
    find: 'return asUnknown(withStamp(edge, stamp));',
    replace: 'return withStamp(edge, stamp);',
    tests: [EDGE_RULES],
  },
  {
    name: 'unsettled ignored: an undo before the rollout was seen to complete says nothing',
    file: 'lib/controller/follow.ts',
    find: '!ambiguous && !edge.isUnsettled && ',
    replace: '!ambiguous && ',
    tests: [GUARDS],
  },
  {
    name: 'revert ignored: content that is the committed one again is no news',
    file: 'lib/controller/config-controller.ts',
    find: '  if (isStale(record, object, event)) return;\n  const workloads',
    replace:
      '  if (isStale(record, object, event) || edges.entryOf(object.ref)?.digest === object.digest) return;\n  const workloads',
    tests: [EDGE_RULES, ROLLOUTS],
  },
  {
    name: 'revert ignored: a change back within the window leaves its workloads owing',
    file: 'lib/controller/config-controller.ts',
    find: 'const mayHaveStarted = isInInitialList || !dependent.workload.isRolledOut;',
    replace: 'const mayHaveStarted = true;',
    tests: [WORKLOADS, ROLLOUTS],
  },
  {
    name: 'urgent write not urgent: what must not be forgotten waits for the rollouts',
    file: 'lib/controller/state-committer.ts',
    find: 'this.#urgent.add(config);',
    replace: '',
    tests: [STATE],
  },
  {
    name: 'nothing is written at once: what a restart would believe wrongly waits for the next batch',
    file: 'lib/controller/workload-controller.ts',
    find: '(isUrgent ? effects.writeNow : effects.writeSoon).add(config);',
    replace: 'effects.writeSoon.add(config);',
    tests: [WORKLOADS],
  },
  {
    name: 'requests during the creation of the state are lost',
    file: 'lib/controller/state-committer.ts',
    find: 'continue;',
    replace: '',
    tests: [STATE_CREATION],
  },
  {
    name: 'somebody else’s entry is overwritten without a fresh look at its object',
    file: 'lib/controller/known-state.ts',
    find: 'isClear &&= await lookAt(config);',
    replace: 'isClear &&= true;',
    tests: [STATE],
  },
  {
    name: 'the state is written before everything is listed',
    file: 'lib/controller/state-write.ts',
    find: 'if (!gate.isSynced(ref.namespace, ref.kind) || (',
    replace: 'if ((',
    tests: [STATE_WRITE, STATE],
  },
  {
    name: 'an entry is removed although not everything is listed',
    file: 'lib/controller/workload-controller.ts',
    find: 'if (mayAbandon) edges.abandoned.set(config, ref);',
    replace: 'edges.abandoned.set(config, ref);',
    tests: [WORKLOADS],
  },
  {
    name: 'state read after the lists',
    file: 'lib/controller/reloader.ts',
    find: 'await this.#readState(both);',
    replace: 'void this.#readState(both);',
    tests: [GUARDS],
  },
  {
    name: 'a state that cannot be read counts as none',
    file: 'lib/controller/state-store.ts',
    find: "if (reading.kind === 'failed' && !isNone) return reading;",
    replace: '',
    tests: [GUARDS],
  },
  {
    name: 'refused plan gives up',
    file: 'lib/controller/rollout-controller.ts',
    find: 'nextTryMs = this.#putOff(key, outcome.message, REFUSAL_BACKOFF);',
    replace: 'this.#settle(key);',
    tests: [ROLLOUTS],
  },
  {
    name: 'a patch without an answer counts as not in force, unasked',
    file: 'lib/controller/rollout-attempt.ts',
    find: 'return plan === undefined ? undefined : await this.#refresh(ref, plan, true);',
    replace: 'return undefined;',
    tests: [ROLLOUTS],
  },
  {
    name: 'doubt not resolved: two processes that see different contents roll in turns',
    file: 'lib/controller/follow.ts',
    find: 'if (stamp.digest !== config.digest) edges.doubted.add(key);',
    replace: '',
    tests: [GUARDS],
  },
  {
    name: 'single flight broken: two workers have one key',
    file: 'lib/queue/work-queue.ts',
    find: 'if (this.#running.has(key)) continue;',
    replace: '',
    tests: ['test/unit/queue/work-queue.test.ts', ROLLOUTS],
  },
  {
    name: 'no maximum wait: a busy source postpones its rollout for ever',
    file: 'lib/queue/quiet-period.ts',
    find: 'setTimeout(() => this.#release(key, window), maxWaitMs)',
    replace: 'setTimeout(() => undefined, maxWaitMs)',
    tests: ['test/unit/queue/quiet-period.test.ts', ROLLOUTS],
  },
  {
    name: 'index not shrunk: objects that nobody follows any more are kept',
    file: 'lib/cache/dependents-index.ts',
    find: 'if (workloads.size === 0) this.#dependents.delete(config);',
    replace: '',
    tests: ['test/unit/cache/dependents-index.test.ts'],
  },
  {
    name: 'a handler’s exception escapes the informer',
    file: 'lib/kubernetes/informer.ts',
    find: "const object = event.type === 'synced' ? this.#options.source.path : event.key;",
    replace: 'throw error;',
    tests: [INFORMER],
  },
  {
    name: '410 not relisted',
    file: 'lib/kubernetes/reflector.ts',
    find: "const relists = reason === 'expired' || ",
    replace: 'const relists = ',
    tests: [REFLECTOR],
  },
  {
    name: 'what went while the watch was away is not noticed by the list',
    file: 'lib/kubernetes/informer.ts',
    find: 'if (this.#listed.has(key)) continue;',
    replace: 'continue;',
    tests: [INFORMER],
  },
  {
    name: 'what a list shows first after a gap has come to be',
    file: 'lib/controller/config-controller.ts',
    find: 'dirty: edge.dirty || (isAfterGap && mayHaveBeenRead) };',
    replace: 'dirty: edge.dirty };',
    tests: [LATE_NEWS],
  },
  {
    name: 'what is told late was not in force when the workload began to follow it',
    file: 'lib/controller/config-controller.ts',
    find: 'if (began !== undefined && span.to <= began.from) return',
    replace: 'if (began !== undefined && span.to < 0) return',
    tests: [LATE_NEWS],
  },
  {
    name: 'what a gap hides is the same as when the workload began to follow it',
    file: 'lib/controller/config-controller.ts',
    find: 'isAfterGap && began !== undefined ? Math.max(rolledUntil, began.to) : rolledUntil',
    replace: 'rolledUntil',
    tests: [LATE_NEWS],
  },
  {
    name: 'an edge that appears believes a copied stamp',
    file: 'lib/controller/follow.ts',
    find: 'const ran = config.digest ?? ',
    replace: 'const ran = stamp?.digest ?? config.digest ?? ',
    tests: [EDGE_RULES],
  },
  {
    name: 'not born dirty: a workload that appears is taken to have read what changed after it',
    file: 'lib/controller/follow.ts',
    find: 'dirty: ran !== undefined && config.changedAt > span.from,',
    replace: 'dirty: false,',
    tests: [EDGE_RULES],
  },
  {
    name: 'a state that the API server refuses to show counts as absent',
    file: 'lib/kubernetes/state-config-map.ts',
    find: "if (error.code === 'not-found') return { kind: 'absent' };",
    replace: "return { kind: 'absent' };",
    tests: [WRITERS],
  },
  {
    name: 'the end does not wait for the patches under way',
    file: 'lib/controller/reloader.ts',
    find: 'const parts = [this.rollouts, ',
    replace: 'const parts = [',
    tests: [GUARDS],
  },
  {
    name: 'a list may come from a cache that lags behind',
    file: 'lib/kubernetes/list-watch.ts',
    find: 'limit: isWhole ? undefined : (source.pageSize ?? DEFAULT_PAGE_SIZE),',
    replace: 'limit: source.pageSize ?? DEFAULT_PAGE_SIZE, resourceVersion: 0,',
    tests: ['test/unit/kubernetes/list-watch.test.ts'],
  },
  {
    name: 'an object that cannot be read is quoted in the log',
    file: 'lib/kubernetes/informer.ts',
    find: "its last readable version stays in force', { object: key }",
    replace: "its last readable version stays in force', { object: raw }",
    tests: [INFORMER],
  },
  {
    name: 'what others wrote is markup on the status page',
    file: 'lib/telemetry/html.ts',
    find: 'return escapeHtml(String(part));',
    replace: 'return String(part);',
    tests: ['test/unit/telemetry/html.test.ts'],
  },
  {
    name: 'the status page shows every row',
    file: 'lib/telemetry/status-view.ts',
    find: 'shown: rows.slice(0, limit)',
    replace: 'shown: rows',
    tests: ['test/unit/telemetry/status-view.test.ts'],
  },
  {
    name: 'the youngest debt comes first',
    file: 'lib/telemetry/status-view.ts',
    find: '(b.owedForSeconds ?? 0) - (a.owedForSeconds ?? 0)',
    replace: '(a.owedForSeconds ?? 0) - (b.owedForSeconds ?? 0)',
    tests: ['test/unit/telemetry/status-view.test.ts'],
  },
  {
    name: 'a watch that is open still has its problem',
    file: 'lib/model/watch-health.ts',
    find: 'health.problem = undefined;',
    replace: '',
    tests: ['test/unit/model/watch-health.test.ts'],
  },
];
