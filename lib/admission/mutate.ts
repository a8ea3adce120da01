/**
 * The decision of the admission webhook about one write of a workload. It puts back the stamps that an update of an external
 * writer leaves out, and stamps a new workload. A new stamp has the id of the one that it replaces, or one that no rollout has: it
 * names the current content and proves nothing.
 */

import { isDeepStrictEqual } from 'node:util';
import { stampIdentity } from '../annotations/other-writers.ts';
import { type FollowedContent, stampVariablesOf } from '../annotations/stamp-variables.ts';
import type { Vocabularies } from '../annotations/vocabularies.ts';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { RawPodTemplate, RawWorkload } from '../model/raw-objects.ts';
import { isStamp, type PlannedStamp, planOf } from '../model/rollout-plan.ts';
import type { AdmissionResult } from '../model/settings.ts';
import { idOfStamp, parseStamp } from '../model/stamp.ts';
import { merged, type Operation, type TemplatePatch } from '../model/template-patch.ts';
import { ANNOTATIONS, type TemplateStamp, type Workload, workloadOf } from '../model/workload.ts';
import { templateOf, type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import type { AdmissionRequest } from './review.ts';

/** The facts in memory that reviews need. Its functions send no request and change no state. */
export interface CacheReader {
  readonly vocabularies: Vocabularies;
  /** The field manager of our own writes. */
  readonly ownManager: string;
  /** Whether workloads of this kind are stamped. */
  readonly isServed: (kind: string) => boolean;
  /** Whether all objects of a kind in a namespace are listed. */
  readonly isListed: (namespace: string, kind: string) => boolean;
  readonly follows: (workload: Workload) => readonly ConfigRef[];
  /** The time of day, in seconds since 1970. */
  readonly seconds: () => number;
  /** The present content of an object that the workload follows, existing or not; undefined if it is not known. */
  readonly contentOf: (ref: ConfigRef) => FollowedContent | undefined;
}

/** The decision about one write. */
export interface Decision {
  readonly result: AdmissionResult;
  readonly patch: readonly Operation[];
}

/** The id of a stamp that replaces none. No rollout has it. */
const FIRST_ID = 1;
/** The path of the pod template in all kinds that are stamped. */
const TEMPLATE = '/spec/template';

/** One write: the workload, its pod template, and the objects that it follows. */
interface Write {
  readonly kind: WorkloadKind;
  readonly update: Workload;
  readonly template: RawPodTemplate;
  readonly refs: readonly ConfigRef[];
}

/** Decides about one write; the patch is empty if the write is stored as it is. */
export function mutate(known: CacheReader, request: AdmissionRequest): Decision {
  const reason = reasonToPass(known, request);
  if (reason !== undefined) return passed(reason);
  // The stamps of a restart are not in the template: an update keeps or drops them like any other annotation.
  const { isRestarted: _, ...kind } = workloadKindOf(request.kind);
  const raw = inNamespace(request.object, request.namespace);
  const update = workloadOf(kind, raw, known.vocabularies);
  const refs = update.isLeftAlone ? [] : known.follows(update);
  if (refs.length === 0) return passed('unclaimed');
  if (!refs.every((ref) => known.isListed(ref.namespace, ref.kind))) return passed('unknown');
  const template = templateOf(kind, raw);
  // It refers to the template of another object.
  if (template === undefined) return passed('unclaimed');
  const write = { kind, update, template, refs };
  // Its template is left as it is: no stamp belongs there.
  if (known.vocabularies.strategyOf(update) === 'evict') return passed('unclaimed');
  return request.oldObject === undefined
    ? changed('stamped', write, planned(known, write, refs, []), undefined)
    : afterUpdate(known, write, inNamespace(request.oldObject, request.namespace));
}

/** The reason to store the write as it is without looking at stamps; undefined if there is none. */
function reasonToPass(known: CacheReader, request: AdmissionRequest): AdmissionResult | undefined {
  if (request.fieldManager === known.ownManager) return 'own';
  if (!known.isServed(request.kind)) return 'unclaimed';
  return known.isListed(request.namespace, request.kind) ? undefined : 'unknown';
}

/**
 * Puts missing stamps back. If that makes the pod template equal to the live one, no pod starts and they come back unchanged.
 * Otherwise pods start with the current content, and the objects that were stamped get new stamps.
 */
function afterUpdate(known: CacheReader, write: Write, before: RawWorkload): Decision {
  const live = workloadOf(write.kind, before, known.vocabularies);
  const template = templateOf(write.kind, before) ?? {};
  const variables = stampVariablesOf(write.refs);
  const objects = [...variables.values()].map(({ read }) => read);
  const missing = missingStampsIn(write.update, live.stamps, objects);
  if (missing === undefined) return passed('complete');
  const kept = changed('kept', write, missing, template);
  if (isDeepStrictEqual(merged(write.template, missing, template), template)) return kept;
  const present = new Set(live.stamps.map(({ variable }) => variable));
  const stamped = write.refs.filter((ref) =>
    variables.get(keyOf(ref))?.read.some((variable) => present.has(variable)),
  );
  return changed('renewed', write, planned(known, write, stamped, live.stamps), template);
}

/**
 * The patch that stamps the workload for `stamped` with the current digests, unless it has such a stamp, and adds the hash over
 * all followed objects. `live`: the stamps before the update.
 */
function planned(
  known: CacheReader,
  { update, refs }: Write,
  stamped: readonly ConfigRef[],
  live: readonly TemplateStamp[],
): TemplatePatch {
  const variables = stampVariablesOf(refs);
  let annotations = {};
  const stamps = stamped.flatMap((ref): PlannedStamp[] => {
    const config = keyOf(ref);
    const [own, current] = [variables.get(config), known.contentOf(ref)];
    const { digest } = current ?? {};
    if (own === undefined || current === undefined || digest === undefined) return [];
    if (!known.vocabularies.judge(update, ref, current.annotations).asks) return [];
    const present = stampsIn(update.stamps, own.read);
    if (present.some(({ value }) => parseStamp(value)?.digest === digest)) return [];
    const id = Math.max(FIRST_ID, latestIn(live, own.read), latestIn(present, own.read));
    const places = known.vocabularies.placesOf(update, ref, current.annotations, own);
    const seen = { digest, seconds: known.seconds() };
    const told = known.vocabularies.tellingAnnotations(update, ref, current.annotations, seen);
    annotations = { ...annotations, ...told };
    return [{ config, stamp: { digest, id }, places, variables: own.read }];
  });
  const contents = refs.map(known.contentOf);
  const hasHashes = stamps.length > 0 && contents.every((content) => content !== undefined);
  const hashes = hasHashes ? known.vocabularies.hashAnnotations(update, contents) : {};
  return planOf(update, { stamps, versions: new Map(), annotations: { ...annotations, ...hashes } }).template;
}

function changed(
  result: AdmissionResult,
  { template }: Write,
  patch: TemplatePatch,
  live: RawPodTemplate | undefined,
): Decision {
  const operations = operationsBetween(template, merged(template, patch, live));
  return operations.length === 0 ? passed('complete') : { result, patch: operations };
}

/** Writes each map and list that differs whole: nothing else writes the object of the request. */
function operationsBetween(before: RawPodTemplate, after: RawPodTemplate): readonly Operation[] {
  const fields = [
    { path: `${TEMPLATE}/metadata`, old: before.metadata, value: after.metadata },
    ...(after.spec?.containers ?? []).map(({ env }, index) => ({
      path: `${TEMPLATE}/spec/containers/${index}/env`,
      old: before.spec?.containers?.[index]?.env,
      value: env,
    })),
  ];
  return fields
    .filter(({ old, value }) => value !== undefined && !isDeepStrictEqual(old, value))
    .map(({ path, value }) => ({ op: 'add', path, value }));
}

function passed(result: AdmissionResult): Decision {
  return { result, patch: [] };
}

/** Completes a new object, which may not yet have its namespace, nor a generated name. */
function inNamespace(raw: RawWorkload, namespace: string): RawWorkload {
  return { ...raw, metadata: { ...raw.metadata, name: raw.metadata.name ?? '', namespace } };
}

type StampsByVariable = ReadonlyMap<string, readonly TemplateStamp[]>;

/**
 * The patch that puts back into `update` the stamps of followed objects that are missing or earlier, and the annotations that are
 * missing or belong to older stamps. Undefined if there are none. `objects`: the variables of each followed object.
 */
function missingStampsIn(
  update: Workload,
  live: readonly TemplateStamp[],
  objects: readonly (readonly string[])[],
): TemplatePatch | undefined {
  const known = new Set(live.map(stampIdentity));
  const byVariable = Map.groupBy(update.stamps, ({ variable }) => variable);
  const foreign = Map.groupBy(
    update.stamps.filter((stamp) => !known.has(stampIdentity(stamp))),
    ({ variable }) => variable,
  );
  const object = new Map(
    objects.toReversed().flatMap((names) => names.map((name) => [name, names] as const)),
  );
  const [stamps, others] = [live.filter(isStamp), live.filter((stamp) => !isStamp(stamp))];
  const missingStamps = stamps.filter((stamp) =>
    isStampMissing({ byVariable, foreign }, stamp, object.get(stamp.variable)),
  );
  const isOld = missingStamps.some(({ variable }) => byVariable.has(variable));
  const missing = [
    ...missingStamps,
    // An annotation beside stamps in the update belongs to its writer, unless it came with older stamps.
    ...others.filter(({ variable, value }) => {
      const [present] = byVariable.get(variable) ?? [];
      return present === undefined || (isOld && present.value !== value);
    }),
  ];
  if (missing.length === 0) return undefined;
  return {
    annotations: annotationPatch([...foreign.values()].flat(), live, missing),
    variables: missing.filter(({ container }) => container !== ANNOTATIONS),
  };
}

function stampsIn(stamps: readonly TemplateStamp[], variables: readonly string[]): TemplateStamp[] {
  return stamps.filter((stamp) => isStamp(stamp) && variables.includes(stamp.variable));
}

/** The id of the latest stamp in `variables`; -Infinity if there is none. */
function latestIn(stamps: readonly TemplateStamp[], variables: readonly string[]): number {
  const ids = stampsIn(stamps, variables).map(({ value }) => idOfStamp(value));
  return Math.max(Number.NEGATIVE_INFINITY, ...ids);
}

/** A stamp is not missing if the update has it or a later one under its variable, or a new and later one elsewhere. */
function isStampMissing(
  { byVariable, foreign }: { readonly byVariable: StampsByVariable; readonly foreign: StampsByVariable },
  stamp: TemplateStamp,
  variables: readonly string[] | undefined,
): boolean {
  if (variables === undefined) return false;
  const id = idOfStamp(stamp.value);
  const own = byVariable.get(stamp.variable) ?? [];
  const others = variables.flatMap((variable) => foreign.get(variable) ?? []);
  return latestIn(own, [stamp.variable]) < id && latestIn(others, variables) <= id;
}

/** The live texts of the annotations that lack something, so that no pod starts; none if the update has a newer stamp of its own. */
function annotationPatch(
  foreign: readonly TemplateStamp[],
  live: readonly TemplateStamp[],
  missing: readonly TemplateStamp[],
): Record<string, string> {
  const isInAnnotations = ({ container }: TemplateStamp): boolean => container === ANNOTATIONS;
  const isNewer = (stamp: TemplateStamp): boolean =>
    isInAnnotations(stamp) && isStamp(stamp) && idOfStamp(stamp.value) >= latestIn(live, [stamp.variable]);
  if (foreign.some(isNewer)) return {};
  const keys = missing.filter(isInAnnotations).map(({ carrier, variable }) => carrier ?? variable);
  const texts = live.filter((stamp) => isInAnnotations(stamp) && keys.includes(stamp.variable));
  return Object.fromEntries(texts.map(({ variable, value }) => [variable, value]));
}
