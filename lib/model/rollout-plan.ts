/** The plan of one rollout: the stamps that one patch writes into a workload's pod template. */

import type { Digest } from './digest.ts';
import type { PausePatch } from './hold.ts';
import { RESTARTS } from './kinds/restarts.ts';
import { isObjectText, type ObjectKey, type WorkloadRef } from './object-ref.ts';
import type { RawWorkload, Referenced } from './raw-objects.ts';
import { formatStamp, parseStamp, type Stamp } from './stamp.ts';
import {
  type EnvPatch,
  escaped,
  merged,
  type Operation,
  patchBetween,
  type TemplatePatch,
} from './template-patch.ts';
import {
  ANNOTATIONS,
  isUnhealthyBefore,
  STAMPS_ANNOTATION,
  type TemplateStamp,
  UNHEALTHY_MARK,
  type Workload,
} from './workload.ts';
import { specWith, templateOf, workloadKindOf } from './workload-kind.ts';

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
}

/** The input of a plan. */
export interface RolloutDraft {
  readonly stamps: readonly PlannedStamp[];
  /** Every existing object that the workload follows, not only outdated ones: its pods start anew with all of them. */
  readonly versions: ReadonlyMap<ObjectKey, PlannedVersion>;
  /** Further annotations of the pod template, which inform people and prove nothing. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** The fields of a pause in the same patch. */
  readonly pause?: PausePatch | undefined;
  /** Whether the workload is not healthy before, and is rolled in a stage: the patch says so beside the stamps. */
  readonly isUnhealthy?: boolean;
  /** Annotations of the workload itself, an approval or what another reloader asked its webhook by: the same patch removes them. */
  readonly triggers?: readonly string[];
}

/** A planned patch. */
export interface RolloutPlan extends RolloutDraft {
  readonly workload: WorkloadRef;
  /** The version of the workload for which the plan was made. */
  readonly resourceVersion: string;
  /** The strategic merge patch, which the API server refuses for any other version. */
  readonly body: object;
  /** The part of it that concerns the pod template. */
  readonly template: TemplatePatch;
  /** The object that the patch is sent to in place of the workload: it has the pod template. */
  readonly referenced?: Referenced;
  /** Its stamps are those of a restart: the body is a merge patch that still lacks the moment, and leaves the template as it is. */
  readonly isRestart?: true;
}

/** The new value of one variable of a container, or of one stamp or key among the annotations; undefined removes it. */
interface Change extends Omit<TemplateStamp, 'value'> {
  readonly value: string | undefined;
}

/**
 * The plan that writes stamps into `workload`: each into the container that carries it already, else the preferred one, else
 * the first. It names only containers of the template, so that no patch can add one.
 */
export function planOf(workload: Workload, draft: RolloutDraft): RolloutPlan {
  const { ref, resourceVersion, referenced } = workload;
  const plan = { ...draft, workload: ref, resourceVersion };
  const changes = changesIn(workload, draft);
  if (draft.stamps.some(isOfRestart))
    return { ...plan, body: restartBody(workload, draft, changes), template: {}, isRestart: true };
  const annotations = stampsPatch(workload, ANNOTATIONS, changes.filter(isInAnnotations));
  const template = templatePatchOf(changes, { ...annotations, ...draft.annotations });
  if (referenced !== undefined)
    return { ...plan, body: referencedBody(draft, template, referenced), template, referenced };
  const { metadata, spec } = fencedPause(workload, metadataPatch(workload, draft));
  const body = { metadata, spec: { ...spec, ...specWith(workloadKindOf(ref.kind), template) } };
  return { ...plan, body, template };
}

/** The stamps to be written and removed, and the mark of a workload that is not healthy before. */
function changesIn(workload: Workload, draft: RolloutDraft): readonly Change[] {
  const changes = new Map<string, Change>();
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
  return [...changes.values(), ...markOf(workload, draft)];
}

/** What becomes of the mark of a workload that is not healthy before. */
function markOf(workload: Workload, { stamps, isUnhealthy = false }: RolloutDraft): readonly Change[] {
  if (!isUnhealthy && !isUnhealthyBefore(workload)) return [];
  const container = stamps.some(isOfRestart) ? RESTARTS : ANNOTATIONS;
  return [{ container, variable: UNHEALTHY_MARK, value: isUnhealthy ? 'true' : undefined }];
}

/** The patch of the other object that has the template: it alone is patched, and fenced by its own version. */
function referencedBody(
  { triggers = [] }: RolloutDraft,
  template: TemplatePatch,
  { kind, resourceVersion }: Referenced,
): object {
  const spec = kind === 'PodTemplate' ? { template } : { spec: { template } };
  const annotations = triggers.length > 0 && { annotations: withoutAny(triggers) };
  return { metadata: { resourceVersion, ...annotations }, ...spec };
}

/** The patch of a restart: all of its stamps are annotations of the workload itself, beside those of former restarts. */
function restartBody(workload: Workload, draft: RolloutDraft, changes: readonly Change[]): object {
  const { metadata, spec } = fencedPause(workload, metadataPatch(workload, draft));
  const annotations = { ...metadata.annotations, ...stampsPatch(workload, RESTARTS, changes) };
  return { metadata: { ...metadata, annotations }, spec };
}

/**
 * The JSON patch that does to `raw` what the plan's body does in a strategic merge patch, but for the fields of a pause; `raw`
 * has to be at the version of the plan. The new resourceVersion is the old one: any other one is a conflict.
 */
export function jsonPatchOf(
  { workload, template, triggers = [] }: RolloutPlan,
  raw: RawWorkload,
): Operation[] {
  const { metadata } = raw;
  const kind = workloadKindOf(workload.kind);
  const before = templateOf(kind, raw) ?? {};
  const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !triggers.includes(key));
  const path = ['/spec', ...kind.templatePath.map(escaped)].join('/');
  return [
    { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
    ...patchBetween({ metadata }, { metadata: { annotations: Object.fromEntries(kept) } }, ''),
    ...patchBetween(before, merged(before, template), path),
  ];
}

/** The changes of the workload's own metadata and pause. */
function metadataPatch(
  { ref, revision = '' }: Workload,
  { pause, triggers = [] }: RolloutDraft,
): PausePatch | undefined {
  const { revisionMark } = workloadKindOf(ref.kind);
  if (triggers.length === 0 && revisionMark === undefined) return pause;
  const mark = revisionMark === undefined ? {} : { [revisionMark]: revision };
  return { ...pause, annotations: { ...pause?.annotations, ...withoutAny(triggers), ...mark } };
}

function withoutAny(keys: readonly string[]): Readonly<Record<string, null>> {
  return Object.fromEntries(keys.map((key) => [key, null]));
}

/** A patch of pause fields alone, which the API server refuses for any other version of the workload. */
export function fencedPause(
  { resourceVersion }: Workload,
  pause?: PausePatch,
): {
  readonly metadata: Pick<Workload, 'resourceVersion'> & Partial<Pick<PausePatch, 'annotations'>>;
  readonly spec: object;
} {
  if (pause === undefined) return { metadata: { resourceVersion }, spec: {} };
  const { annotations, ...spec } = pause;
  return { metadata: { resourceVersion, annotations }, spec };
}

/** The sequence with which the plan stamps the object; 0 if it is up to date. */
export function sequenceIn({ stamps }: RolloutPlan, config: ObjectKey): number {
  return stamps.find((stamp) => stamp.config === config)?.stamp.sequence ?? 0;
}

/** Identifies the rollout in Events: while an entry exists, no stamp repeats. */
export function aboutOf({ stamps }: RolloutPlan): string {
  return stamps.map(({ config, stamp }) => `${config}=${formatStamp(stamp)}`).join();
}

/** Whether the live template carries every stamp of the plan: then the patch is in force, even if another process sent it. */
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
function othersOf(
  workload: Workload,
  planned: PlannedStamp,
  written: readonly Place[],
): readonly TemplateStamp[] {
  const names = new Set(written.map(({ variable }) => variable));
  return workload.stamps.filter(
    (mark) =>
      planned.variables.includes(mark.variable) &&
      (mark.container === RESTARTS) === isOfRestart(planned) &&
      !written.some((place) => place.variable === mark.variable && place.container === mark.container) &&
      (names.has(mark.variable) || (parseStamp(mark.value)?.sequence ?? 0) > 0),
  );
}

/** The patch that makes these changes to variables and sets these annotations; null removes one. */
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

/** Whether it is a stamp by its place: other annotations are none, whatever their value. */
export function isStamp({ container, variable }: Pick<TemplateStamp, 'container' | 'variable'>): boolean {
  return (container !== ANNOTATIONS && container !== RESTARTS) || isObjectText(variable);
}

function isOfRestart({ places }: PlannedStamp): boolean {
  return places.some(({ container }) => container === RESTARTS);
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

/** All stamps of one place share one annotation, so the patch writes the present ones again. */
function stampsPatch(
  workload: Workload,
  place: string,
  changes: readonly Change[],
): Record<string, string | null> {
  if (changes.length === 0) return {};
  const changed = Object.fromEntries(changes.map(({ variable, value }) => [variable, value]));
  return { [STAMPS_ANNOTATION]: stampsText({ ...readableStamps(workload, place), ...changed }) };
}

/** The present stamps of one annotation, but for what other programs wrote there. */
function readableStamps({ stamps }: Workload, place: string): Record<string, string> {
  const own = stamps.filter(({ container, value }) => container === place && parseStamp(value) !== undefined);
  return Object.fromEntries(own.filter(isStamp).map(({ variable, value }) => [variable, value]));
}
