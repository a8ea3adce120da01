/** `reloader state`: what the reloader remembers, for people; two of its actions write it. */

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { followsAcross } from '../../annotations/union.ts';
import { type ConfigRef, describe } from '../../model/object-ref.ts';
import { count } from '../../model/text.ts';
import type { StateAction } from '../../options/command-table.ts';
import { CommandError, connect } from '../connect.ts';
import { findReloader } from '../installed-reloader.ts';
import { type Observation, untilCompared } from '../observation.ts';
import type { CommandContext } from '../run-command.ts';
import { observeFor, type Scene } from '../scene.ts';
import { subjectOf } from '../subject.ts';
import { formatted, withProgress } from '../terminal.ts';
import { type Compared, stateDiff, stateDiffText, verified, verifiedText } from './compare-state.ts';
import { EXPORT_KIND, EXPORT_VERSION, type ExportedState, exportedState } from './export-state.ts';
import { forgetEntry, hasEntryOf } from './forget-entry.ts';
import { importState } from './import-state.ts';
import { shownState, shownStateText } from './show-state.ts';
import { existing, isEntryOf, namespaceOfKey, type StoredState, storedState } from './stored-state.ts';

/** The exit code if something differs. */
const SOMETHING = 2;

/** What an action gets. */
interface Context extends Pick<CommandContext, 'flags' | 'terminal'> {
  readonly scene: Scene;
  /** The words after the action. */
  readonly words: readonly string[];
}

interface Answer {
  readonly answer: object;
  readonly text: () => string;
  /** @default 0 */
  readonly code?: number;
}

const ACTIONS: Readonly<Record<StateAction, (context: Context) => Promise<Answer>>> = {
  show,
  verify,
  diff,
  export: exported,
  import: imported,
  forget,
};

/** Runs the command. */
export async function runState({
  flags,
  operands,
  settings,
  env,
  terminal,
}: CommandContext): Promise<number> {
  const [action = 'show', ...words] = operands as [StateAction, ...string[]];
  const { send, namespace } = connect(flags, env);
  const reloader = await findReloader(send, { asked: flags.reloader, namespace, settings });
  const scene = { send, namespace, reloader, isEverywhere: flags.allNamespaces === true };
  const { answer, text, code = 0 } = await ACTIONS[action]({ flags, terminal, scene, words });
  await terminal.write(formatted(flags.output, answer, text));
  return code;
}

async function show({ scene, words, terminal }: Context): Promise<Answer> {
  const stored = existing(await storedState(scene.send, scene.reloader));
  const object = words.length === 0 ? undefined : objectOf(words, scene);
  const { home } = stored;
  const answer = shownState(stored, (key) =>
    object === undefined
      ? scene.isEverywhere === true || namespaceOfKey(key, home) === scene.namespace
      : isEntryOf(key, object, home),
  );
  return { answer, text: () => shownStateText(answer, terminal.paint) };
}

async function verify(context: Context): Promise<Answer> {
  const answer = verified(await compared(context));
  const text = (): string => verifiedText(answer, context.terminal.paint);
  return { answer, text, code: answer.problems.length === 0 ? 0 : SOMETHING };
}

async function diff(context: Context): Promise<Answer> {
  const both = await compared(context);
  needsState(both.observation);
  const answer = stateDiff(both);
  const text = (): string => stateDiffText(answer, context.terminal.paint);
  return { answer, text, code: answer.differences.length === 0 ? 0 : SOMETHING };
}

async function exported(context: Context): Promise<Answer> {
  noWords(context);
  const { observation } = await compared(context);
  needsState(observation);
  const [unread] = observation.unread;
  // An edge that is not known would not be imported, and so be taken for up to date.
  if (unread !== undefined) throw new CommandError(`not all can be exported: ${unread.what}: ${unread.why}`);
  await untilCompared(observation);
  const answer = exportedState(observation);
  return { answer, text: () => formatted('yaml', answer, () => '') };
}

async function imported({ scene, flags, terminal, ...context }: Context): Promise<Answer> {
  noWords(context);
  const document = documentOf(flags.file);
  refuseWhileRunning(scene);
  const stored = await storedState(scene.send, scene.reloader);
  const doubts = document.edges.filter(({ upToDate }) => !upToDate).length;
  const what = `${count(document.edges.length - doubts, 'edge')} as up to date and ${doubts} as out of date`;
  await agreed(
    { flags, terminal },
    `Write ${what} to the state, ConfigMap/${stored.parts[0]?.name} in ${stored.home}?`,
  );
  const answer = await withProgress(
    terminal,
    () => 'importing …',
    () => importState(scene, stored, document),
  );
  const { upToDate, doubted, skipped } = answer;
  const text = (): string =>
    [
      `${count(upToDate, 'edge')} up to date, ${doubted} out of date, ${skipped.length} left alone`,
      ...skipped.map(({ workload, object, why }) => `  ${workload} and ${object}: ${why}`),
      '',
    ].join('\n');
  return { answer, text };
}

async function forget({ scene, flags, terminal, words }: Context): Promise<Answer> {
  const object = objectOf(words, scene);
  const name = `${describe(object)} in ${object.namespace}`;
  const stored = existing(await storedState(scene.send, scene.reloader));
  if (!hasEntryOf(stored, object)) throw new CommandError(`the state has no entry of ${name}`);
  refuseWhileRunning(scene);
  await agreed(
    { flags, terminal },
    `Drop the entry of ${name}? What is in force when the reloader starts counts as rolled out then.`,
  );
  const answer = await forgetEntry(stored, object);
  return { answer, text: () => `${name}: dropped\n` };
}

/** Reads the state and observes the namespaces. */
async function compared({ scene, terminal }: Context): Promise<Compared & { readonly stored: StoredState }> {
  const { place, options } = scene.reloader;
  const namespaces = scene.isEverywhere === true ? place.namespaces : [scene.namespace];
  const stored = existing(await storedState(scene.send, scene.reloader));
  const observation = await withProgress(
    terminal,
    () => 'listing …',
    () => observeFor(scene, namespaces),
  );
  return { stored, observation, namespaces, isWhole: scene.isEverywhere === true || !followsAcross(options) };
}

/** @throws CommandError if the person may not read what the cluster would be compared with */
function needsState({ state }: Observation): void {
  if (state.is === 'forbidden')
    throw new CommandError(`you may not read ${state.what}: nothing can be compared`);
}

/** The object that the words name. @throws CommandError */
function objectOf(words: readonly string[], { namespace, reloader }: Scene): ConfigRef {
  const subject = subjectOf(words, reloader.options);
  if (subject.is === 'object') return { kind: subject.kind, namespace, name: subject.name };
  throw new CommandError('expected an object, such as configmap/web: the state has entries of objects');
}

function noWords({ words }: Pick<Context, 'words'>): void {
  if (words.length > 0) throw new CommandError(`expected no further words, but there is ${words.join(' ')}`);
}

/** A leader holds the state in memory: it would write its own again. @throws CommandError */
function refuseWhileRunning({ reloader: { installation } }: Scene): void {
  if (installation === undefined || installation.replicas === 0) return;
  const { namespace, name } = installation;
  throw new CommandError(
    `Deployment/${name} in ${namespace} runs, and holds the state in memory: first kubectl -n ${namespace} scale deployment/${name} --replicas=0; it loses no change meanwhile`,
  );
}

/** Asks the person. @throws CommandError if the answer is no, or no person can be asked */
async function agreed(
  { flags, terminal }: Pick<Context, 'flags' | 'terminal'>,
  question: string,
): Promise<void> {
  if (flags.yes === true) return;
  if (terminal.ask === undefined) throw new CommandError(`nothing is written without --yes. ${question}`);
  const answer = await terminal.ask(`${question} [y/N] `);
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandError('nothing is written');
}

/** The document of --file. @throws CommandError if it is none */
function documentOf(files: readonly string[] = []): ExportedState {
  const [file, ...others] = files;
  if (file === undefined || others.length > 0)
    throw new CommandError('expected one --file, or - for the standard input');
  const source = file === '-' ? 'the standard input' : file;
  let document: Partial<ExportedState> | null;
  try {
    document = parse(readFileSync(file === '-' ? 0 : file, 'utf8')) as Partial<ExportedState> | null;
  } catch (error) {
    throw new CommandError(`${source}: ${String((error as Error).message).split('\n', 1)[0]}`);
  }
  if (document?.kind !== EXPORT_KIND || document.version !== EXPORT_VERSION || !Array.isArray(document.edges))
    throw new CommandError(
      `${source}: expected what reloader state export writes (kind: ${EXPORT_KIND}, version: ${EXPORT_VERSION})`,
    );
  const wrong = document.edges.findIndex((edge) => !isEdge(edge));
  if (wrong >= 0)
    throw new CommandError(
      `${source}: edges[${wrong}]: expected workload and object as <namespace>/<kind>/<name>, and upToDate as true or false`,
    );
  return document as ExportedState;
}

const OBJECT_KEY = /^[^/]+\/[^/]+\/[^/]+(?:\/[^/]+)?$/;

function isEdge(edge: unknown): boolean {
  if (typeof edge !== 'object' || edge === null) return false;
  const { workload, object, upToDate } = edge as Record<string, unknown>;
  const isKey = (key: unknown): boolean => typeof key === 'string' && OBJECT_KEY.test(key);
  return isKey(workload) && isKey(object) && typeof upToDate === 'boolean';
}
