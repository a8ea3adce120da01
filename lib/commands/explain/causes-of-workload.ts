/** Causes in the workload, its objects, or the moment. */

import { annotateCommand } from '../../annotations/stage-news.ts';
import { everyVocabulary } from '../../annotations/vocabularies.ts';
import { type Vocabulary, workloadKeysOf } from '../../annotations/vocabulary.ts';
import { blocksOf } from '../../blockers/blockers.ts';
import type { Finding } from '../../model/finding.ts';
import { holdOrPause, whenTaken } from '../../model/hold.ts';
import { type ConfigRef, describe, isMountedKind, keyOf, wholeKeyOf } from '../../model/object-ref.ts';
import { POLICIES, type PolicyReason, type Verdict } from '../../model/reasons.ts';
import { parseBool } from '../../model/text.ts';
import type { Workload } from '../../model/workload.ts';
import { configKindsOf, workloadKindsOf } from '../../options/options.ts';
import type { ConfigRecord, WorkloadRecord } from '../../store/records.ts';
import { judge, needsRollout } from '../../tracking/edge-policy.ts';
import { hasEntry, hidesNamespaces, type Observation } from '../observation.ts';
import { rightsKeyOf } from '../reloader-rights.ts';
import type { Block, Cause, CauseRule, Facts } from './cause.ts';
import { objectsIgnored } from './causes-of-setting.ts';
import { decidingWords, wordsOf, wordText } from './policy-words.ts';

/** The rules, in the order in which a person should look at them. */
export const WORKLOAD_RULES: readonly CauseRule[] = [
  ({ findings: found }) => found.map(causeOf),
  unseenObjects,
  asksForNothing,
  (facts) => refused(facts, (because) => because === 'not-asked'),
  mentionedOnly,
  (facts) => refused(facts, (because) => because !== 'not-asked'),
  firstSeen,
  blocked,
  unfinished,
  outdated,
];

/** Why nothing is ever written to it: then no other cause counts. */
export function leftAlone({ raw, workload }: Pick<Facts, 'raw' | 'workload'>): Cause | undefined {
  if (raw.metadata.deletionTimestamp !== undefined)
    return { rule: 'deleted', about: 'metadata.deletionTimestamp', says: 'it is being deleted' };
  if (!workload.isLeftAlone) return undefined;
  const { finalizers = [] } = raw.metadata;
  const says = `Jobs with a finalizer (${finalizers.join(', ')}) are left alone`;
  if (finalizers.length > 0) return { rule: 'finalizer', about: 'finalizers', says };
  const copy = 'it is the placeholder of a Job that the reloader creates anew, and is deleted then';
  if (workload.isCopy) return { rule: 'managed', about: 'Job', says: copy };
  const managed = 'a CronJob manages it, and would take back what is written here';
  return { rule: 'managed', about: 'CronJob', says: managed, todo: 'annotate the CronJob, and explain it' };
}

/** Objects that the reloader does not see, unless a finding says the same. */
function unseenObjects({ unseen, findings: found }: Facts): readonly Cause[] {
  return unseen.filter(
    ({ rule, about }) => !found.some((each) => each.reason === rule && each.about.includes(about)),
  );
}

/** What the controller itself finds: its sentences have the correction. */
export function causeOf({ reason, about, message }: Finding): Cause {
  return { rule: reason, about, says: message };
}

function asksForNothing(facts: Facts): Cause | undefined {
  const { row, workload, record, reloader, observation, findings: found } = facts;
  if (found.some(({ reason }) => reason === 'mistyped' || reason === 'misplaced')) return undefined;
  const { options } = reloader;
  const keys = readBy(facts).flatMap(workloadKeysOf);
  const asking = wordsOf(workload).filter(({ key }) => keys.includes(key));
  const off = asking.filter(({ value }) => parseBool(value) === false);
  const isAll = options.autoReloadAll && off.length === 0;
  if (record !== undefined || isAll) return undefined;
  const bad = found.filter(({ reason }) => reason === 'malformed');
  const isBad = (key: string): boolean => bad.some(({ about }) => about.startsWith(`${key}: `));
  const on = asking.filter((word) => !off.includes(word) && !isBad(word.key)).map(({ key }) => key);
  const sources: readonly string[] = configKindsOf(options);
  const isListed = workloadKindsOf(options).some((each) => each.kind === row.kind);
  const isWatched = isListed && objectsIgnored(facts).length === 0;
  const isRead = observation.unread.every(({ kind }) => kind !== row.kind && !sources.includes(kind));
  if (on.length > 0) {
    const about = on.join(', ');
    const says = `${about}: its pods refer to no object for which that asks`;
    const todo = 'name the objects in an annotation, or mount them';
    return isWatched && isRead ? { rule: 'no-reference', about, says, todo } : undefined;
  }
  const by = off.length === 0 ? '' : ` (${off.map(wordText).join(', ')})`;
  const cause = { rule: 'not-asked', about: 'annotations', says: `no annotation asks for anything${by}` };
  const auto = keyToWrite(facts, (words) => words.auto);
  if (!workload.references.some((each) => sources.includes(each.kind)) || !auto) return cause;
  return { ...cause, todo: annotateCommand(workload.ref, `${auto}=true`) };
}

function readBy({ reloader: { options } }: Facts): readonly Vocabulary[] {
  return everyVocabulary(options).filter(({ name }) => options.dialects.includes(name));
}

/** An annotation that a flag names, else that of the first vocabulary. */
function keyToWrite(facts: Facts, wordIn: (words: Vocabulary) => string | undefined): string | undefined {
  const all = readBy(facts).filter(wordIn);
  const own = all.find((words) => !wordIn(words)?.includes(words.domain)) ?? all[0];
  return own && wordIn(own);
}

function naming(facts: Facts, { kind, name }: Pick<ConfigRef, 'kind' | 'name'>): Pick<Cause, 'todo'> {
  const key = keyToWrite(facts, ({ named }) => named[kind].at(-1));
  return { ...(key && { todo: `add ${name} to ${key}` }) };
}

function mentionedOnly(facts: Facts): readonly Cause[] {
  const { workload, record, observation } = facts;
  if (record === undefined) return [];
  const { namespace } = workload.ref;
  const followed = new Set([...record.edges.keys()].map(wholeKeyOf));
  const { vocabularies } = observation.store.settings;
  return workload.references.flatMap(({ kind, name }) => {
    const ref = { kind, namespace, name };
    const isAsked = followed.has(keyOf(ref)) || vocabularies.judge(workload, ref, {}).asks;
    if (isAsked || isMountedKind(kind)) return [];
    const about = describe(ref);
    const says = `its pods read ${about}, and no annotation asks for it`;
    return [{ rule: 'not-asked', about, says, ...naming(facts, ref) }];
  });
}

function refused(facts: Facts, applies: (because: PolicyReason) => boolean): readonly Cause[] {
  const { observation } = facts;
  return followed(facts).flatMap(({ config, verdict }): readonly Cause[] => {
    const isGuessed =
      verdict.because === 'unselected' && (hidesNamespaces(observation) || facts.reloader.unknown.length > 0);
    if (verdict.asks || isGuessed || !applies(verdict.because)) return [];
    const words = decidingWords(observation.store.settings.vocabularies, facts.workload, config);
    const keys = words.map(({ key }) => key);
    const about = describe(config.ref);
    const by = keys.length === 0 ? '' : ` (${keys.join(', ')})`;
    const says = `${about} rolls nothing: ${POLICIES[verdict.because]}${by}`;
    const todo = TODOS[verdict.because]?.(config.ref, keys[0] ?? '');
    const remedy = todo === undefined ? naming(facts, config.ref) : { todo };
    return [{ rule: verdict.because, about, says, ...remedy }];
  });
}

/** By reason, what to do, where that is not to name the object. */
const TODOS: Readonly<Partial<Record<PolicyReason, (ref: ConfigRef, key: string) => string>>> = {
  excluded: ({ name }, key) => `take ${name} out of ${key}`,
  ignored: (ref, key) => `take the annotation ${key} away from ${describe(ref)}`,
  disabled: (_, key) => `take the label ${key} away from the workload`,
  'not-matched': (ref, key) => `write ${key.replace(/search$/, 'match')}: "true" on ${describe(ref)}`,
  finished: () => 'nothing: it has finished; --job-reload=recreate would create finished Jobs anew',
  suspended: () => 'nothing: pods that start later read what is current then',
  unselected: () => 'give the namespace the labels of --namespace-selector',
  state: ({ name }) => `take ${name} out of the annotation: a reloader writes its state there`,
};

function firstSeen(facts: Facts): readonly Cause[] {
  if (facts.observation.state.is !== 'read') return [];
  return followed(facts).flatMap(({ config: { ref, digest }, verdict }): readonly Cause[] => {
    if (!verdict.asks || digest === undefined || hasEntry(facts.observation, ref)) return [];
    const about = describe(ref);
    const says = `the state has no entry of ${about}: what the reloader lists first rolls nothing, and later changes do`;
    const todo = 'if it changed before the workload asked for it, kubectl rollout restart';
    return [{ rule: 'baseline', about, says, todo }];
  });
}

/** What keeps it from being rolled now, what decides first. */
export function blocksIn({ observation, record, leader, reloader: { now } }: Facts): readonly Block[] {
  if (record === undefined) return [];
  const { blockers } = observation.controllers.rollouts;
  const known = hidesNamespaces(observation) ? [] : blocksOf(blockers, record, now);
  const blocks = typeof leader === 'string' ? [] : [leader];
  for (const block of known) if (block.reason !== blocks[0]?.reason) blocks.push(block);
  return blocks;
}

function blocked(facts: Facts): readonly Cause[] {
  return blocksIn(facts).map(({ reason, message }) => {
    return { rule: reason, about: reason, says: message, blocks: true };
  });
}

/** How far its rollout has come. */
export function rolloutText({ row, raw, workload }: Facts): string {
  if (workload.isComplete) return 'every pod runs the present template';
  if (!row.isObserved(raw)) return 'its controller has not seen the present template yet';
  const { updated, old } = row.pods(raw);
  // Not every custom resource has these numbers.
  if (old > 0 && row.isOptional !== true) return `pods of an older template: ${old} of ${updated + old}`;
  return 'its controller does not count it as complete';
}

function unfinished(facts: Facts): Cause | undefined {
  const { workload, record, findings: found } = facts;
  const { kind, namespace, name } = workload.ref;
  const hold = holdOrPause(workload.hold, workload.isPaused);
  if (hold) {
    const isFound = found.some(({ reason }) => reason === 'paused' || reason === 'pods-not-replaced');
    const says = whenTaken(hold, workload.ref);
    return isFound ? undefined : { rule: 'pods-not-replaced', about: hold.type, says };
  }
  if (record === undefined || workload.isComplete) return undefined;
  const says = `not every pod is of the present template and ready (${rolloutText(facts)})`;
  const todo = `kubectl -n ${namespace} describe ${kind.toLowerCase()}/${name} says what it waits for`;
  return { rule: 'rolling-out', about: `${kind}/${name}`, says, todo };
}

function outdated(facts: Facts): Cause | undefined {
  const { store, isServed } = facts.observation;
  const { ref } = facts.workload;
  if (isKept(facts) || !needsRollout(store, keyOf(ref))) return undefined;
  const changed = 'what it follows has changed since what its pods run was recorded';
  const says = isServed ? 'it is out of date' : changed;
  return { rule: 'needs-rollout', about: ref.name, says };
}

function isKept(facts: Facts): boolean {
  return blocksIn(facts).length > 0 || facts.findings.some(({ reason }) => reason === 'paused');
}

/** Why it is unknown when a workload that is out of date is rolled. */
export function timeUnknown(facts: Facts): readonly string[] {
  const { reloader, observation, record, leader } = facts;
  const key = rightsKeyOf(observation.store, facts.workload.ref);
  const isKnown = reloader.lacks?.has(key) || isKept(facts);
  if (reloader.installation === undefined || record === undefined || isKnown) return [];
  const { blockers } = observation.controllers.rollouts;
  const unknown = blockers
    .filter((each) => each.check(record, reloader.now) === 'unknown')
    .map(({ name }) => name);
  const names = ['failed attempts', 'recent rollouts', ...unknown];
  const what = `the running reloader alone knows ${names.join(', ')}`;
  return [`whether and when what is out of date is rolled: ${what}, and ${leader}`];
}

/** An object that a workload follows, and whether it is rolled for it. */
export interface Followed {
  readonly record: WorkloadRecord;
  readonly workload: Workload;
  readonly config: ConfigRecord;
  readonly verdict: Verdict;
}

/** Each workload with each object that it follows. */
export function allFollowed(observation: Pick<Observation, 'store'>): readonly Followed[] {
  return [...observation.store.workloads.values()].flatMap((record) => followed({ observation, record }));
}

/** The objects that it follows. */
export function followed({
  observation: { store },
  record,
}: Pick<Facts, 'record'> & { observation: Pick<Observation, 'store'> }): readonly Followed[] {
  return [...(record?.edges.keys() ?? [])].flatMap((key) => {
    const config = store.configs.get(key);
    if (record === undefined || config === undefined) return [];
    return [{ record, workload: record.workload, config, verdict: judge(store, record, config) }];
  });
}
