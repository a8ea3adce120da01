/** `reloader check`: the mistakes of manifests, found without a cluster. */

import { itemsOf } from '../../annotations/name-list.ts';
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
import { CHECKED_RULES, type Level, misplacedWords, problemsOf } from './check-rules.ts';
import { clusterOf } from './manifest-cluster.ts';
import { type Manifest, readManifests } from './manifests.ts';

/** One problem of a manifest. */
export interface Problem extends Cause {
  readonly level: Level;
  readonly file: string;
  readonly line: number;
  /** `Deployment/web`. */
  readonly object: string;
}

/** The exit code if there are problems. */
const FOUND = 2;
const DEFAULT_NAMESPACE = 'default';

/** Runs the command. */
export async function runCheck({ flags, settings, terminal }: CommandContext): Promise<number> {
  const { file: places = [], namespace = DEFAULT_NAMESPACE, ignore = [] } = flags;
  const unknown = ignore.find((rule) => CHECKED_RULES[rule] === undefined);
  if (unknown !== undefined)
    throw new CommandError(`--ignore: expected one of ${Object.keys(CHECKED_RULES).join(', ')}`);
  const manifests = await readManifests(places);
  const found = await withProgress(terminal, `checking ${manifests.length} objects …`, () =>
    check(manifests, { namespace, settings, isStrict: flags.strict === true }),
  );
  const problems = found.filter(({ rule }) => !ignore.includes(rule));
  await terminal.write(
    flags.output === 'sarif'
      ? `${JSON.stringify(sarifOf(problems), undefined, 2)}\n`
      : formatted(flags.output, { objects: manifests.length, problems }, () =>
          textOf(problems, manifests.length, terminal.paint),
        ),
  );
  return problems.length === 0 ? 0 : FOUND;
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
  const scene = await clusterOf(manifests, { namespace, settings });
  const observation = await observeFor(scene, undefined);
  const problems: Problem[] = [];
  for (const manifest of manifests) {
    const row = rowsOf(scene.reloader.options).find(
      ({ kind, objectKind = kind }) => objectKind === manifest.kind,
    );
    const own = manifest.object.metadata.namespace ?? namespace;
    const reading =
      row && (await readObject<RawWorkload>(scene.send, row, own, manifest.object.metadata.name));
    const causes =
      row === undefined || reading?.kind !== 'found'
        ? misplacedWords(manifest.object, manifest.kind, observation.store.settings.vocabularies)
        : problemsOf(await factsIn(scene, observation, row, reading.object), isStrict);
    problems.push(...causes.map((cause) => problemIn(manifest, cause)));
  }
  await observation.end();
  return problems;
}

function problemIn(manifest: Manifest, cause: Cause): Problem {
  const { file, kind, object, lineOf } = manifest;
  const level = CHECKED_RULES[cause.rule]?.[0] ?? 'warning';
  return {
    ...cause,
    level,
    file,
    line: lineOfCause(manifest, cause) ?? lineOf(),
    object: `${kind}/${object.metadata.name}`,
  };
}

/** The line of the first annotation whose key, or an item of whose list, the problem mentions; undefined: it mentions none. */
function lineOfCause({ object, lineOf }: Manifest, { about, says }: Cause): number | undefined {
  const text = `${about} ${says}`;
  const { annotations = {} } = object.metadata;
  const onTemplate = (object as RawWorkload).spec?.template?.metadata?.annotations ?? {};
  const keyIn = (words: Readonly<Record<string, string>>): string | undefined =>
    Object.keys(words).find((key) => text.includes(key));
  const listing = Object.entries(annotations).find(([, value]) =>
    itemsOf(value).some((item) => text.includes(`/${item}`)),
  );
  const template = keyIn(onTemplate);
  const own = keyIn(annotations) ?? (template === undefined ? listing?.[0] : undefined);
  if (own !== undefined) return lineOf('metadata', 'annotations', own);
  if (template === undefined) return undefined;
  return lineOf('spec', 'template', 'metadata', 'annotations', template);
}

function textOf(problems: readonly Problem[], objects: number, paint: Paint): string {
  const lines = problems.flatMap(({ file, line, level, object, says, rule, todo }) => [
    `${file}:${line}: ${paint(level === 'error' ? 'red' : 'yellow', level)}: ${object}: ${says} ${paint('dim', `[${rule}]`)}`,
    ...(todo === undefined ? [] : [`    -> ${todo}`]),
  ]);
  const sum = `${count(objects, 'object')}, ${count(problems.length, 'problem')}`;
  return [...lines, sum, ''].join('\n');
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
  const text = [`${object}: ${says}`, ...(todo === undefined ? [] : [todo])].join('; ');
  const uri = file.split('/').map(encodeURIComponent).join('/');
  const physicalLocation = { artifactLocation: { uri }, region: { startLine: line } };
  return { ruleId: rule, level, message: { text }, locations: [{ physicalLocation }] };
}
