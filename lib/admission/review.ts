/**
 * Answers requests of the type AdmissionReview (admission.k8s.io/v1): parses each, decides it from memory, counts it and logs changes.
 * Synchronous, so one review is decided at a time.
 */

import type { Log } from '../model/log.ts';
import { type ConfigRef, keyOf, wholeOf } from '../model/object-ref.ts';
import type { RawObject, RawWorkload } from '../model/raw-objects.ts';
import type { AdmissionResult } from '../model/settings.ts';
import type { Operation } from '../model/template-patch.ts';
import { monotonicMs } from '../model/time.ts';
import { findWorkloadKind, OPTIONAL_KINDS, WORKLOAD_KINDS } from '../model/workload-kind.ts';
import { type ConfigRecord, scopedRecordOf } from '../store/records.ts';
import type { Store } from '../store/store.ts';
import type { SyncGate } from '../store/sync-gate.ts';
import { isUnbegun } from '../tracking/edge-policy.ts';
import { type CacheReader, type Decision, mutate } from './mutate.ts';

/** One write that the API server is about to store. */
export interface AdmissionRequest {
  readonly uid: string;
  /** The kind; empty if its group is not the one that this program knows it in. */
  readonly kind: string;
  readonly namespace: string;
  /** The field manager in the options of the request; undefined if it has none. */
  readonly fieldManager: string | undefined;
  /** Whether the API server will not store the write: the decision is the same. */
  readonly isDryRun: boolean;
  /** The object to be stored. */
  readonly object: RawWorkload;
  /** The object as it is stored now; undefined for a new one. */
  readonly oldObject: RawWorkload | undefined;
}

/** The request is not an admission review; the message says why. */
export class MalformedReviewError extends Error {}

const API_VERSION = 'admission.k8s.io/v1';
/** Limits of the API server. */
const LONGEST_NAMESPACE = 63;
const LONGEST_NAME = 253;
/** Containers, variables, mounts and volumes of a pod template together; a larger one is stored as it is, without a review. */
const MOST_ITEMS = 5_000;
/** Bytes of all annotations of an object: the API server stores no more. */
const MOST_ANNOTATED = 262_144;

/** The request in a review. @throws MalformedReviewError */
export function parseReview(text: string): AdmissionRequest {
  const review = objectOf(parsed(text), 'the body');
  if (review['kind'] !== 'AdmissionReview' || review['apiVersion'] !== API_VERSION)
    throw new MalformedReviewError(`expected an AdmissionReview of ${API_VERSION}`);
  const request = objectOf(review['request'], 'request');
  const { group, kind } = objectOf(request['kind'], 'request.kind');
  const { uid, namespace } = whereabouts(request);
  const isNew = isCreation(request);
  const manager = objectOf(request['options'] ?? {}, 'request.options')['fieldManager'];
  return {
    uid,
    kind: typeof kind === 'string' && findWorkloadKind(kind)?.group === group ? kind : '',
    namespace,
    fieldManager: typeof manager === 'string' && manager !== '' ? manager : undefined,
    isDryRun: request['dryRun'] === true,
    object: workloadIn(request['object'], 'request.object'),
    oldObject: isNew ? undefined : workloadIn(request['oldObject'], 'request.oldObject'),
  };
}

function whereabouts({ uid, namespace = '' }: Readonly<Record<string, unknown>>): {
  readonly uid: string;
  readonly namespace: string;
} {
  if (typeof uid !== 'string' || uid === '' || uid.length > LONGEST_NAME)
    throw new MalformedReviewError('expected a request.uid');
  if (typeof namespace !== 'string') return { uid, namespace: '' };
  if (namespace.length > LONGEST_NAMESPACE)
    throw new MalformedReviewError(`expected a request.namespace of up to ${LONGEST_NAMESPACE} letters`);
  return { uid, namespace };
}

/** The answer that lets the write through, changed by `patch`. */
export function reviewAllowing(uid: string, patch: readonly Operation[]): string {
  const text = Buffer.from(JSON.stringify(patch)).toString('base64');
  const change = patch.length > 0 && { patchType: 'JSONPatch', patch: text };
  const response = { uid, allowed: true, ...change };
  return JSON.stringify({ apiVersion: API_VERSION, kind: 'AdmissionReview', response });
}

/** Whether the review is about a new object. @throws MalformedReviewError if it is not about a whole object */
function isCreation({ operation, subResource }: Readonly<Record<string, unknown>>): boolean {
  if ((operation === 'CREATE' || operation === 'UPDATE') && !subResource) return operation === 'CREATE';
  throw new MalformedReviewError('expected the creation or the update of a whole object');
}

function workloadIn(value: unknown, what: string): RawWorkload {
  const raw = objectOf(value, what);
  const { name, annotations } = objectOf(raw['metadata'], `${what}.metadata`);
  if (JSON.stringify(annotations ?? {}).length > 2 * MOST_ANNOTATED)
    throw new MalformedReviewError(`expected the annotations of ${what} to be storable`);
  if (name !== undefined && (typeof name !== 'string' || name.length > LONGEST_NAME))
    throw new MalformedReviewError(`expected ${what}.metadata.name to have up to ${LONGEST_NAME} letters`);
  if (itemsIn(raw['spec']) > MOST_ITEMS)
    throw new MalformedReviewError(
      `expected ${what} to have up to ${MOST_ITEMS} containers, variables, mounts and volumes`,
    );
  return raw as unknown as RawObject;
}

/** The items of all lists in a value; counting stops just above the limit, which bounds the time. */
function itemsIn(value: unknown): number {
  let items = 0;
  const rest: unknown[] = [value];
  while (rest.length > 0 && items <= MOST_ITEMS) {
    const next = rest.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Array.isArray(next)) items += next.length;
    if (items <= MOST_ITEMS) for (const part of Object.values(next)) rest.push(part);
  }
  return items;
}

function objectOf(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new MalformedReviewError(`expected ${what} to be an object`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new MalformedReviewError('expected JSON', { cause });
  }
}

/** What a review needs. */
interface ReviewOptions {
  readonly known: CacheReader;
  readonly log: Log;
  /** Counts a review and its duration in seconds. */
  readonly onReview: (result: AdmissionResult, seconds: number) => void;
}

/** The log lines of the results that change a write; the others are logged for debugging only. */
const SENTENCES: Partial<Record<AdmissionResult, string>> = {
  kept: 'stamps that the update left out are kept',
  renewed: 'stamps that the update left out are put back with the current content',
  stamped: 'stamped at its creation',
};

/**
 * The answer to the review `text`, as text. No error here keeps a write from being stored.
 *
 * @throws MalformedReviewError if `text` is not a review
 */
export function answerReview(text: string, options: ReviewOptions): string {
  const startedAt = monotonicMs();
  let result: AdmissionResult = 'malformed';
  try {
    const request = parseReview(text);
    const decision = decide(request, options);
    result = decision.result;
    return reviewAllowing(request.uid, decision.patch);
  } finally {
    options.onReview(result, (monotonicMs() - startedAt) / 1000);
  }
}

/** After an error the write goes through as it is: the webhook is optional. */
function decide(request: AdmissionRequest, { known, log }: ReviewOptions): Decision {
  const { kind, namespace, object, isDryRun } = request;
  const workload = `${kind}/${object.metadata.name ?? ''}`;
  try {
    const decision = mutate(known, request);
    const sentence = SENTENCES[decision.result];
    const fields = { namespace, reason: decision.result };
    if (sentence === undefined || isDryRun) log.debug(`admission of ${workload}`, { ...fields, isDryRun });
    else log.info(`${workload}: ${sentence}`, fields);
    return decision;
  } catch (error) {
    log.error(`admission of ${workload} failed; the request is allowed unchanged`, { namespace, error });
    return { result: 'failed', patch: [] };
  }
}

/** For a missing object that no workload follows, of which there is no record. */
const NO_ANNOTATIONS = {};

/**
 * Reads from `store`; `gate` says which kinds are listed completely. `leads`: whether the whole state is known; a standby knows only
 * the part that its watch has delivered.
 */
export function cacheReaderOf(
  store: Store,
  gate: Pick<SyncGate, 'isSynced'>,
  { leads, ownManager }: { readonly leads: boolean; readonly ownManager: string },
): CacheReader {
  const { vocabularies } = store.settings;
  const served = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS].filter(({ rollout }) => rollout === 'replace-pods');
  return {
    ownManager,
    vocabularies,
    isServed: (kind) => served.some((row) => row.kind === kind),
    isListed: (namespace, kind) => gate.isSynced(namespace, kind, 'refused'),
    follows: (workload) => vocabularies.follows(workload, store.namesIn(workload.ref.namespace)),
    seconds: () => Math.floor(Date.now() / 1000),
    contentOf: (ref) => {
      const config = recordOf(store, ref);
      const isUnseen = config?.digest !== undefined && !leads && store.persisted.entryOf(ref) === undefined;
      if (isUnbegun(store, ref) || isUnseen) return undefined;
      return config ?? { ref, annotations: NO_ANNOTATIONS, digest: undefined };
    },
  };
}

/** The record of `ref`; for keys that no workload follows yet, derived from the record of the whole object. */
function recordOf({ configs }: Store, ref: ConfigRef): ConfigRecord | undefined {
  const known = configs.get(keyOf(ref));
  if (known !== undefined || ref.keys === undefined) return known;
  const whole = configs.get(keyOf(wholeOf(ref)));
  return whole && scopedRecordOf(whole, ref);
}
