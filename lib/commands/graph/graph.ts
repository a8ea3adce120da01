/** `reloader graph`: who follows what, as text, or as a picture. */

import {
  configRefIn,
  nameIn,
  namespaceIn,
  type ObjectKey,
  wholeKeyOf,
  workloadRefIn,
} from '../../model/object-ref.ts';
import { judge } from '../../tracking/edge-policy.ts';
import { CommandError } from '../connect.ts';
import type { Cause } from '../explain/cause.ts';
import { notWatched } from '../explain/causes-of-setting.ts';
import { type FollowedObject, podsOf, unrecorded, whatIsUnknown } from '../explain/explanation.ts';
import { causeLines, unknownLines, unreadLines } from '../explain/explanation-text.ts';
import { watchedBy } from '../installed-reloader.ts';
import type { Observation } from '../observation.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { assertExists, observeFor, openScene } from '../scene.ts';
import { kindOf, subjectOf } from '../subject.ts';
import type { Paint } from '../terminal.ts';

/** One workload that follows one object. */
export interface GraphEdge {
  /** `<namespace>/<kind>/<name>`. */
  readonly object: ObjectKey;
  readonly workload: ObjectKey;
  /** Whether changes of the object roll the workload. */
  readonly asks: boolean;
  readonly pods: FollowedObject['pods'];
}

/** The answer. */
export interface Graph {
  /** Why the reloader rolls nothing here. */
  readonly causes: readonly Cause[];
  /** What the answer needs and is not known, each a sentence. */
  readonly unknown: readonly string[];
  readonly edges: readonly GraphEdge[];
}

/** Runs the command. */
export async function runGraph(context: CommandContext): Promise<Answered> {
  const { flags, terminal } = context;
  const answer = await answerTo(context);
  const { causes, unknown, edges } = answer;
  const isDrawn = flags.output === 'mermaid';
  const notes = [...causes.map(({ says }) => says), ...unknown.map((line) => `unknown: ${line}`)];
  if (isDrawn) for (const line of notes) terminal.note(line);
  const none = flags.outdated === true ? 'No workload is out of date.' : 'No workload follows an object.';
  const text = (): string => (isDrawn ? mermaidOf(edges) : graphText(answer, none, terminal.paint));
  return { answer: named(answer), text, unknown };
}

/** The same for programs. */
function named({ edges, ...answer }: Graph): object {
  const refs = ({ object, workload }: GraphEdge): object => ({
    object: configRefIn(object),
    workload: workloadRefIn(workload),
  });
  return { ...answer, edges: edges.map((edge) => ({ ...edge, ...refs(edge) })) };
}

async function answerTo(context: CommandContext): Promise<Graph> {
  const { flags, operands } = context;
  const scene = await openScene(context);
  const { namespace, reloader, doubts = [] } = scene;
  const isEverywhere = flags.allNamespaces === true;
  const about = operands.length === 0 ? undefined : subjectOf(operands, reloader.options);
  if (about !== undefined && isEverywhere)
    throw new CommandError('expected <kind/name> or -A, not both', 'usage');
  const only = about && `${namespace}/${kindOf(about)}/${about.name}`;
  if (about !== undefined) await assertExists(scene, about);
  const unwatched = isEverywhere ? undefined : notWatched(reloader, namespace);
  if (unwatched !== undefined) return { causes: [unwatched], unknown: doubts, edges: [] };
  const all = reloader.unknown.length > 0 ? undefined : watchedBy(reloader);
  const says = `the reloader watches ${all?.join(', ')} alone: no other namespace is shown`;
  const leftOut = { rule: 'namespace-not-watched', about: 'other namespaces', says };
  const causes = isEverywhere && all !== undefined ? [leftOut] : [];
  const observation = await observeFor(scene, isEverywhere ? all : [namespace]);
  const graph = graphOf(observation, flags.outdated === true, only);
  const isEmpty = observation.store.workloads.size === 0;
  const unknown = [...whatIsUnknown({ reloader, observation }), ...graph.unknown];
  await observation.end();
  return { ...graph, causes, unknown: isEmpty ? [...unknown, ...doubts] : unknown };
}

type Observed = Pick<Observation, 'store' | 'state' | 'unread'>;

/** The edges of what was observed, ordered by object and workload: all, or those of `only` one of them, or those that are out of date. */
export function graphOf(observation: Observed, isOutdated: boolean, only?: ObjectKey): Graph {
  const near = edgesOf(observation).filter((edge) => [undefined, edge.object, edge.workload].includes(only));
  const edges = near.filter(({ pods }) => !isOutdated || pods === 'out of date');
  const orderOf = ({ object, workload }: GraphEdge): string => `${object} ${workload}`;
  edges.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  const pods = unrecorded(near.map((edge) => ({ ...edge, object: configRefIn(edge.object) })));
  return { causes: [], unknown: [...unreadLines(observation.unread), ...pods], edges };
}

function edgesOf(observation: Observed): GraphEdge[] {
  const { store } = observation;
  return [...store.workloads].flatMap(([workload, record]) =>
    [...record.edges.keys()].flatMap((config): readonly GraphEdge[] => {
      const object = store.configs.get(config);
      if (object === undefined) return [];
      const pods = podsOf(observation, record, object);
      return [{ object: wholeKeyOf(config), workload, asks: judge(store, record, object).asks, pods }];
    }),
  );
}

/** The object or workload, for people. */
function labelOf(key: ObjectKey): string {
  return `${key.split('/')[1]}/${nameIn(key)} in ${namespaceIn(key)}`;
}

/** A graph of Mermaid. Names of the API have no character that it reads as its own. */
export function mermaidOf(edges: readonly GraphEdge[]): string {
  const keys = new Set(edges.flatMap(({ object, workload }) => [object, workload]));
  const ids = new Map([...keys].map((key, index) => [key, `n${index}`]));
  const outdated = new Set(edges.flatMap(({ workload, pods }) => (pods === 'out of date' ? [workload] : [])));
  return [
    'graph LR',
    ...[...ids].map(([key, id]) => `  ${id}["${labelOf(key)}"]`),
    ...edges.map(
      ({ object, workload, asks }) => `  ${ids.get(object)} ${asks ? '-->' : '-.->'} ${ids.get(workload)}`,
    ),
    ...(outdated.size === 0 ? [] : ['  classDef outdated stroke:#c00,stroke-width:2px']),
    ...[...outdated].map((key) => `  class ${ids.get(key)} outdated`),
    '',
  ].join('\n');
}

/** By object, its followers. */
function graphText({ causes, edges, unknown }: Graph, none: string, paint: Paint): string {
  const groups = [...Map.groupBy(edges, ({ object }) => object)];
  const lines = groups.flatMap(([object, followers]) => [
    paint('bold', labelOf(object)),
    ...followers.map(({ workload, asks, pods }) => {
      const colour = pods === 'up to date' ? 'green' : pods === 'out of date' ? 'red' : 'yellow';
      return `  ${labelOf(workload)}: ${paint(colour, pods)}${asks ? '' : ', not rolled for it'}`;
    }),
  ]);
  const isNone = lines.length + unknown.length + causes.length === 0;
  return [
    ...causeLines(causes, paint),
    ...(isNone ? [none] : lines),
    ...unknownLines(unknown, paint),
    '',
  ].join('\n');
}
