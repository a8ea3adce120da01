/** `reloader graph`: who follows what, as text, or in the language of another program. */

import { type ObjectKey, wholeKeyOf } from '../../model/object-ref.ts';
import { judge } from '../../tracking/edge-policy.ts';
import { CommandError, type Connection, connect } from '../connect.ts';
import { type FollowedObject, podsOf } from '../explain/explanation.ts';
import { unreadLines } from '../explain/explanation-text.ts';
import { findReloader } from '../installed-reloader.ts';
import type { Observation, Unread } from '../observation.ts';
import type { CommandContext } from '../run-command.ts';
import { observeFor } from '../scene.ts';
import { subjectOf } from '../subject.ts';
import { formatted, type Paint, withProgress } from '../terminal.ts';
import { DRAWINGS, labelOf } from './drawings.ts';

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
export async function runGraph(context: CommandContext): Promise<number> {
  const { flags, env, terminal } = context;
  const connection = connect(flags, env);
  const answer = await withProgress(terminal, 'listing …', () => answerTo(context, connection));
  const drawing = DRAWINGS[flags.output]?.(answer.edges);
  if (drawing !== undefined) for (const line of unreadLines(answer.unread)) terminal.note(line);
  await terminal.write(drawing ?? formatted(flags.output, answer, () => graphText(answer, terminal.paint)));
  return 0;
}

async function answerTo(
  { flags, operands, settings }: CommandContext,
  { send, namespace }: Connection,
): Promise<Graph> {
  const reloader = await findReloader(send, { asked: flags.reloader, namespace, settings });
  const isEverywhere = flags.allNamespaces === true;
  const scene = { send, namespace, reloader };
  const observation = await observeFor(scene, isEverywhere ? undefined : [namespace]);
  const about = operands.length === 0 ? undefined : subjectOf(operands, reloader.options);
  if (about !== undefined && isEverywhere) throw new CommandError('expected <kind/name> or -A, not both');
  const kind = about?.is === 'workload' ? about.row.kind : about?.kind;
  const only = about && `${namespace}/${kind}/${about.name}`;
  return graphOf(observation, { only, isOutdated: flags.outdated === true });
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
  const orderOf = ({ object, workload }: GraphEdge): string => `${object} ${workload}`;
  edges.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
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
