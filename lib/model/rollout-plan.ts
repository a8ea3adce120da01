/** The plan of one rollout: which stamps one patch puts into a workload's pod template. */

import type { Digest } from './digest.ts';
import type { PausePatch } from './hold.ts';
import { isObjectText, type ObjectKey, type WorkloadRef } from './object-ref.ts';
import type { RawContainer, RawPodTemplate } from './raw-objects.ts';
import { formatStamp, parseStamp, type Stamp } from './stamp.ts';
import { ANNOTATIONS, STAMPS_ANNOTATION, type TemplateStamp, type Workload } from './workload.ts';
import { workloadKindOf } from './workload-kind.ts';

/** A variable that is set, or removed. */
export interface EnvPatch {
  readonly name: string;
  readonly value?: string;
  readonly $patch?: 'delete';
}

/** What is set in a pod template or removed from it; null removes an annotation. */
export interface TemplatePatch {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string | null>> };
  readonly spec?: {
    readonly containers: readonly { readonly name: string; readonly env: readonly EnvPatch[] }[];
  };
}

/** `template` with `patch` merged in, as the API server would do it but for the order of variables; containers that it does not have are not added. */
export function merged(template: RawPodTemplate, { metadata, spec }: TemplatePatch): RawPodTemplate {
  const containers = template.spec?.containers?.map((container) => {
    const changes = spec?.containers.find(({ name }) => name === container.name)?.env ?? [];
    return changes.length === 0 ? container : withEnv(container, changes);
  });
  const annotations = Object.entries({ ...template.metadata?.annotations, ...metadata?.annotations });
  const kept = annotations.filter((entry): entry is [string, string] => entry[1] !== null);
  const { annotations: _, ...others } = template.metadata ?? {};
  return {
    ...template,
    metadata: { ...others, ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }) },
    spec: { ...template.spec, ...(containers === undefined ? {} : { containers }) },
  };
}

function withEnv(container: RawContainer, changes: readonly EnvPatch[]): RawContainer {
  const changed = new Set(changes.map(({ name }) => name));
  const set = changes.flatMap(({ name, value, $patch }) =>
    $patch === 'delete' ? [] : [{ name, value: value ?? '' }],
  );
  return { ...container, env: [...set, ...(container.env ?? []).filter(({ name }) => !changed.has(name))] };
}

/** Where a stamp is written. */
export interface Place {
  /** The variable; in annotations the object, as in STAMPS_ANNOTATION. */
  readonly variable: string;
  /** ANNOTATIONS, or the container that is best for it; undefined: the first. */
  readonly container?: string | undefined;
}

/** What a plan is made for: one object that is owed. */
export interface PlannedStamp {
  readonly config: ObjectKey;
  readonly stamp: Stamp;
  /** Where it is written; never empty. */
  readonly places: readonly Place[];
  /** All variables that may hold a stamp of this object; stamps of ours in those not written are removed. */
  readonly variables: readonly string[];
}

/** A version of an object that a plan was made on. */
export interface PlannedVersion {
  readonly digest: Digest;
  /** When the content had last changed, on the Timeline. */
  readonly changedAt: number;
}

/** What one patch is to say. */
export interface RolloutDraft {
  readonly stamps: readonly PlannedStamp[];
  /** Every object that the workload follows and that exists, not only those owed: its pods start anew with all of them. */
  readonly versions: ReadonlyMap<ObjectKey, PlannedVersion>;
  /** Further annotations of the pod template: they tell people and prove nothing. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** What the same patch says of a pause. */
  readonly pause?: PausePatch | undefined;
  /** Annotations of the workload itself, by which another reloader asked for this, that the same patch removes. */
  readonly triggers?: readonly string[];
}

/** One patch to be. */
export interface RolloutPlan extends RolloutDraft {
  readonly workload: WorkloadRef;
  /** The version of the workload that it was made for. */
  readonly resourceVersion: string;
  /** The generation of its spec then; each patch of a template makes another one. */
  readonly generation: number;
  /** The strategic merge patch; refused on any other version. */
  readonly body: object;
  /** The part of it that concerns the pod template. */
  readonly template: TemplatePatch;
}

/** What becomes of one variable of a container, or of one stamp or key among the annotations; undefined removes it. */
interface Change extends Omit<TemplateStamp, 'value'> {
  readonly value: string | undefined;
}

/**
 * The plan that writes stamps into `workload`: each into the container that carries it already, else the one that is best
 * for it, else the first. A name of a container is only written if the template has it, so that no patch can add one.
 */
export function planOf(workload: Workload, draft: RolloutDraft): RolloutPlan {
  const changes = new Map<string, Change>();
  const change = (container: string, variable: string, value: string | undefined): void => {
    changes.set(`${container}/${variable}`, { container, variable, value });
  };
  for (const owed of draft.stamps) {
    const written = owed.places.map((place) => ({ ...place, container: containerOf(workload, owed, place) }));
    for (const { container, variable } of written) {
      if (container !== undefined) change(container, variable, formatStamp(owed.stamp));
    }
    for (const mark of othersOf(workload, owed, written)) change(mark.container, mark.variable, undefined);
  }
  const annotations = annotationPatch(workload, [...changes.values()].filter(isInAnnotations));
  const template = templatePatchOf([...changes.values()], { ...annotations, ...draft.annotations });
  const { metadata, spec } = fencedPause(workload, withoutTriggers(draft));
  const body = { metadata, spec: { ...spec, ...workloadKindOf(workload.ref.kind).specWith(template) } };
  const { resourceVersion, generation } = workload;
  return { ...draft, workload: workload.ref, resourceVersion, generation, body, template };
}

/** What the patch of `draft` says of the workload itself. */
function withoutTriggers({ pause, triggers = [] }: RolloutDraft): PausePatch | undefined {
  if (triggers.length === 0) return pause;
  const removed = Object.fromEntries(triggers.map((key) => [key, null]));
  return { ...pause, annotations: { ...pause?.annotations, ...removed } };
}

/** A patch that speaks of a pause alone; refused on any other version of the workload. */
export function fencedPause(
  { resourceVersion }: Workload,
  pause?: PausePatch,
): { readonly metadata: object; readonly spec: object } {
  if (pause === undefined) return { metadata: { resourceVersion }, spec: {} };
  const { annotations, ...spec } = pause;
  return { metadata: { resourceVersion, annotations }, spec };
}

/** The number that the plan stamps the object with; 0: it is not owed. */
export function sequenceIn({ stamps }: RolloutPlan, config: ObjectKey): number {
  return stamps.find((owed) => owed.config === config)?.stamp.sequence ?? 0;
}

/** Whether the live template carries every stamp of the plan: then the patch is in force, whoever sent it. */
export function carries(workload: Workload, plan: RolloutPlan): boolean {
  return plan.stamps.every(({ places, stamp }) =>
    places.every(({ variable }) =>
      workload.stamps.some((mark) => mark.variable === variable && mark.value === formatStamp(stamp)),
    ),
  );
}

function containerOf(workload: Workload, owed: PlannedStamp, place: Place): string | undefined {
  if (place.container === ANNOTATIONS) return ANNOTATIONS;
  const marks = workload.stamps.filter(({ container }) => container !== ANNOTATIONS);
  const written = marks.find((mark) => mark.variable === place.variable);
  const any = written ?? marks.find((mark) => owed.variables.includes(mark.variable));
  if (any !== undefined) return any.container;
  return workload.containers.find((name) => name === place.container) ?? workload.containers[0];
}

/** Marks of the object elsewhere. A bare digest is another program's, unless it stands where ours are written too. */
function othersOf(
  workload: Workload,
  owed: PlannedStamp,
  written: readonly Place[],
): readonly TemplateStamp[] {
  const names = new Set(written.map(({ variable }) => variable));
  return workload.stamps.filter(
    (mark) =>
      owed.variables.includes(mark.variable) &&
      !written.some((place) => place.variable === mark.variable && place.container === mark.container) &&
      (names.has(mark.variable) || (parseStamp(mark.value)?.sequence ?? 0) > 0),
  );
}

/** What makes these changes to variables, and sets these annotations; null removes one. */
export function templatePatchOf(
  changes: readonly Change[],
  annotations: Readonly<Record<string, string | null>>,
): TemplatePatch {
  const variables = Map.groupBy(
    changes.filter((change) => !isInAnnotations(change)),
    ({ container }) => container,
  );
  const containers = [...variables].map(([name, own]) => ({ name, env: own.map(envPatch) }));
  return {
    ...(Object.keys(annotations).length === 0 ? {} : { metadata: { annotations } }),
    ...(containers.length === 0 ? {} : { spec: { containers } }),
  };
}

function envPatch({ variable: name, value }: Change): EnvPatch {
  return value === undefined ? { name, $patch: 'delete' } : { name, value };
}

/** Whether it is a stamp by its place: what else is among the annotations is none, whatever its value. */
export function isStamp({ container, variable }: Pick<TemplateStamp, 'container' | 'variable'>): boolean {
  return container !== ANNOTATIONS || isObjectText(variable);
}

function isInAnnotations({ container }: Pick<TemplateStamp, 'container'>): boolean {
  return container === ANNOTATIONS;
}

/** The stamps that are annotations, by their objects. */
export function annotatedStamps(stamps: readonly TemplateStamp[]): Record<string, string> {
  const own = stamps.filter((stamp) => isInAnnotations(stamp) && isStamp(stamp));
  return Object.fromEntries(own.map(({ variable, value }) => [variable, value]));
}

/** The value of STAMPS_ANNOTATION for these stamps, by their objects. */
export function stampsText(stamps: Readonly<Record<string, string | undefined>>): string | null {
  const set = Object.entries(stamps).filter(([, value]) => value !== undefined);
  const sorted = set.sort(([a], [b]) => (a < b ? -1 : 1));
  return sorted.length === 0 ? null : JSON.stringify(Object.fromEntries(sorted));
}

/** The stamps of all objects are one annotation, so what stands there is written again. */
function annotationPatch(workload: Workload, changes: readonly Change[]): Record<string, string | null> {
  if (changes.length === 0) return {};
  const readable = workload.stamps.filter(({ value }) => parseStamp(value) !== undefined);
  const changed = Object.fromEntries(changes.map(({ variable, value }) => [variable, value]));
  return { [STAMPS_ANNOTATION]: stampsText({ ...annotatedStamps(readable), ...changed }) };
}
