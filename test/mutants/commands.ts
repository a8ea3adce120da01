/** Sabotages of the commands. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const ANSWERS = 'test/unit/commands/explanation.test.ts';
const SETTINGS = 'test/unit/commands/causes-of-setting.test.ts';
const WORKLOADS = 'test/unit/commands/causes-of-workload.test.ts';
const CHECK = 'test/unit/commands/check.test.ts';
const PLAN = 'test/unit/commands/plan.test.ts';
const TIMING = 'test/unit/commands/plan-timing.test.ts';
const GRAPH = 'test/unit/commands/graph.test.ts';
const STATE = 'test/unit/commands/state.test.ts';
const IMPORT = 'test/unit/commands/state-import.test.ts';
const TOP = 'test/unit/commands/top.test.ts';
const TOP_TEXT = 'test/unit/commands/top-text.test.ts';
const SCREEN = 'test/unit/commands/top-screen.test.ts';
const MIGRATE = 'test/unit/commands/migrate/migration.test.ts';
const MIGRATE_SETTINGS = 'test/unit/commands/migrate/settings.test.ts';
const DIFFERENCES = 'test/unit/commands/migrate/differences.test.ts';
const READS = 'test/unit/commands/reads.test.ts';

/** Every one of them must be noticed. */
export const COMMAND_MUTANTS: readonly Mutant[] = [
  {
    name: 'commands: a write is sent',
    edit: change('readOnly', "request.method !== 'GET' && isReview !== true", 'false'),
    tests: [READS],
  },
  {
    name: 'commands: a watch is opened',
    edit: change('readOnly', 'isWatch(request.path)', 'false'),
    tests: [READS],
  },
  {
    name: 'explain: the flags of the installed reloader do not count',
    edit: change('installed', 'optionsOf()', 'optionsOf(settings, {})'),
    tests: [SETTINGS],
  },
  {
    name: 'explain: a state that may not be read counts as none',
    edit: change('accessToState', 'reading.isForbidden !== true', 'true'),
    tests: [WORKLOADS],
  },
  {
    name: 'explain: an object that may not be listed counts as absent',
    edit: change('unreadOf', 'isListed || problem === undefined', 'true'),
    tests: [WORKLOADS],
  },
  {
    name: 'explain: a baseline counts as an entry of the state',
    edit: change(
      'hasEntry',
      "state.is === 'read' && state.keys.has()",
      'store.persisted.entryOf(ref) !== undefined',
    ),
    tests: [WORKLOADS],
  },
  {
    name: 'explain: objects of other namespaces are not looked at',
    edit: change('factsOf', 'served.length === 0', 'true'),
    tests: [WORKLOADS],
  },
  {
    name: 'explain: an annotation that changes nothing is named as the reason',
    edit: change('decidingWords', "verdict.asks && word.on !== 'object' && judgeWith().asks", 'true'),
    tests: [ANSWERS],
  },
  {
    name: 'explain: without the right to the state pods count as up to date',
    edit: change('followedObject', "state.is === 'read'", 'true'),
    tests: [ANSWERS],
  },
  {
    name: 'check: what is not annotated is a problem without --strict',
    edit: change('problemsOf', 'isStrict && facts.workload.references.length > 0', 'true'),
    tests: [CHECK],
  },
  {
    name: 'check: the reloader of the set does not count',
    edit: change(
      'check/check',
      'const reloader = await findReloader();',
      'const reloader = settingsAlone({ namespace, settings }, []);',
    ),
    tests: [CHECK],
  },
  {
    name: 'check: the text of a manifest is quoted',
    edit: change('manifestsIn', 'error.code', 'error.message'),
    tests: [CHECK],
  },
  {
    name: 'plan: what was out of date before is counted',
    edit: change('rolloutsOf', 'before.get(key)?.includes(config) !== true', 'true'),
    tests: [PLAN],
  },
  {
    name: 'plan: the rollout of its owner is one of the reloader',
    edit: change('keptOf', 'record.externalRollout === undefined', 'true'),
    tests: [PLAN],
  },
  {
    name: 'plan: what the API server has filled in counts as a change',
    edit: change(
      'apply/mergedList',
      'wanted.map((item) => merged(byKey.get((item as Json)[key]), item, isStamp))',
      'wanted',
    ),
    tests: [PLAN],
  },
  {
    name: 'plan: workloads are applied before objects',
    edit: change('plan/plan', '[true, false]', '[false, true]'),
    tests: [PLAN],
  },
  {
    name: 'plan: an applied manifest removes stamps',
    edit: change('apply/mergedList', "isStamp(String((item as Json)['name']))", 'false'),
    tests: [PLAN],
  },
  {
    name: 'plan: what is held holds up the stages',
    edit: drop('timingsOf', 'gates.close(key, gate)'),
    tests: [TIMING],
  },
  {
    name: 'plan: a halt keeps nothing',
    edit: change('haltIn', "gate?.type === 'halt'", 'false'),
    tests: [TIMING],
  },
  {
    name: 'plan: only the window of the flags counts',
    edit: change('windowText', 'windows.opened()', '{ quietMs: 5000, maxWaitMs: 30_000 }'),
    tests: [TIMING],
  },
  {
    name: 'plan: an urgent change has stages',
    edit: change('timingsOf', 'isUrgentFor(store, record)', 'false'),
    tests: [TIMING],
  },
  {
    name: 'plan: what a person rolls counts as rolled by the reloader',
    edit: change('keptTiming', "type === 'notify-only'", 'false'),
    tests: [TIMING],
  },
  {
    name: 'plan: the first of a stage has the turn of the stage before',
    edit: change('turnsOf', 'begun + place < end', 'begun + place <= end'),
    tests: ['test/unit/rollout/stage-plan.test.ts'],
  },
  {
    name: 'graph: the filters do not count',
    edit: change('graphOf', '!filter.isOutdated', 'true'),
    tests: [GRAPH],
  },
  {
    name: 'graph: without the right to the state pods count as up to date',
    edit: change('explanation/podsOf', "state.is === 'forbidden'", 'false'),
    tests: [GRAPH, ANSWERS],
  },
  {
    name: 'graph: names are not escaped',
    edit: change('dotText', "text.replaceAll('&', '&amp;').replaceAll()", 'text'),
    tests: [GRAPH],
  },
  {
    name: 'graph: a workload that is out of date with one object is not, if another is up to date',
    edit: change('statesIn', "states.get(workload) !== 'out of date'", 'true'),
    tests: [GRAPH],
  },
  {
    name: 'graph: a picture may have any number of edges',
    edit: change('pictures', 'length > MOST_EDGES', 'false'),
    tests: [GRAPH],
  },
  {
    name: 'graph: a picture is silent about what was not readable',
    edit: change('pageOf', 'unreadLines()', '[]'),
    tests: [GRAPH],
  },
  {
    name: 'graph: a picture is light only',
    edit: change('picture/svgOf', 'verbatim(STYLE)', "''"),
    tests: [GRAPH],
  },
  {
    name: 'state: verify takes an override of no workload for sound',
    edit: change('overridesOfNone', 'store.workloads.has(keyOf(ref))', 'true'),
    tests: [STATE],
  },
  {
    name: 'state: diff compares with what a dry run has committed in memory',
    edit: change('stepOf', 'stored.all.entries.get()', 'store.persisted.entryOf(ref)'),
    tests: [STATE],
  },
  {
    name: 'state: an exported edge that is out of date is up to date',
    edit: change('exportedState', '!isOutdatedOn(store, record, object, edge)', 'true'),
    tests: [IMPORT],
  },
  {
    name: 'state: an imported edge that was out of date is up to date',
    edit: change('believe', 'isTold ?? !isOutdatedOn()', 'true'),
    tests: [IMPORT],
  },
  {
    name: 'state: what a dry run has committed in memory counts as written',
    edit: drop('import-state/commit', 'store.persisted.state = NO_STATE;'),
    tests: [IMPORT],
  },
  {
    name: 'state: an import goes on with digests without a key',
    edit: change('chosenDigests', "options.digests === 'keyed' && keyring.own === SHA1", 'false'),
    tests: [IMPORT],
  },
  {
    name: 'state: an import that is refused counts as done',
    edit: change('import-state/commit', 'refusal === undefined', 'true'),
    tests: [IMPORT],
  },
  {
    name: 'state: forget leaves what stands beside the entry',
    edit: change('changeOf', '!entries.includes()', 'true'),
    tests: [STATE],
  },
  {
    name: 'state: forget drops objects whose names begin the same',
    edit: change('isEntryOf', 'keyOf(wholeOf(ref)) === keyOf(object)', 'key.includes(object.name)'),
    tests: [STATE],
  },
  {
    name: 'top: a standby counts as the leader',
    edit: change('isOfLeader', 'leader?.isThis !== false', 'true'),
    tests: [TOP],
  },
  {
    name: 'top: what the reloader rolls is unknown to a person who observes',
    edit: change('observing', 'known.totals.outdated === 0', 'true'),
    tests: [TOP],
  },
  {
    name: 'top: no watch is opened',
    edit: change('observe', 'readOnly(send, answer, isLive)', 'readOnly(send, answer)'),
    tests: [TOP],
  },
  {
    name: 'top: other namespaces are shown too',
    edit: change('topOf', 'each.namespace === namespace', 'true'),
    tests: [TOP_TEXT],
  },
  {
    name: 'top: no column gets narrower',
    edit: change('tableLines', 'width - excess', 'width'),
    tests: [TOP_TEXT],
  },
  {
    name: 'top: what is told reaches the terminal with its control characters',
    edit: change('paintCut', "text.replaceAll(/\\p{Cc}/gu, ' ')", 'text'),
    tests: [TOP_TEXT],
  },
  {
    name: 'top: an error of the program leaves the terminal without a cursor',
    edit: drop('openScreen', "signals.on('exit', close)"),
    tests: [SCREEN],
  },
  {
    name: 'top: a read that fails ends the table',
    edit: change('showLive', 'error instanceof CommandError', 'false'),
    tests: [SCREEN],
  },
  {
    name: 'migrate: what the other one missed is not rolled',
    edit: change('take-over/rolloutOf', 'refs.length === 0', 'true'),
    tests: [MIGRATE],
  },
  {
    name: 'migrate: comparisons are not waited for',
    edit: change('untilCompared', 'open().length === 0', 'true'),
    tests: [MIGRATE],
  },
  {
    name: 'migrate: without the right to ReplicaSets nothing is unknown',
    edit: change('takeOverOf', 'ages.length > 0 && stamped.length > 0', 'false'),
    tests: [MIGRATE],
  },
  {
    name: 'migrate: this program is taken for the other one',
    edit: change('isIt', "metadata.labels?.['app.kubernetes.io/name'] === OURS", 'false'),
    tests: [MIGRATE],
  },
  {
    name: 'migrate: a webhook that is left counts as ready',
    edit: change(
      'migration/isReady',
      'rollouts.length + unknown.length + webhooks.length',
      'rollouts.length + unknown.length',
    ),
    tests: [MIGRATE],
  },
  {
    name: 'migrate: a secret of the values is written',
    edit: change(
      'valuesOfStakater',
      '[...secretRows(values), ...idleRows(values, IDLE)]',
      'idleRows(values, IDLE)',
    ),
    tests: [MIGRATE_SETTINGS],
  },
  {
    name: 'migrate: a secret flag becomes an argument',
    edit: change(
      'isArgument',
      "TYPES[flag.type].isSecret === true || !source.startsWith('--')",
      "!source.startsWith('--')",
    ),
    tests: [MIGRATE_SETTINGS],
  },
  {
    name: 'migrate: a bar in brackets parts an expression',
    edit: change('difference-rules/partsOf', "letter === '|' && depth === 0", "letter === '|'"),
    tests: [DIFFERENCES],
  },
];
