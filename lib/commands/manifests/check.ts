/** `reloader check`: the mistakes of manifests, found without a cluster. */

import { itemsOf } from '../../annotations/name-list.ts';
import { configKindOf, describe, type WorkloadRef } from '../../model/object-ref.ts';
import type { RawWorkload } from '../../model/raw-objects.ts';
import { count } from '../../model/text.ts';
import { VERSION } from '../../options/version.ts';
import { CommandError } from '../connect.ts';
import type { Cause } from '../explain/cause.ts';
import type { Wanted } from '../installed-reloader.ts';
import { readObject } from '../reads.ts';
import type { CommandContext } from '../run-command.ts';
import { factsIn, observeFor } from '../scene.ts';
import { rowsOf } from '../subject.ts';
import { formatted, type Paint, withProgress } from '../terminal.ts';
import { CHECKED_RULES, type Level, objectProblems, problemsOf } from './check-rules.ts';
import { clusterOf } from './manifest-cluster.ts';
import { type Manifest, noObjectIn, readManifests } from './manifests.ts';

/** One problem of a manifest. */
export interface Problem extends Cause {
  readonly level: Level;
  readonly file: string;
  readonly line: number;
  /** Absent if the file itself is the problem. */
  readonly object?: WorkloadRef;
}

/** The exit code if there are problems. */
const FOUND = 2;
const DEFAULT_NAMESPACE = 'default';

/** Runs the command. */
export async function runCheck({ flags, settings, terminal }: CommandContext): Promise<number> {
  const { file: places = [], namespace = DEFAULT_NAMESPACE, ignore = [], exclude } = flags;
  const unknown = ignore.find((rule) => CHECKED_RULES[rule] === undefined);
  if (unknown !== undefined)
    throw new CommandError(`--ignore: expected one of ${Object.keys(CHECKED_RULES).join(', ')}`);
  const unreadable: Problem[] = [];
  const manifests = await readManifests(places, exclude, (file, line = 1, says) => {
    unreadable.push({ rule: 'unreadable', level: 'error', about: file, says, file, line });
    return [];
  });
  if (manifests.length + unreadable.length === 0) throw noObjectIn(places);
  const found = await withProgress(terminal, `checking ${manifests.length} objects …`, () =>
    check(manifests, { namespace, settings, isStrict: flags.strict === true }),
  );
  const problems = [...unreadable, ...found]
    .filter(({ rule }) => !ignore.includes(rule))
    .sort((one, other) => (one.file === other.file ? one.line - other.line : one.file < other.file ? -1 : 1));
  await terminal.write(
    flags.output === 'sarif'
      ? `${JSON.stringify(sarifOf(problems), undefined, 2)}\n`
      : formatted(flags.output, { objects: manifests.length, problems }, () =>
          textOf(problems, manifests.length, terminal.paint),
        ),
  );
  return problems.some(({ level }) => level === 'error' || flags.failOn !== 'error') ? FOUND : 0;
}

/** How manifests are checked; the namespace is that of objects without one. */
interface CheckOptions extends Pick<Wanted, 'namespace' | 'settings'> {
  readonly isStrict: boolean;
}

/** The problems of all manifests, in their order. */
export async function check(
  manifests: readonly Manifest[],
  { namespace, settings, isStrict }: CheckOptions,
): Promise<readonly Problem[]> {
  // First, since values that are no texts are read as texts from here on.
  const problems = manifests.flatMap((manifest) => notTexts(manifest, namespace));
  const scene = await clusterOf(manifests, { namespace, settings });
  const observation = await observeFor(scene, undefined);
  for (const manifest of manifests) {
    const row = rowsOf(scene.reloader.options).find(
      ({ kind, objectKind = kind }) => objectKind === manifest.kind,
    );
    const { namespace: own = namespace, name, annotations = {} } = manifest.object.metadata;
    const reading = row && (await readObject<RawWorkload>(scene.send, row, own, name));
    const causes =
      row === undefined || reading?.kind !== 'found'
        ? objectProblems(
            { kind: manifest.kind, namespace: own, name },
            annotations,
            observation.store.settings.vocabularies,
          )
        : problemsOf(await factsIn(scene, observation, row, reading.object), isStrict);
    problems.push(...causes.map((cause) => problemIn(manifest, cause, namespace)));
  }
  await observation.end();
  return problems;
}

function problemIn(manifest: Manifest, cause: Cause, namespace: string, line?: number): Problem {
  const { file, kind, object, lineOf } = manifest;
  const { namespace: own = namespace, name } = object.metadata;
  const level = CHECKED_RULES[cause.rule]?.[0] ?? 'warning';
  const at = line ?? lineOfCause(manifest, cause) ?? lineOf();
  return { ...cause, level, file, line: at, object: { kind, namespace: own, name } };
}

/** The places of annotations and labels, and the content of objects: all values are texts. */
const TEXTS = ['metadata', 'spec.template.metadata', 'spec.jobTemplate.spec.template.metadata']
  .flatMap((place) => [`${place}.annotations`, `${place}.labels`])
  .map((place) => place.split('.'));
const CONTENTS = [['data'], ['stringData']];

/** The values that the API server refuses, since they are no texts; they are texts afterwards. */
function notTexts(manifest: Manifest, namespace: string): readonly Problem[] {
  const { kind, object, lineOf } = manifest;
  const places = configKindOf(kind) === undefined ? TEXTS : [...TEXTS, ...CONTENTS];
  return places.flatMap((place) => {
    const words = wordsAt(object, place);
    const wrong = Object.keys(words).filter((key) => typeof words[key] !== 'string');
    return wrong.map((key) => {
      const value = words[key];
      words[key] = String(value);
      const about = [...place, key].join('.');
      const says = `${about} is a ${typeof value}, not a string: the API server refuses the manifest`;
      const cause = { rule: 'not-text', about, says, todo: 'put the value in quotes' };
      return problemIn(manifest, cause, namespace, lineOf(...place, key));
    });
  });
}

function wordsAt(object: object, place: readonly string[]): Record<string, unknown> {
  let at: unknown = object;
  for (const field of place) at = (at as Partial<Record<string, unknown>> | null | undefined)?.[field];
  return typeof at === 'object' && at !== null ? (at as Record<string, unknown>) : {};
}

/** The line of the annotation or label that the problem mentions, or an item of whose list; undefined: it mentions none. */
function lineOfCause({ object, lineOf }: Manifest, { about, says }: Cause): number | undefined {
  const text = `${about} ${says}`;
  const mentioned = TEXTS.flatMap((place) =>
    Object.keys(wordsAt(object, place))
      .filter((key) => key.includes('/') && text.includes(key))
      .map((key) => [...place, key]),
  ).sort((one, other) => startIn(text, one) - startIn(text, other));
  const listing = Object.entries(object.metadata.annotations ?? {}).find(([, value]) =>
    itemsOf(value).some((item) => text.includes(`/${item}`)),
  );
  if (mentioned[0] !== undefined) return lineOf(...mentioned[0]);
  return listing && lineOf('metadata', 'annotations', listing[0]);
}

/** Where the text mentions an annotation first; of two, the longer key comes first. */
function startIn(text: string, fields: readonly string[]): number {
  const key = fields.at(-1) ?? '';
  return text.indexOf(key) - key.length / text.length;
}

function textOf(problems: readonly Problem[], objects: number, paint: Paint): string {
  const lines = problems.flatMap(({ file, line, level, object, says, rule, todo }) => [
    `${file}:${line}: ${paint(level === 'error' ? 'red' : 'yellow', level)}: ${nameOf(object)}${says} ${paint('dim', `[${rule}]`)}`,
    ...(todo === undefined ? [] : [`    -> ${todo}`]),
  ]);
  const sum = `${count(objects, 'object')}, ${count(problems.length, 'problem')}`;
  return [...lines, sum, ''].join('\n');
}

function nameOf(object: WorkloadRef | undefined): string {
  return object === undefined ? '' : `${describe(object)}: `;
}

/** Problems in the format SARIF 2.1.0, which code hosts show beside the lines of a pull request. */
export function sarifOf(problems: readonly Problem[]): object {
  const rules = Object.entries(CHECKED_RULES).map(([id, [level, text]]) => ({
    id,
    shortDescription: { text },
    defaultConfiguration: { level },
  }));
  const driver = { name: 'kubernetes-reloader', version: VERSION, rules };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results: problems.map(resultOf) }],
  };
}

function resultOf({ rule, level, file, line, object, says, todo }: Problem): object {
  const text = [`${nameOf(object)}${says}`, ...(todo === undefined ? [] : [todo])].join('; ');
  const uri = file.split('/').map(encodeURIComponent).join('/');
  const physicalLocation = { artifactLocation: { uri }, region: { startLine: line } };
  return { ruleId: rule, level, message: { text }, locations: [{ physicalLocation }] };
}
