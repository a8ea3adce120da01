/**
 * What the admission webhook makes of one write of a workload: it puts back the stamps that an owner's update leaves out,
 * and gives a new workload its own. If wished, it refuses a write that says that it is made for other contents.
 *
 * A stamp that was not there before never speaks: it has the number of the state's entry, and so says what is in force and
 * proves nothing. Only where the rest of the pod template stays as it is, so that no pod starts anew, a stamp comes back
 * as it was: it says of the same pods what it said before.
 */

import { isDeepStrictEqual } from 'node:util';
import { type ConfigRef, keyOf } from '../model/object-ref.ts';
import type { RawPodTemplate, RawWorkload } from '../model/raw-objects.ts';
import { type PlannedStamp, planOf, type TemplatePatch } from '../model/rollout-plan.ts';

import type { AdmissionResult } from '../model/settings.ts';
import type { Stamp } from '../model/stamp.ts';
import { STAMPS_ANNOTATION, type Workload, workloadOf } from '../model/workload.ts';
import { type WorkloadKind, workloadKindOf } from '../model/workload-kind.ts';
import { checkHashes, hashesOf, type KnownContents } from './hashes.ts';
import { type Operation, patchBetween } from './json-patch.ts';
import { lackingIn, sequenceIn } from './lacking.ts';
import { marked, orderIn } from './marks.ts';
import type { AdmissionRequest } from './review.ts';
import { isUndo } from './undo.ts';

/** What is known at this moment, as far as reviews need it. It asks nobody, and learns nothing from being asked. */
export interface CacheReader extends KnownContents {
  /** The field manager of our own writes. */
  readonly ownManager: string;
  /** The kinds of workload that are stamped. */
  readonly isServed: (kind: string) => boolean;
  /** Whether all of a kind in a namespace is listed. */
  readonly isListed: (namespace: string, kind: string) => boolean;
  readonly follows: (workload: Workload) => readonly ConfigRef[];
  /** What is in force of an object that the workload is rolled for, with a number that does not speak; undefined: nothing, or it is not. */
  readonly currentStamp: (workload: Workload, ref: ConfigRef) => CurrentStamp | undefined;
}

/** What is in force of one object for one workload. */
export interface CurrentStamp {
  readonly stamp: Stamp;
  readonly annotations: Readonly<Record<string, string>>;
}

/** What is done with one write. */
export interface Decision {
  readonly result: AdmissionResult;
  /** Why the write is not to be stored; undefined: it is. */
  readonly refusal?: string;
  readonly patch: readonly Operation[];
}

/** Where the kinds that are stamped have their pod template. */
const TEMPLATE = '/spec/template';

/** One write, and what it is about. */
interface Write {
  readonly kind: WorkloadKind;
  readonly update: Workload;
  readonly template: RawPodTemplate;
  readonly refs: readonly ConfigRef[];
}

/** Decides; the patch is empty where the write goes through as it is. */
export function mutate(known: CacheReader, request: AdmissionRequest): Decision {
  const reason = reasonToPass(known, request);
  if (reason !== undefined) return passed(reason);
  const kind = workloadKindOf(request.kind);
  const raw = inNamespace(request.object, request.namespace);
  const update = workloadOf(kind, raw, known.vocabularies);
  const refs = update.isLeftAlone ? [] : known.follows(update);
  if (refs.length === 0) return passed('unclaimed');
  if (!refs.every((ref) => known.isListed(ref.namespace, ref.kind))) return passed('unknown');
  const write = { kind, update, template: kind.template(raw) ?? {}, refs };
  const { refusal, patch } = checkHashes(known, update, refs, request.oldObject);
  if (refusal !== undefined) return { result: 'refused', refusal, patch };
  const decision = stampedBy(known, write, request);
  return { ...decision, patch: [...decision.patch, ...patch] };
}

function reasonToPass(known: CacheReader, request: AdmissionRequest): AdmissionResult | undefined {
  if (request.fieldManager === known.ownManager) return 'own';
  if (!known.isServed(request.kind)) return 'unclaimed';
  if (request.oldObject !== undefined && isUndo(request)) return 'undo';
  return known.isListed(request.namespace, request.kind) ? undefined : 'unknown';
}

function stampedBy(known: CacheReader, write: Write, { oldObject, namespace }: AdmissionRequest): Decision {
  return oldObject === undefined
    ? changed('stamped', write, planned(known, write, write.refs), undefined)
    : afterUpdate(known, write, inNamespace(oldObject, namespace));
}

function afterUpdate(known: CacheReader, write: Write, before: RawWorkload): Decision {
  const live = workloadOf(write.kind, before, known.vocabularies);
  const template = write.kind.template(before) ?? {};
  const variables = known.vocabularies.stampVariablesOf(write.refs, write.update.ref.namespace);
  const objects = [...variables.values()].map(({ read }) => read);
  const text = template.metadata?.annotations?.[STAMPS_ANNOTATION];
  const lacking = lackingIn(write.update, { marks: live.stamps, text }, objects);
  if (lacking === undefined) return passed('complete');
  const kept = changed('kept', write, lacking, template);
  if (isDeepStrictEqual(marked(write.template, lacking, orderIn(template)), template)) return kept;
  const present = new Set(live.stamps.map(({ variable }) => variable));
  const stamped = write.refs.filter((ref) =>
    variables.get(keyOf(ref))?.read.some((variable) => present.has(variable)),
  );
  return changed('renewed', write, planned(known, write, stamped), template);
}

/**
 * What stamps the workload for `stamped` with what is in force, where it has no stamp of at least that number, and puts beside it
 * the hash of all that is followed.
 */
function planned(known: CacheReader, { update, refs }: Write, stamped: readonly ConfigRef[]): TemplatePatch {
  const variables = known.vocabularies.stampVariablesOf(refs, update.ref.namespace);
  const stamps = stamped.flatMap((ref): PlannedStamp[] => {
    const config = keyOf(ref);
    const [own, current] = [variables.get(config), known.currentStamp(update, ref)];
    if (own === undefined || current === undefined) return [];
    if (sequenceIn(update.stamps, own.read) >= current.stamp.sequence) return [];
    const places = known.vocabularies.placesOf(update, ref, current.annotations, own);
    return [{ config, stamp: current.stamp, places, variables: own.read }];
  });
  const annotations = stamps.length === 0 ? {} : hashesOf(known, update, refs);
  return planOf(update, { stamps, versions: new Map(), annotations }).template;
}

function changed(
  result: AdmissionResult,
  { template }: Write,
  patch: TemplatePatch,
  live: RawPodTemplate | undefined,
): Decision {
  const after = marked(template, patch, orderIn(live ?? {}));
  const operations = patchBetween(template, after, TEMPLATE);
  return operations.length === 0 ? passed('complete') : { result, patch: operations };
}

function passed(result: AdmissionResult): Decision {
  return { result, patch: [] };
}

/** A new object may still be without its namespace, and without a name that is made for it. */
function inNamespace(raw: RawWorkload, namespace: string): RawWorkload {
  return { ...raw, metadata: { ...raw.metadata, name: raw.metadata.name ?? '', namespace } };
}
