/** `reloader graph`: who follows what, as text or as a picture in the language of another program. */

import { nameIn, namespaceIn, type ObjectKey, wholeKeyOf } from '../model/object-ref.ts';
import { judge } from '../tracking/edge-policy.ts';
import { CommandError, connect } from './connect.ts';
import { type FollowedObject, podsOf } from './explain/explanation.ts';
import { unreadLines } from './explain/explanation-text.ts';
import { findReloader } from './installed-reloader.ts';
import type { Observation, Unread } from './observation.ts';
import type { CommandContext } from './run-command.ts';
import { observeFor } from './scene.ts';
import { subjectOf } from './subject.ts';
import { formatted, type Paint, withProgress } from './terminal.ts';

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
  readonly edges: readonly GraphEdge[];
  readonly unread: readonly Unread[];
}

/** Runs the command. */
export async function runGraph({
  flags,
  operands,
  settings,
  env,
  terminal,
}: CommandContext): Promise<number> {
  const { send, namespace } = connect(flags, env);
  const answer = await withProgress(
    terminal,
    () => 'listing …',
    async () => {
      const reloader = await findReloader(send, { asked: flags.reloader, namespace, settings });
      const isEverywhere = flags.allNamespaces === true;
      const observation = await observeFor(
        { send, namespace, reloader },
        isEverywhere ? undefined : [namespace],
      );
      const about = operands.length === 0 ? undefined : subjectOf(operands, reloader.options);
      if (about !== undefined && isEverywhere) throw new CommandError('expected <kind/name> or -A, not both');
      const kind = about?.is === 'workload' ? about.row.kind : about?.kind;
      const only = about && `${namespace}/${kind}/${about.name}`;
      return graphOf(observation, { only, isOutdated: flags.outdated === true });
    },
  );
  const draw = DRAWINGS[flags.output];
  await terminal.write(
    draw === undefined
      ? formatted(flags.output, answer, () => graphText(answer, terminal.paint))
      : draw(answer.edges),
  );
  return 0;
}

type Observed = Pick<Observation, 'store' | 'state' | 'unread'>;

/** Which part of the graph is wanted. */
export interface GraphFilter {
  /** Only the neighbours of this object or workload. */
  readonly only?: ObjectKey | undefined;
  /** Only edges that are out of date. */
  readonly isOutdated: boolean;
}

/** The edges of what was observed, ordered by object and workload. */
export function graphOf(observation: Observed, filter: GraphFilter): Graph {
  const edges = edgesOf(observation).filter(
    ({ object, workload, pods }) =>
      (filter.only === undefined || filter.only === object || filter.only === workload) &&
      (!filter.isOutdated || pods === 'out of date'),
  );
  edges.sort((a, b) => compare(a.object, b.object) || compare(a.workload, b.workload));
  return { edges, unread: observation.unread };
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

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** By object, its followers. */
function graphText({ edges, unread }: Graph, paint: Paint): string {
  const groups = [...Map.groupBy(edges, ({ object }) => object)];
  const lines = groups.flatMap(([object, followers]) => [
    paint('bold', labelOf(object)),
    ...followers.map(({ workload, asks, pods }) => {
      const colour = pods === 'up to date' ? 'green' : pods === 'out of date' ? 'red' : 'yellow';
      return `  ${labelOf(workload)}: ${paint(colour, pods)}${asks ? '' : ', not rolled for it'}`;
    }),
  ]);
  return [
    ...(lines.length === 0 ? ['No workload follows an object.'] : lines),
    ...unreadLines(unread),
    '',
  ].join('\n');
}

/** By format, how edges are drawn. */
const DRAWINGS: Readonly<Record<string, (edges: readonly GraphEdge[]) => string>> = {
  mermaid: mermaidOf,
  dot: dotOf,
};

function mermaidOf(edges: readonly GraphEdge[]): string {
  const ids = idsOf(edges);
  const nodes = [...ids].map(([key, id]) => `  ${id}["${labelOf(key)}"]`);
  const arrows = edges.map(
    ({ object, workload, asks }) => `  ${ids.get(object)} ${asks ? '-->' : '-.->'} ${ids.get(workload)}`,
  );
  const outdated = outdatedIn(edges).map((key) => `  class ${ids.get(key)} outdated`);
  const classes =
    outdated.length === 0 ? [] : ['  classDef outdated stroke:#c00,stroke-width:2px', ...outdated];
  return [`graph LR`, ...nodes, ...arrows, ...classes, ''].join('\n');
}

function dotOf(edges: readonly GraphEdge[]): string {
  const ids = idsOf(edges);
  const outdated = outdatedIn(edges);
  const nodes = [...ids].map(([key, id]) => {
    const colour = outdated.includes(key) ? ', color="#cc0000"' : '';
    return `  ${id} [label="${labelOf(key)}", shape=${edges.some(({ object }) => object === key) ? 'note' : 'box'}${colour}];`;
  });
  const arrows = edges.map(
    ({ object, workload, asks }) =>
      `  ${ids.get(object)} -> ${ids.get(workload)}${asks ? '' : ' [style=dashed]'};`,
  );
  return ['digraph reloader {', '  rankdir=LR;', ...nodes, ...arrows, '}', ''].join('\n');
}

function idsOf(edges: readonly GraphEdge[]): ReadonlyMap<ObjectKey, string> {
  const keys = new Set(edges.flatMap(({ object, workload }) => [object, workload]));
  return new Map([...keys].map((key, index) => [key, `n${index}`]));
}

function outdatedIn(edges: readonly GraphEdge[]): readonly ObjectKey[] {
  return [...new Set(edges.filter(({ pods }) => pods === 'out of date').map(({ workload }) => workload))];
}

/** Names of the API have no character that these languages read as their own. */
function labelOf(key: ObjectKey): string {
  return `${key.split('/')[1]}/${nameIn(key)} in ${namespaceIn(key)}`;
}
