/** `reloader graph`: who follows what, as text, or as a picture. */

import { type ConfigRef, keyOf, type ObjectKey, type WorkloadRef, wholeOf } from '../../model/object-ref.ts';
import { CommandError } from '../connect.ts';
import { notSelected, notWatched } from '../explain/causes-of-setting.ts';
import { allFollowed } from '../explain/causes-of-workload.ts';
import {
  doubtsOf,
  type Explanation,
  type FollowedObject,
  podsOf,
  unrecorded,
  whatIsUnknown,
} from '../explain/explanation.ts';
import { causeLines, placed, podsText, unknownLines, unreadLines } from '../explain/explanation-text.ts';
import { watchedBy } from '../installed-reloader.ts';
import type { Seen } from '../observation.ts';
import { commonLacks, rightsKeyOf } from '../reloader-rights.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { assertExists, observeFor, openScene, type Scene } from '../scene.ts';
import { subjectOf } from '../subject.ts';
import type { Paint } from '../terminal.ts';

/** One workload that follows one object. */
export interface GraphEdge {
  readonly object: ConfigRef;
  readonly workload: WorkloadRef;
  /** Whether changes of the object roll the workload. */
  readonly asks: boolean;
  readonly pods: FollowedObject['pods'];
}

/** The answer. */
export interface Graph extends Pick<Explanation, 'causes' | 'unknown'> {
  readonly edges: readonly GraphEdge[];
}

/** Runs the command. */
export async function runGraph(context: CommandContext): Promise<Answered> {
  const { flags, operands, terminal } = context;
  if (flags.allNamespaces === true && (operands.length > 0 || flags.namespace !== undefined))
    throw new CommandError('expected -A, or <kind/name> and -n, not both', 'usage');
  const answer = await answerTo(context, await openScene(context));
  const { causes, unknown, edges } = answer;
  const isDrawn = flags.output === 'mermaid';
  const notes = [...causes.map(({ says }) => says), ...unknown.map((line) => `unknown: ${line}`)];
  const left = 'No change that counts is left to roll; what pods read is not compared.';
  const none = flags.outdated === true ? left : 'No workload follows an object.';
  const text = (): string => (isDrawn ? mermaidOf(edges, notes) : graphText(answer, none, terminal.paint));
  return { answer, text, unknown };
}

/** The answer in a scene. */
export async function answerTo(
  { flags, operands }: Pick<CommandContext, 'flags' | 'operands'>,
  scene: Scene,
): Promise<Graph> {
  const { namespace, reloader, doubts = [] } = scene;
  const isEverywhere = flags.allNamespaces === true;
  const about = operands.length === 0 ? undefined : subjectOf(operands, reloader.options);
  const only = about && `${namespace}/${about.kind}/${about.name}`;
  if (about) await assertExists(scene, about);
  const unwatched = isEverywhere ? undefined : notWatched(reloader, namespace);
  if (unwatched) return { causes: [unwatched], unknown: [...doubts, ...doubtsOf(reloader)], edges: [] };
  const all = reloader.unknown.length > 0 ? undefined : watchedBy(reloader);
  const says = `the reloader watches ${all?.join(', ')} alone: no other namespace is shown`;
  const leftOut = { rule: 'namespace-not-watched', about: 'other namespaces', says };
  const places = isEverywhere ? all : [namespace];
  const observation = await observeFor(scene, places);
  const graph = graphOf(observation, flags.outdated === true, only);
  const { store } = observation;
  const kinds = graph.edges.flatMap(({ object, workload }) => [object.kind, rightsKeyOf(store, workload)]);
  const unknown = [...whatIsUnknown({ reloader, observation }, kinds), ...graph.unknown];
  const shown = reloader.unknown.length > 0 ? [] : graph.edges.map(({ object }) => object.namespace);
  const causes = [
    ...(isEverywhere && all !== undefined ? [leftOut] : []),
    ...[...new Set(shown)].flatMap((each) => notSelected(reloader, observation, each) ?? []),
    ...new Set([...commonLacks(reloader), ...kinds.flatMap((kind) => reloader.lacks?.get(kind) ?? [])]),
  ];
  await observation.end();
  return { ...graph, causes, unknown: store.workloads.size > 0 ? unknown : [...unknown, ...doubts] };
}

/** What --outdated leaves out: of pods that roll out some may run an older content. */
const UNCHANGED: readonly string[] = ['no change to roll', 'not compared', 'absent or unwatched'];

/** The edges: all, those of `only` one, or those that are out of date. */
export function graphOf(observation: Seen, isOutdated: boolean, only?: ObjectKey): Graph {
  const near = edgesOf(observation).filter(({ object, workload }) =>
    [undefined, keyOf(object), keyOf(workload)].includes(only),
  );
  const edges = near.filter(({ pods }) => !isOutdated || !UNCHANGED.includes(pods));
  const orderOf = ({ object, workload }: GraphEdge): string => `${keyOf(object)} ${keyOf(workload)}`;
  edges.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  return { causes: [], unknown: [...unreadLines(observation.unread), ...unrecorded(near)], edges };
}

function edgesOf(observation: Seen): GraphEdge[] {
  return allFollowed(observation).map((each) => ({
    object: wholeOf(each.config.ref),
    workload: each.workload.ref,
    asks: each.verdict.asks,
    pods: podsOf(observation, each),
  }));
}

/** A graph of Mermaid with comments. Names need no quotes. */
export function mermaidOf(edges: readonly GraphEdge[], comments: readonly string[] = []): string {
  const arrows = edges.map((edge) => ({ ...edge, from: placed(edge.object), to: placed(edge.workload) }));
  const labels = [...new Set(arrows.flatMap(({ from, to }) => [from, to]))];
  const ids = new Map(labels.map((label, index) => [label, `n${index}`]));
  const outdated = new Set(arrows.flatMap(({ to, pods }) => (pods === 'out of date' ? [to] : [])));
  return [
    'graph LR',
    ...comments.map((line) => `  %% ${line}`),
    ...[...ids].map(([label, id]) => `  ${id}["${label}"]`),
    ...arrows.map(({ from, to, asks }) => `  ${ids.get(from)} ${asks ? '-->' : '-.->'} ${ids.get(to)}`),
    ...(outdated.size === 0 ? [] : ['  classDef outdated stroke:#c00,stroke-width:2px']),
    ...[...outdated].map((label) => `  class ${ids.get(label)} outdated`),
    '',
  ].join('\n');
}

function graphText({ causes, edges, unknown }: Graph, none: string, paint: Paint): string {
  const groups = [...Map.groupBy(edges, ({ object }) => placed(object))];
  const lines = groups.flatMap(([object, followers]) => [
    paint('bold', object),
    ...followers.map(
      ({ workload, asks, pods }) =>
        `  ${placed(workload)}: ${podsText(pods, paint)}${asks ? '' : ', not rolled for it'}`,
    ),
  ]);
  const isNone = lines.length + unknown.length + causes.length === 0;
  return [
    ...causeLines(causes, paint),
    ...(isNone ? [none] : lines),
    ...unknownLines(unknown, paint),
    '',
  ].join('\n');
}
