/** The plan of one rollout: the stamps that one patch writes into a workload's pod template. */

import type { Digest } from './digest.ts';
import type { PausePatch } from './hold.ts';
import { RESTARTS } from './kinds/argo-rollout.ts';
import { CONFIG_KINDS, type ObjectKey, type WorkloadRef } from './object-ref.ts';
import type { Referenced } from './raw-objects.ts';
import { formatStamp, idOfStamp, parseStamp, type Stamp } from './stamp.ts';
import type { Operation, TemplatePatch, VariableChange } from './template-patch.ts';
import { objectIn } from './text.ts';
import {
  ANNOTATIONS,
  STAMPS_ANNOTATION,
  STAMPS_FIELD,
  type TemplateStamp,
  type Workload,
} from './workload.ts';
import { workloadKindOf } from './workload-kind.ts';
import { workloadPatch } from './workload-patch.ts';

/** Where a stamp is written. */
export interface Place {
  /** The variable; in annotations the object, as in STAMPS_ANNOTATION. */
  readonly variable: string;
  /** ANNOTATIONS or RESTARTS, or the preferred container; undefined for the first one. */
  readonly container?: string | undefined;
}

/** The stamp of one outdated edge, and where to write it. */
export interface PlannedStamp {
  readonly config: ObjectKey;
  readonly stamp: Stamp;
  /** The places to write it; never empty. */
  readonly places: readonly Place[];
  /** All variables that may hold a stamp of this object; stamps of ours in those not written are removed. */
  readonly variables: readonly string[];
}

/** A version of an object that a plan was made on. */
export interface PlannedVersion {
  readonly digest: Digest;
  /** The time of the content's last change, on the Timeline. */
  readonly changedAt: number;
  /** The resourceVersion of the object; undefined if it is absent. */
  readonly objectVersion: string | undefined;
}

/** The input of a plan. */
export interface RolloutDraft {
  readonly stamps: readonly PlannedStamp[];
  /** Every existing object that the workload follows, not only outdated ones: its pods start anew with all of them. */
  readonly versions: ReadonlyMap<ObjectKey, PlannedVersion>;
  /** Further annotations of the pod template, which inform people. One that tells of the source carries the stamps of annotations. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The fields of a pause in the same patch. */
  readonly pause?: PausePatch | undefined;
  /** Annotations of the workload itself, an approval or what another reloader asked its webhook by: the same patch removes them. */
  readonly triggers?: readonly string[];
  /** See WorkloadChange: after a conflict with a writer that left the template as it is. */
  readonly testsTemplate?: boolean | undefined;
}

/** A planned patch. */
export interface RolloutPlan extends RolloutDraft {
  readonly workload: WorkloadRef;
  /** The version of the workload for which the plan was made. */
  readonly resourceVersion: string;
  /** The JSON patch. */
  readonly operations: readonly Operation[];
  /** The part of it that concerns the pod template. */
  readonly template: TemplatePatch;
  /** The object that the patch is sent to in place of the workload: it has the pod template. */
  readonly referenced?: Referenced;
  /** Its stamps are those of a restart: the patch still lacks the moment, and leaves the template as it is. */
  readonly isRestart?: true;
}

/**
 * The plan that writes stamps into `workload`: each into the container that carries it already, else the preferred one, else
 * the first. It names only containers of the template, so that no patch can add one.
 */
export function planOf(workload: Workload, draft: RolloutDraft): RolloutPlan {
  const { ref, resourceVersion } = workload;
  const { testsTemplate, triggers = [] } = draft;
  const changes = changesIn(workload, draft);
  const common = { ...draft, workload: ref, resourceVersion };
  if (draft.stamps.some(isOfRestart)) {
    const { paused, annotations } = metadataPatch(workload, draft);
    const stamps = stampsPatch(workload, RESTARTS, changes);
    const template = { annotations: {}, variables: [] };
    const change = { annotations: { ...annotations, ...stamps }, paused, template, testsTemplate };
    return { ...common, operations: workloadPatch(workload, change), template, isRestart: true };
  }
  const stamps = stampsPatch(workload, ANNOTATIONS, changes.filter(isInAnnotations), draft.annotations);
  const variables = changes.filter((change) => !isInAnnotations(change));
  const template = { annotations: { ...draft.annotations, ...stamps }, variables };
  const { referenced } = workload;
  const change =
    referenced === undefined
      ? { ...metadataPatch(workload, draft), template, testsTemplate }
      : { annotations: withoutAny(triggers), template, testsTemplate, isOfOwner: true };
  const plan = { ...common, operations: workloadPatch(workload, change), template };
  return referenced === undefined ? plan : { ...plan, referenced };
}

/** The stamps to be written and removed, those of annotations and restarts too. */
function changesIn(workload: Workload, draft: RolloutDraft): readonly VariableChange[] {
  const changes = new Map<string, VariableChange>();
  const change = (container: string, variable: string, value: string | undefined): void => {
    changes.set(`${container}/${variable}`, { container, variable, value });
  };
  for (const planned of draft.stamps) {
    const written = planned.places.map((place) => ({
      ...place,
      container: containerOf(workload, planned, place),
    }));
    for (const { container, variable } of written) {
      if (container !== undefined) change(container, variable, formatStamp(planned.stamp));
    }
    for (const mark of othersOf(workload, planned, written)) change(mark.container, mark.variable, undefined);
  }
  return [...changes.values()];
}

/** The changes of the workload's own metadata and pause. */
function metadataPatch({ ref, revision = '' }: Workload, { pause, triggers = [] }: RolloutDraft): PausePatch {
  const { revisionMark } = workloadKindOf(ref.kind);
  const mark = revisionMark === undefined ? {} : { [revisionMark]: revision };
  return { ...pause, annotations: { ...pause?.annotations, ...withoutAny(triggers), ...mark } };
}

function withoutAny(keys: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** Whether the plan stamps the object, since the workload is outdated on it. */
export function stampsObject({ stamps }: RolloutPlan, config: ObjectKey): boolean {
  return stamps.some((stamp) => stamp.config === config);
}

/** Identifies the rollout in Events: no stamp repeats. */
export function aboutOf({ stamps }: RolloutPlan): string {
  return stamps.map(({ config, stamp }) => `${config}=${formatStamp(stamp)}`).join();
}

/** Whether the live template carries every stamp of the plan: then the patch is applied, even if another process sent it. */
export function carries(workload: Workload, plan: RolloutPlan): boolean {
  return plan.stamps.every(({ places, stamp }) =>
    places.every(({ variable }) =>
      workload.stamps.some((mark) => mark.variable === variable && mark.value === formatStamp(stamp)),
    ),
  );
}

function containerOf(workload: Workload, planned: PlannedStamp, place: Place): string | undefined {
  if (place.container === ANNOTATIONS || place.container === RESTARTS) return place.container;
  const marks = workload.stamps.filter(
    ({ container }) => container !== ANNOTATIONS && container !== RESTARTS,
  );
  const written = marks.find((mark) => mark.variable === place.variable);
  const any = written ?? marks.find((mark) => planned.variables.includes(mark.variable));
  if (any !== undefined) return any.container;
  return workload.containers.find((name) => name === place.container) ?? workload.containers[0];
}

/**
 * The stamps of the object in other places, which the patch removes. A bare digest in such a place belongs to another program. A
 * patch changes the template or restarts, never both, so the stamps of the other sort stay.
 */
function othersOf(workload: Workload, planned: PlannedStamp, written: readonly Place[]): TemplateStamp[] {
  const names = new Set(written.map(({ variable }) => variable));
  return workload.stamps.filter(
    (mark) =>
      planned.variables.includes(mark.variable) &&
      (mark.container === RESTARTS) === isOfRestart(planned) &&
      !written.some((place) => place.variable === mark.variable && place.container === mark.container) &&
      (names.has(mark.variable) || idOfStamp(mark.value) > 0),
  );
}

/** Whether it is a stamp by its place: other annotations are none, whatever their value. */
export function isStamp({ container, variable }: Pick<TemplateStamp, 'container' | 'variable'>): boolean {
  const isOfObject = CONFIG_KINDS.some((kind) => variable.startsWith(`${kind}/`));
  return (container !== ANNOTATIONS && container !== RESTARTS) || isOfObject;
}

function isOfRestart({ places }: PlannedStamp): boolean {
  return places.some(({ container }) => container === RESTARTS);
}

function isInAnnotations({ container }: Pick<TemplateStamp, 'container'>): boolean {
  return container === ANNOTATIONS;
}

/**
 * All stamps of one place share one annotation, so the patch writes the present ones again, and removes them from others. It is the
 * one among `told` that describes a source, Stakater's if there are two; else that which has them.
 */
function stampsPatch(
  workload: Workload,
  place: string,
  changes: readonly VariableChange[],
  told: Readonly<Record<string, string>> = {},
): Record<string, string | null> {
  if (changes.length === 0) return {};
  const present = workload.stamps.filter(({ container }) => container === place);
  const former = new Set(present.flatMap(({ carrier = [] }) => carrier));
  const telling = Object.keys(told).filter((key) => objectIn(told[key] ?? '') !== undefined);
  const carrier = telling.sort().at(-1) ?? [...former].sort().at(-1) ?? STAMPS_ANNOTATION;
  const others = [...former].filter((key) => told[key] === undefined).map((key) => [key, null]);
  const text = told[carrier] ?? present.find(({ variable }) => variable === carrier)?.value;
  const changed = Object.fromEntries(changes.map(({ variable, value }) => [variable, value]));
  const stamps = { ...readableStamps(workload, place), ...changed };
  return { ...Object.fromEntries(others), [carrier]: stampsText(carrier, stamps, text) };
}

/** The text of an annotation with these stamps, by their objects; `text`: its other fields. */
function stampsText(
  carrier: string,
  stamps: Readonly<Record<string, string | undefined>>,
  text = '',
): string | null {
  const set = Object.entries(stamps).filter(([, value]) => value !== undefined);
  if (set.length === 0) return null;
  const sorted = Object.fromEntries(set.sort(([a], [b]) => (a < b ? -1 : 1)));
  return JSON.stringify(
    carrier === STAMPS_ANNOTATION ? sorted : { ...objectIn(text), [STAMPS_FIELD]: sorted },
  );
}

/** The present stamps of one place, the latest of each object, but for what other programs wrote there. */
function readableStamps({ stamps }: Workload, place: string): Record<string, string> {
  const own = stamps.filter((stamp) => stamp.container === place && isStamp(stamp));
  const readable = own.filter(({ value }) => parseStamp(value) !== undefined);
  const sorted = readable.sort((a, b) => idOfStamp(a.value) - idOfStamp(b.value));
  return Object.fromEntries(sorted.map(({ variable, value }) => [variable, value]));
}
