/**
 * `reloader hold`, `release`, `approve` and `resume`: each writes or removes one annotation with the rights of the person, and prints
 * the command of kubectl that does the same.
 */

import { HOLD, heldUntil, RESUME } from '../annotations/gating.ts';
import { ApiError } from '../kubernetes/api-error.ts';
import { objectPath, writing } from '../kubernetes/api-path.ts';
import { callJson } from '../kubernetes/json-call.ts';
import { configKindOf, keyOf } from '../model/object-ref.ts';
import { APPROVED_ANNOTATION } from '../model/workload.ts';
import { approvalOf, outdatedObjects } from '../tracking/gate.ts';
import { haltOf } from '../tracking/halts.ts';
import { CommandError } from './connect.ts';
import { notWatched } from './explain/causes-of-setting.ts';
import { whatIsUnknown } from './explain/explanation.ts';
import { unreadLines } from './explain/explanation-text.ts';
import type { Observation } from './observation.ts';
import type { CommandContext } from './run-command.ts';
import { moment, observeFor, openScene, type Scene } from './scene.ts';
import { kindOf, resourceOf, type Subject, subjectOf } from './subject.ts';
import { formatted, withProgress } from './terminal.ts';

/** An object by its kind, and where it is. */
interface Target {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** One annotation of one object; null removes it. */
interface Change {
  readonly target: Target;
  readonly annotation: string;
  readonly value: string | null;
}

/** What a command writes about an object. */
type Action = (scene: Scene, target: Target, flags: CommandContext['flags']) => Change | Promise<Change>;

/** Runs a command; the exit code. */
type Run = (context: CommandContext) => Promise<number>;

/** Holds the workload or object, for good or until a time. */
export const runHold: Run = run((_, target, { until = 'true' }) => {
  if ((heldUntil({ [HOLD]: until }) ?? 0) <= moment())
    throw new CommandError('--until: expected a time in the future such as 2030-01-31T18:00:00Z', 'usage');
  return { target, annotation: HOLD, value: until };
});

/** Ends a hold. */
export const runRelease: Run = run((_, target) => ({ target, annotation: HOLD, value: null }));

/** Allows the rollout that a workload waits for. */
export const runApprove: Run = run(async (scene, own, { content }) => {
  if (configKindOf(own.kind) !== undefined)
    throw new CommandError('expected a workload, such as deployment/web', 'usage');
  const annotation = APPROVED_ANNOTATION;
  if (content !== undefined) return { target: own, annotation, value: content };
  return await fromObservation(scene, own, ({ store }) => {
    const record = store.workloads.get(keyOf(own));
    if (record === undefined || outdatedObjects(store, record).length === 0) return undefined;
    const approval = approvalOf(store, record);
    return approval && { target: { ...own, ...approval.target }, annotation, value: approval.token };
  });
});

/** Continues the change of an object that a workload halted. */
export const runResume: Run = run(async (scene, target, { content }) => {
  const kind = configKindOf(target.kind);
  if (kind === undefined)
    throw new CommandError('expected a ConfigMap or a Secret, such as configmap/web', 'usage');
  if (content !== undefined) return { target, annotation: RESUME, value: content };
  return await fromObservation(scene, target, ({ store }) => {
    const config = store.configs.get(keyOf({ ...target, kind }));
    const halt = config && haltOf(store, config);
    return halt && { target, annotation: RESUME, value: halt.token };
  });
});

function run(action: Action): Run {
  return async (context) => {
    const { operands, flags, terminal } = context;
    const answer = await withProgress(terminal, 'reading the namespace …', async () => {
      const scene = await openScene(context);
      const target = targetOf(subjectOf(operands, scene.reloader.options), scene.namespace);
      const change = await action(scene, target, flags);
      await write(scene, change);
      return { ...change, command: commandOf(change) };
    });
    await terminal.write(formatted(flags.output, answer, () => `${answer.command}\n`));
    return 0;
  };
}

function targetOf(subject: Subject, namespace: string): Target {
  return { kind: kindOf(subject), namespace, name: subject.name };
}

function commandOf({ target: { kind, namespace, name }, annotation, value }: Change): string {
  const change = value === null ? `${annotation}-` : `${annotation}=${value} --overwrite`;
  return `kubectl annotate -n ${namespace} ${kind.toLowerCase()}/${name} ${change}`;
}

/** @throws CommandError if the API server refuses it */
async function write({ send, reloader }: Scene, { target, annotation, value }: Change): Promise<void> {
  const { kind, namespace, name } = target;
  const row = resourceOf(kind, reloader.options);
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
    const what = isOpen ? 'it is unknown whether the annotation was written' : message;
    throw new CommandError(
      `${kind}/${name} in namespace ${namespace}: ${what}`,
      isOpen ? 'unknown' : 'refused',
    );
  }
}

/** What waits by the state of the reloader. @throws CommandError if nothing waits, or what waits is unknown */
async function fromObservation(
  scene: Scene,
  { kind, name }: Target,
  find: (observation: Observation) => Change | undefined,
): Promise<Change> {
  const unwatched = notWatched(scene.reloader, scene.namespace);
  if (unwatched !== undefined) throw new CommandError(unwatched.says);
  const observation = await observeFor(scene, [scene.namespace]);
  const { state, unread } = observation;
  const stateless = state.is === 'absent' ? ['the reloader has no state yet'] : [];
  const hidden = [...whatIsUnknown({ ...scene, observation }), ...unreadLines(unread), ...stateless];
  const found = hidden.length === 0 ? find(observation) : undefined;
  await observation.end();
  if (found !== undefined) return found;
  if (hidden.length === 0)
    throw new CommandError(`${kind}/${name} waits for no approval and has no halt to resume`);
  const hint = 'Its Events and the status page have the token: --content <token>';
  throw new CommandError(`unknown, because ${hidden.join('; ')}. ${hint}`, 'unknown');
}
