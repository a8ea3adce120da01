/** `hold`, `release`, `approve` and `resume`: each writes one annotation. */

import { heldUntil, RESUME } from '../annotations/gating.ts';
import { annotateCommand } from '../annotations/stage-news.ts';
import { approvalOf } from '../blockers/approval.ts';
import { ApiError } from '../kubernetes/api-error.ts';
import { objectPath, writing } from '../kubernetes/api-path.ts';
import { callJson } from '../kubernetes/json-call.ts';
import { TEMPLATE_OWNERS } from '../kubernetes/workloads/referenced-template.ts';
import { describe, keyOf, type WorkloadRef } from '../model/object-ref.ts';
import { APPROVED_ANNOTATION, HOLD_ANNOTATION } from '../model/workload.ts';
import { outdatedObjects } from '../tracking/edge-policy.ts';
import { haltOf } from '../tracking/halts.ts';
import { CommandError } from './connect.ts';
import type { Cause } from './explain/cause.ts';
import { notWatched } from './explain/causes-of-setting.ts';
import { followed } from './explain/causes-of-workload.ts';
import { explainObject, notifiedOnly } from './explain/explain-object.ts';
import { causesOf, type Explanation, hiddenOf, NOT_SERVED, whatIsUnknown } from './explain/explanation.ts';
import { unreadLines } from './explain/explanation-text.ts';
import type { Observation } from './observation.ts';
import { readObject } from './reads.ts';
import { refusalsOf } from './reloader-events.ts';
import type { Answered, CommandContext } from './run-command.ts';
import { assertExists, factsOf, observeFor, openScene, type Scene } from './scene.ts';
import { type Subject, subjectOf } from './subject.ts';

/** One annotation of one object; null removes it. */
interface Change {
  readonly target: WorkloadRef;
  readonly annotation: string;
  readonly value: string | null;
  /** What a person should know beside, each a line. @default nothing */
  readonly warnings?: readonly string[];
}

type Run = (context: CommandContext) => Promise<Answered>;

/** Holds the workload or object, for good or until a time. */
export const runHold: Run = run(({ reloader }, target, { until = 'true' }) => {
  if ((heldUntil({ [HOLD_ANNOTATION]: until }) ?? 0) <= reloader.now)
    throw new CommandError('--until: expected a time in the future such as 2030-01-31T18:00:00Z', 'usage');
  return { target, annotation: HOLD_ANNOTATION, value: until };
});

/** Ends a hold, and says whether there was none. */
export const runRelease: Run = run(async ({ send, reloader }, target, _, { row }) => {
  const { kind, namespace, name } = target;
  const reading = await readObject(send, row, namespace, name);
  const { annotations = {} } = reading.kind === 'found' ? reading.object.metadata : {};
  const wasHeld = reading.kind !== 'found' || (heldUntil(annotations) ?? 0) > reloader.now;
  const warnings = wasHeld ? [] : [`${kind}/${name} was not held`];
  return { target, annotation: HOLD_ANNOTATION, value: null, warnings };
});

/** Allows the rollout that a workload waits for. */
export const runApprove: Run = run(async (scene, own, { content }, subject) => {
  if (subject.is === 'object') throw new CommandError('expected a workload, such as deployment/web', 'usage');
  const facts = await factsOf(scene, subject.row, subject.name);
  const { observation, record, workload } = facts;
  const approval = record && approvalOf(observation.store, record);
  const isOutdated = record !== undefined && outdatedObjects(observation.store, record).length > 0;
  const given = workload.annotations[APPROVED_ANNOTATION];
  const also = given === undefined ? [] : [`it has ${APPROVED_ANNOTATION}=${given} already`];
  const why = keptBy(causesOf(facts), 'approval').map(({ says }) => says);
  const nothing = ['waits for no approval', ...also, ...why].join('; ');
  await observation.end();
  const token = isOutdated ? approval?.token : undefined;
  const written = tokenOf(scene, own, observation, [token, nothing, hiddenOf(assured(facts))], content);
  return { target: { ...own, ...approval?.target }, annotation: APPROVED_ANNOTATION, ...written };
});

/** Continues the change of an object that a workload halted. */
export const runResume: Run = run(async (scene, target, { content }, subject) => {
  if (subject.is === 'workload')
    throw new CommandError('expected a ConfigMap or a Secret, such as configmap/web', 'usage');
  await assertExists(scene, subject);
  const observation = await observeFor(scene, [scene.namespace]);
  const { store, unread } = observation;
  const parts = store.partsOf(keyOf(target));
  const halts = parts.flatMap((key) => store.configs.get(key) ?? []).map((config) => haltOf(store, config));
  const token = halts.find((halt) => halt !== undefined)?.token;
  await observation.end();
  // A set of keys is known by its workloads alone.
  const own = unread.filter(({ kind }) => token === undefined || kind === subject.kind);
  const unseen = [...whatIsUnknown({ ...assured(scene), observation }), ...unreadLines(own)];
  const written = tokenOf(scene, target, observation, [token, 'has no halt to resume', unseen], content);
  return { target, annotation: RESUME, ...written };
});

/** Without the doubts whether the reloader acts: what waits is known. */
function assured<T extends Pick<Scene, 'reloader'>>(facts: T): T {
  const { doubts: _, mayLack: __, silence: ___, ...reloader } = facts.reloader;
  return { ...facts, reloader };
}

function run(
  action: (
    scene: Scene,
    target: WorkloadRef,
    flags: CommandContext['flags'],
    subject: Subject,
  ) => Change | Promise<Change>,
): Run {
  return async (context) => {
    const { operands, flags, terminal } = context;
    const scene = await openScene(context);
    const subject = subjectOf(operands, scene.reloader.options);
    const target = { kind: subject.kind, namespace: scene.namespace, name: subject.name };
    const change = await action(scene, target, flags, subject);
    await write(scene, subject, change);
    const { annotation, value, target: at } = change;
    const command = annotateCommand(at, value === null ? `${annotation}-` : `${annotation}=${value}`);
    const warnings = [...(change.warnings ?? []), ...(await effectOf(scene, subject, change))];
    warnings.forEach(terminal.note);
    // It is written: what is unknown of its effect is a warning.
    return { answer: { ...change, warnings, command }, text: () => `${command}\n`, unknown: [] };
  };
}

const IDLE = /^(?:no-reloader|reloader-|dry-run|paused$)/;

/** Why the reloader does not roll, or not yet, but for the `own` rule of a change. */
function keptBy(causes: readonly Cause[], own: string): readonly Cause[] {
  const isMeant = ({ rule, blocks }: Cause): boolean =>
    blocks ?? [NOT_SERVED, IDLE].some((each) => each.test(rule));
  return causes.filter((each) => each.rule !== own && isMeant(each));
}

async function effectOf(scene: Scene, subject: Subject, change: Change): Promise<readonly string[]> {
  const title = `${subject.kind}/${subject.name}`;
  const open = (line: string): string => `unknown whether this has an effect: ${line}`;
  try {
    const { isRolled, unknown, causes, refusals = [] } = await rollsFor(scene, subject);
    const hidden = isRolled && scene.reloader.unknown.length === 0 ? [] : unknown;
    const gate = change.annotation === HOLD_ANNOTATION ? 'hold' : 'approval';
    const kept = keptBy(causes, change.value === null ? '' : gate);
    const never = kept.find(({ rule }) => NOT_SERVED.test(rule))?.rule;
    const isNever = never ? never !== 'unselected-namespace' : !isRolled && hidden.length === 0;
    const nothing = subject.is === 'object' ? 'no workload is rolled for it' : 'it is rolled for no object';
    return [
      ...(isNever ? [`${title}: ${nothing} now, so that this has no effect yet`] : hidden.map(open)),
      ...new Set(kept.map(({ says }) => `${title}: ${says}`)),
      ...refusals,
    ];
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return [open(error.message)];
  }
}

type Rolls = Pick<Explanation, 'causes' | 'unknown'> & { isRolled: boolean; refusals?: readonly string[] };

async function rollsFor(scene: Scene, subject: Subject): Promise<Rolls> {
  if (subject.is === 'object') {
    const { followers, others, causes: own, unknown } = await explainObject(scene, subject);
    const isRolled = followers.length > 0;
    const all = others.flatMap(({ causes }) => causes);
    const left = all.filter(({ rule }) => !isRolled && NOT_SERVED.test(rule));
    const begun = followers.flatMap(({ workload, causes }) => {
      const pauses = causes.filter(({ rule }) => rule === 'paused');
      return pauses.map((cause) => ({ ...cause, says: `${describe(workload)} is ${cause.says}` }));
    });
    return { causes: [...own, ...left, ...begun], unknown, isRolled };
  }
  const facts = await factsOf(scene, subject.row, subject.name);
  const causes = [...notifiedOnly(facts), ...causesOf(facts)];
  const isRolled = followed(facts).some(({ verdict }) => verdict.asks);
  await facts.observation.end();
  const refusals = await refusalsOf(scene.send, [facts.workload]);
  return { isRolled, unknown: hiddenOf(facts), causes, refusals };
}

/** @throws CommandError if the API server refuses it */
async function write(
  { send }: Scene,
  subject: Subject,
  { target, annotation, value }: Change,
): Promise<void> {
  const { kind, namespace, name } = target;
  const row = TEMPLATE_OWNERS.get(kind) ?? subject.row;
  const body = { metadata: { annotations: { [annotation]: value } } };
  const asKubectl = { fieldManager: 'kubectl-annotate' };
  try {
    await callJson(
      send,
      writing('PATCH', objectPath(row, namespace, name), body, 'application/merge-patch+json', asKubectl),
    );
  } catch (error) {
    const { code, message } = ApiError.from(error);
    const isOpen = code === 'unanswered' || code === 'silent';
    const says = isOpen ? 'it is unknown whether the annotation was written' : message;
    const title = `${kind}/${name} in namespace ${namespace}`;
    if (code === 'not-found') throw new CommandError(`${title} does not exist`, code);
    throw new CommandError(`${title}: ${says}`, isOpen ? 'unknown' : 'refused');
  }
}

/** The token to write, and why it may be another one than what waits has. @throws CommandError */
function tokenOf(
  { reloader, namespace }: Scene,
  { kind, name }: WorkloadRef,
  { state }: Observation,
  [token, nothing, unseen]: readonly [token: string | undefined, nothing: string, unseen: readonly string[]],
  given: string | undefined,
): Required<Pick<Change, 'value' | 'warnings'>> {
  const unwatched = notWatched(reloader, namespace);
  if (unwatched !== undefined) throw new CommandError(unwatched.says, 'not-watched');
  const hidden = [...unseen, ...(state.is === 'absent' ? ['the reloader has no state yet'] : [])];
  const hint = 'Its Events and the status page have the token: --content <token>';
  if (hidden.length > 0 && given === undefined)
    throw new CommandError(`unknown, because ${hidden.join('; ')}. ${hint}`, 'unknown');
  const warnings = hidden.map((line) => `unknown whether this content waits: ${line}`);
  if (hidden.length > 0) return { value: given ?? '', warnings };
  if (token === undefined) throw new CommandError(`${kind}/${name} ${nothing}`, 'not-waiting');
  if (given !== undefined && given !== token)
    throw new CommandError(`${kind}/${name}: ${token} waits, not ${JSON.stringify(given)}`, 'other-content');
  return { value: token, warnings };
}
