/** What is told of stages and halts, for people. */

import {
  type ConfigRef,
  describe,
  type ObjectKey,
  type WorkloadRef,
  workloadRefIn,
} from '../model/object-ref.ts';
import { type Halt, NO_FOLLOWER } from '../model/state-entry.ts';
import { HOLD_ANNOTATION } from '../model/workload.ts';
import { RESUME } from './gating.ts';

/** News about the change of one object. */
export type StageNews =
  | {
      readonly type: 'halted';
      readonly object: ConfigRef;
      readonly workload: WorkloadRef;
      readonly halt: Halt;
    }
  /** The workload that halted the change is ready: it goes on. */
  | { readonly type: 'ready-after-all'; readonly object: ConfigRef; readonly workload: ObjectKey };

/** Why a workload waits that is rolled in a later stage; the object follows. */
export const LATER_STAGE = 'it is rolled in a later stage of the change of';
/** Why every workload of a change waits at a start. */
export const NOT_LISTED = 'not every workload is listed yet';

/** Why nothing further is rolled for the present content, and how it goes on. */
export function haltedText(object: ConfigRef, halt: Halt): string {
  return `${describe(object)} is halted, since ${haltReason(halt)}; write another content, or go on with ${resumeCommand(object, halt)}`;
}

/** Why the content is halted. */
function haltReason({ workload, reason }: Halt): string {
  if (workload === NO_FOLLOWER) return 'none of the workloads that follow it can show whether it is good';
  const why = reason === undefined ? '' : `: ${reason}`;
  return `${describe(workloadRefIn(workload))} did not get ready with it${why}`;
}

/** The command by which a person lets the content go on. */
function resumeCommand(object: ConfigRef, { token }: Halt): string {
  return annotateCommand(object, `${RESUME}=${token}`);
}

/** The command by which a person stops the change, so that no further workload begins, or ends that. */
export function holdCommand(object: ConfigRef, isHeld: boolean): string {
  return annotateCommand(object, `${HOLD_ANNOTATION}${isHeld ? '-' : '=true'}`);
}

/** The command by which a person writes an annotation, or removes one with a `-` at its end. */
export function annotateCommand({ kind, namespace, name }: WorkloadRef, annotation: string): string {
  return `kubectl annotate ${kind.toLowerCase()}/${name} -n ${namespace} --overwrite ${annotation}`;
}
