/** `reloader check`: mistakes in manifests, found without a cluster. */

import { isNamespaceAnnotation, namespaceGatingMistakes } from '../../annotations/gating.ts';
import { itemsOf } from '../../annotations/name-list.ts';
import type { Vocabularies } from '../../annotations/vocabularies.ts';
import { describe, type WorkloadRef } from '../../model/object-ref.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import { count } from '../../model/text.ts';
import { type Annotations, meantIn } from '../../model/workload.ts';
import type { Store } from '../../store/store.ts';
import { CommandError } from '../connect.ts';
import type { Cause, Facts } from '../explain/cause.ts';
import { causeOf, followed } from '../explain/causes-of-workload.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';
import type { Wanted } from '../installed-reloader.ts';
import { readObject } from '../reads.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { factsIn, observeFor } from '../scene.ts';
import { rowsOf } from '../subject.ts';
import type { Paint } from '../terminal.ts';
import type { Fault, Manifest } from './documents.ts';
import { clusterOf } from './manifest-cluster.ts';
import { byObject, NO_MANIFEST, noObjectIn, readManifests, twinsIn } from './manifests.ts';
import { KNOWN_KINDS } from './shapes.ts';

/** The rules whose problems are errors. */
export const ERRORS: readonly string[] =
  'malformed misplaced mistyped unreadable invalid not-text state-named'.split(' ');
const WARNINGS =
  'duplicate unserved excluded ignored missing vocabulary-off kind-not-served kind-of-object-ignored namespace-not-watched no-reference not-matched not-asked';
const FOUND = 2;
const CHECKED_RULES: readonly string[] = [...ERRORS, ...WARNINGS.split(' ')];

function problemsOf(facts: Facts, isStrict: boolean): readonly Cause[] {
  const { store } = facts.observation;
  const isAnnotated = wordsOf(facts.workload).length > 0;
  const isRolled = followed(facts).some(({ verdict }) => verdict.asks);
  // Those of an object are problems of its own manifest.
  const elsewhere = followed(facts).flatMap(({ config: { ref, annotations } }) =>
    store.settings.vocabularies.configMistakesOf(ref, annotations).map(({ about }) => about),
  );
  return causesOf(facts).filter(({ rule, about }) => {
    if (!CHECKED_RULES.includes(rule) || elsewhere.includes(about)) return false;
    if (rule === 'not-asked') return isStrict && facts.workload.references.length > 0;
    if (rule === 'not-matched') return !isRolled;
    if (rule === 'excluded' || rule === 'ignored') return isNamed(facts, about);
    return isAnnotated || rule !== 'kind-not-served';
  });
}

function isNamed(facts: Facts, object: string): boolean {
  const { vocabularies } = facts.observation.store.settings;
  const refs = followed(facts).flatMap(({ config: { ref } }) => (describe(ref) === object ? [ref] : []));
  return vocabularies.findingsOfMissing(facts.workload, refs, () => false).length > 0;
}

/** The problems of what is no workload. */
function objectProblems(
  ref: WorkloadRef,
  { annotations, labels }: Record<'annotations' | 'labels', Annotations>,
  { settings: { vocabularies: all, readsNamespaces } }: Store,
): readonly Cause[] {
  if (ref.kind === 'Namespace') {
    const unread = readsNamespaces === true ? [] : Object.keys(annotations).filter(isNamespaceAnnotation);
    const says = 'has an effect on a Namespace only with --all-namespaces and --namespace-annotations';
    return [
      ...namespaceGatingMistakes(ref.name, annotations).map(causeOf),
      ...unread.map((about) => ({ rule: 'unserved', about, says: `${about} ${says}` })),
    ];
  }
  const misplaced = meantIn(labels, all.isConfigAnnotation).map(([about]) => {
    const says = `${about} is among the labels, where it has no effect; write the annotation ${about}`;
    return { rule: 'misplaced', about, says };
  });
  return [...all.configMistakesOf(ref, annotations).map(causeOf), ...misplaced];
}

/** One problem of a manifest. */
export interface Problem extends Fault {
  readonly level: 'error' | 'warning';
  readonly line: number;
}

/** Runs the command. */
export async function runCheck({ flags, settings, terminal }: CommandContext): Promise<Answered> {
  const { file: places = [], namespace = 'default', ignore = [], exclude } = flags;
  const unknown = ignore.find((rule) => !CHECKED_RULES.includes(rule));
  if (unknown !== undefined)
    throw new CommandError(`--ignore: expected one of ${CHECKED_RULES.join(', ')}`, 'usage');
  const all = await check(places, { namespace, settings, isStrict: flags.strict === true, exclude });
  if (all.objects + all.problems.length === 0) throw noObjectIn(places);
  const problems = all.problems.filter(({ rule }) => !ignore.includes(rule));
  const answer = { ...all, problems };
  const text = (): string => textOf(answer, terminal.paint);
  const isFound = problems.some(({ level }) => level === 'error' || flags.failOn !== 'error');
  return { answer, text, unknown: [], code: isFound ? FOUND : 0 };
}

/** How manifests are checked; the namespace is that of objects without one. */
interface CheckOptions extends Pick<Wanted, 'namespace' | 'settings'> {
  readonly isStrict: boolean;
  readonly exclude?: readonly string[] | undefined;
}

interface Checked {
  readonly objects: number;
  /** The files in folders that hold no manifest. */
  readonly otherFiles: readonly string[];
  readonly problems: readonly Problem[];
}

/** The problems of all manifests, by file and line. */
export async function check(places: readonly string[], options: CheckOptions): Promise<Checked> {
  const faults: Fault[] = [];
  const manifests = await readManifests(places, options.exclude, (fault) => faults.push(fault));
  const problems = [
    ...[...faults, ...twinsIn(manifests, options.namespace)]
      .filter(({ rule }) => rule !== NO_MANIFEST)
      .map((fault) => problemOf(fault, options)),
    ...(await problemsOfAll(manifests, options)),
  ].sort((one, other) => (one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1));
  const otherFiles = faults.filter(({ rule }) => rule === NO_MANIFEST).map(({ file }) => file);
  return { objects: manifests.length, otherFiles, problems };
}

function problemOf(fault: Fault, { namespace }: CheckOptions): Problem {
  const { rule, line = 1, object } = fault;
  const level = ERRORS.includes(rule) ? 'error' : 'warning';
  return {
    ...fault,
    level,
    line,
    ...(object && { object: { ...object, namespace: object.namespace || namespace } }),
  };
}

/** Of several about one object each is judged in its turn, as if it alone were applied. */
async function problemsOfAll(
  manifests: readonly Manifest[],
  options: CheckOptions,
): Promise<readonly Problem[]> {
  const groups = byObject(manifests, options.namespace);
  const problems: Problem[] = [];
  for (let turn = 0; groups.some((group) => turn < group.length); turn += 1) {
    const applied = groups.flatMap((group) => group[turn] ?? group.slice(-1));
    const judged = groups.flatMap((group) => group[turn] ?? []);
    problems.push(...(await problemsAmong(applied, judged, options)));
  }
  return problems;
}

async function problemsAmong(
  applied: readonly Manifest[],
  judged: readonly Manifest[],
  options: CheckOptions,
): Promise<readonly Problem[]> {
  const { namespace, settings, isStrict } = options;
  const scene = await clusterOf(applied, { namespace, settings });
  const observation = await observeFor(scene, undefined);
  const problems: Problem[] = [];
  for (const manifest of judged) {
    const row = rowsOf(scene.reloader.options).find(
      ({ kind, objectKind = kind }) => objectKind === manifest.kind,
    );
    const { namespace: own = namespace, name, annotations = {}, labels = {} } = manifest.object.metadata;
    const reading = row && (await readObject<RawWorkload>(scene.send, row, own, name));
    const { file, kind, lineOf } = manifest;
    const object = { kind, namespace: own, name };
    const causes =
      row === undefined || reading?.kind !== 'found'
        ? objectProblems(object, { annotations, labels }, observation.store)
        : problemsOf(await factsIn(scene, observation, row, reading.object), isStrict);
    const strays = KNOWN_KINDS.some((known) => known.kind === kind)
      ? straysIn(manifest.object, observation.store.settings.vocabularies)
      : [];
    for (const cause of [...causes, ...strays]) {
      const line = lineOfCause(manifest, cause) ?? lineOf();
      problems.push(problemOf({ ...cause, file, line, object }, options));
    }
  }
  await observation.end();
  return problems;
}

const PLACES = ['metadata', 'spec.template.metadata', 'spec.jobTemplate.spec.template.metadata'];
/** The places of annotations, then those of labels. */
const TEXTS = [
  ...PLACES.map((place) => `${place}.annotations`),
  ...PLACES.toReversed().map((place) => `${place}.labels`),
].map((place) => place.split('.'));

type Fields = Readonly<Partial<Record<string, unknown>>> | undefined;
const KEY = /[\w.-]+\/[\w.-]*\w/g;

/** The words in maps that no reloader reads, such as `spec.annotations`. */
function straysIn(fields: unknown, all: Vocabularies, path = ''): readonly Cause[] {
  const isRead = path === 'metadata.labels' || PLACES.some((place) => path === `${place}.annotations`);
  if (typeof fields !== 'object' || isRead) return [];
  return Object.entries(fields ?? {}).flatMap(([key, value]): readonly Cause[] => {
    const isMeant = /^(?!f:).*\//.test(key) && (all.isConfigAnnotation(key) || all.isStrayOnObject(key));
    if (!isMeant) return straysIn(value, all, path ? `${path}.${key}` : key);
    const says = `${key} is in ${path}, where it has no effect; write it in metadata.annotations`;
    return [{ rule: 'misplaced', about: key, says }];
  });
}

function lineOfCause({ object, lineOf }: Manifest, { about, says }: Cause): number | undefined {
  const text = `${about} ${says}`;
  const [, stray] = / is in (\S+), where /.exec(says) ?? [];
  if (stray !== undefined) return lineOf(...stray.split('.'), about);
  const places = text.includes('among the labels') ? TEXTS.toReversed() : TEXTS;
  const listing = Object.entries(object.metadata.annotations ?? {}).find(([, value]) =>
    itemsOf(value).some((item) => text.includes(`/${item}`)),
  );
  const [found = listing && ['metadata', 'annotations', listing[0]]] = (text.match(KEY) ?? []).flatMap(
    (key) =>
      places
        .map((place) => [...place, key])
        .filter((path) => path.reduce<unknown>((at, field) => (at as Fields)?.[field], object) !== undefined),
  );
  return found && lineOf(...found);
}

function textOf({ problems, objects, otherFiles }: Checked, paint: Paint): string {
  const lines = problems.flatMap(({ file, line, level, object, says, rule, todo }) => [
    `${file}:${line}: ${paint(level === 'error' ? 'red' : 'yellow', level)}: ${object ? `${describe(object)}: ` : ''}${says} ${paint('dim', `[${rule}]`)}`,
    ...(todo === undefined ? [] : [`    -> ${todo}`]),
  ]);
  const others = otherFiles.length;
  const note = others === 0 ? [] : [`${count(others, 'file')} without a manifest`];
  const none = problems.length === 0 ? " with the reloader's annotations" : '';
  const sum = [count(objects, 'object'), `${count(problems.length, 'problem')}${none}`, ...note].join(', ');
  return [...lines, sum, ''].join('\n');
}
