/** Gathers the answer of `reloader migrate`: the settings first, then the cluster as the new installation would see it. */

import { placeOf } from '../../app/assembly.ts';
import type { Send } from '../../kubernetes/transport.ts';
import type { WorkloadKind } from '../../model/workload-kind.ts';
import type { CommandFlags } from '../../options/commands.ts';
import { type InstalledReloader, USUAL_NAMESPACE } from '../installed-reloader.ts';
import { doubtsAbout, factsIn, observeFor, workloadsIn } from '../scene.ts';
import { type Difference, differencesOf, isServedBy } from './differences.ts';
import { findOther, type OtherInstallation, type Source } from './other-reloader.ts';
import { findRunning, type Running } from './running.ts';
import { releaseInPlace, type Step, stepsFor } from './steps.ts';
import { type Setting, type Settings, settingsFor } from './their-settings.ts';

/** The answer. */
export interface Migration extends Pick<Settings, 'args'> {
  readonly from: string;
  readonly guide: string;
  /** Undefined: none was found, and its defaults are assumed. */
  readonly other: OtherInstallation | undefined;
  /** The reloaders of this program that the cluster has already. */
  readonly running: readonly Running[];
  readonly settings: Settings['rows'];
  /** How many workloads it serves. */
  readonly workloads: number;
  readonly differences: readonly Difference[];
  /** What could not be read, each a sentence. */
  readonly unknown: readonly string[];
  /** What looked odd, each a sentence. */
  readonly notes: readonly string[];
  readonly steps: readonly Step[];
  /** Whether nothing is unknown, and no person has to decide anything. */
  readonly isReady: boolean;
}

/** What is asked. */
export interface Question {
  readonly source: Source;
  readonly send: Send;
  /** That of the flag, else of the context. */
  readonly namespace: string;
  readonly flags: Pick<CommandFlags, 'namespace' | 'deployment'>;
  /** The flags of the reloader after `--`. */
  readonly settings: readonly string[];
}

const TOLD = 'with --webhook-url the webhook is told of each change, and nothing is rolled';

/** The answer. @throws CommandError */
export async function migrationFrom(question: Question): Promise<Migration> {
  const { source, send, namespace, flags } = question;
  const doubts = flags.namespace === undefined ? [] : await doubtsAbout(send, namespace);
  const { found, ...search } = await findOther(send, source, { asked: flags.deployment, namespace });
  const { installation: other, program = { args: [], env: {}, hidden: [] } } = found ?? {};
  const place = other?.namespace ?? namespace;
  const settings = settingsFor(source, program, { home: place, further: question.settings });
  const { args, namespaces, options, notices } = settings;
  const isInPlace = releaseInPlace(source, other) !== undefined;
  const [only, ...more] = namespaces ?? [];
  const home = isInPlace ? place : only === undefined || more.length > 0 ? USUAL_NAMESPACE : only;
  // The values of the release have the secrets.
  const rows = settings.rows.filter(({ is }) => is !== 'secret' || !isInPlace);
  const seen = await seenBy(question, settings, home);
  const { running, ...own } = await findRunning(send, namespace, settings);
  const unknown = [
    ...search.unknown,
    ...own.unknown,
    ...seen.unknown,
    ...(seen.workloads === 0 ? doubts : []),
  ];
  return {
    from: source.title,
    guide: source.guide,
    other,
    running,
    settings: rows,
    args,
    ...seen,
    unknown,
    notes: [...search.notes, ...notices, ...(options.webhookUrl === undefined ? [] : [TOLD])],
    steps: stepsFor(source, { other, running, home, settings }),
    isReady: !rows.some(isOpen) && seen.differences.length + unknown.length === 0,
  };
}

/** Whether a person has to give the setting. */
export function isOpen({ is }: Setting): boolean {
  return is !== 'no effect';
}

/** What the new installation would see from the namespace `home`. */
async function seenBy(
  { source, send, namespace, flags }: Question,
  { options, namespaces: watched }: Settings,
  home: string,
): Promise<Pick<Migration, 'workloads' | 'differences' | 'unknown'>> {
  const namespaces = flags.namespace === undefined ? watched : [namespace];
  const reloader: InstalledReloader = { options, place: placeOf(options, home), unknown: [] };
  const scene = { send, namespace, reloader };
  const observation = await observeFor(scene, namespaces);
  const { state, unread } = observation;
  const unknown = [
    ...unread.map(({ what, why }) => `${what}: ${why}`),
    ...(state.is === 'unknown' ? [state.why] : []),
  ];
  const differences: Difference[] = [];
  let workloads = 0;
  const onHidden = ({ kind, isOptional }: WorkloadKind, why: string): void => {
    if (isOptional !== true && unread.every((each) => each.kind !== kind)) unknown.push(`${kind} ${why}`);
  };
  for await (const [row, raw] of workloadsIn(scene, namespaces, onHidden)) {
    const facts = await factsIn(scene, observation, row, raw);
    if (!isServedBy(source.name, facts)) continue;
    workloads += 1;
    differences.push(...differencesOf(source, facts));
  }
  await observation.end();
  return { workloads, differences, unknown };
}
