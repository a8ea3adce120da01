/** `reloader top`: what is out of date, waits and rolls, on a screen that stays up to date. */

import type { StatusReport } from '../../model/status-report.ts';
import { listedText } from '../../model/text.ts';
import { CommandError, connect } from '../connect.ts';
import { reloaderText, stateText } from '../explain/explanation.ts';
import { unreadLines } from '../explain/explanation-text.ts';
import { findReloader, watches } from '../installed-reloader.ts';
import type { Observation, Unread } from '../observation.ts';
import type { CommandContext } from '../run-command.ts';
import { observeFor, type Scene } from '../scene.ts';
import { formatted, withProgress } from '../terminal.ts';
import { showLive } from './live.ts';
import { isScreen, openScreen } from './screen.ts';
import { askLeader } from './told.ts';
import { type Top, topOf } from './top-answer.ts';
import { timeOf, topLines } from './top-text.ts';

/** Runs the command. */
export async function runTop({ flags, settings, env, terminal }: CommandContext): Promise<number> {
  const { output, interval = 2 } = flags;
  const { send, namespace } = connect(flags, env);
  const isLive = output === 'text' && isScreen(env);
  const { paint } = terminal;
  const { look, first } = await withProgress(
    terminal,
    () => 'reading …',
    async () => {
      const reloader = await findReloader(send, { asked: flags.reloader, namespace, settings });
      const only = flags.allNamespaces === true ? undefined : flags.namespace;
      const scene = { send, namespace, isEverywhere: flags.allNamespaces === true, reloader };
      return await lookingAt(scene, only, isLive);
    },
  );
  if (!isLive) {
    const text = (): string => `${topLines(first, { paint }).join('\n')}\n`;
    await terminal.write(formatted(output, first, text));
    return 0;
  }
  const screen = openScreen({ input: process.stdin, output: process.stdout, signals: process });
  const footer = `q quits; read every ${interval} s`;
  try {
    await showLive(screen, {
      first,
      look,
      intervalMs: interval * 1000,
      draw: (shown, trouble) => topLines(shown, { paint, size: screen.size(), trouble, footer }),
    });
  } finally {
    screen.close();
  }
  return 0;
}

/** A way to look again and again. */
interface Looking {
  readonly first: Top;
  /** Reads the present answer. @throws CommandError */
  readonly look: () => Promise<Top>;
  /** Ends what is observed; nothing may be asked afterwards. */
  readonly end: () => Promise<void>;
}

/**
 * The leader tells, or else the person observes, `isLive` by watches. `only`: the one namespace that counts; without it a leader
 * tells all that it watches.
 *
 * @throws CommandError if neither is possible
 */
export async function lookingAt(scene: Scene, only: string | undefined, isLive: boolean): Promise<Looking> {
  const reloader = reloaderText(scene);
  const look = async (): Promise<Top> => {
    const { pod, report } = await askLeader(scene.send, scene.reloader);
    const problems = [...notWatched(scene, only), ...downLines(report)];
    return topOf(report, { reloader, source: `Pod/${pod}, the leader`, problems }, only);
  };
  try {
    return { first: await look(), look, end: () => Promise.resolve() };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return await observing(scene, error.message, isLive);
  }
}

/** @throws CommandError if no workloads may be listed */
async function observing(scene: Scene, why: string, isLive: boolean): Promise<Looking> {
  const { namespace, isEverywhere } = scene;
  const observation = await observeFor(scene, isEverywhere ? undefined : [namespace], isLive);
  const { assembly, state, end } = observation;
  const where = isEverywhere ? 'all namespaces' : `namespace ${namespace}`;
  if (!listsWorkloads(observation)) {
    void end();
    throw new CommandError(`you may list no workloads in ${where}, and the reloader does not tell: ${why}`);
  }
  const about = {
    reloader: reloaderText(scene),
    source: `what you may read in ${where}, without ages and ends of waits: ${why}`,
  };
  const seen = (): Top => {
    const report = withoutWaits(assembly.status());
    const problems = [
      ...notWatched(scene, isEverywhere ? undefined : namespace),
      ...(state.is === 'read' ? [] : [`state: ${stateText(observation)}`]),
      ...unreadLines(observation.unread),
      ...downLines(report, observation.unread),
    ];
    return topOf(report, { ...about, problems });
  };
  const look = async (): Promise<Top> => {
    const known = seen();
    if (known.totals.outdated === 0) return known;
    await observation.renew();
    return seen();
  };
  return { first: seen(), look, end };
}

/** Whether a kind of workload that every cluster has could be listed. */
function listsWorkloads({ assembly, unread }: Observation): boolean {
  const others = [...assembly.status().optionalKinds, ...unread].map(({ kind }) => kind);
  return assembly.observed.streams.some(({ isWorkload, kind }) => isWorkload && !others.includes(kind));
}

function notWatched({ reloader: { place, options } }: Scene, only: string | undefined): readonly string[] {
  return only === undefined || watches(place, options, only) ? [] : [`the reloader does not watch ${only}`];
}

function downLines({ watches: all }: StatusReport, unread: readonly Unread[] = []): readonly string[] {
  const named = unread.map(({ what }) => what);
  const down = all.filter(
    ({ isUp, problem, stream }) => !isUp && problem !== undefined && !named.includes(stream),
  );
  return [...Map.groupBy(down, ({ problem }) => problem)].map(([problem, streams]) => {
    const age = timeOf(Math.max(...streams.map(({ sinceSeconds }) => sinceSeconds)), false);
    const names = streams.map(({ stream }) => stream);
    return `not watched for ${age}: ${listedText(names, 3)}: ${problem}`;
  });
}

/** Windows never end here, and began when the person began to look. */
function withoutWaits(report: StatusReport): StatusReport {
  const workloads = report.workloads.map(
    ({ outdatedForSeconds: _, waitsForSeconds: _end, waitsFor, ...rest }) => ({
      ...rest,
      ...(waitsFor === undefined || waitsFor === 'quiet' ? {} : { waitsFor }),
    }),
  );
  return { ...report, workloads };
}
