/** The admission webhook in the way of all writes: whichever process lives is asked, until it goes away. */

import { isDeepStrictEqual } from 'node:util';
import { type Json, type JsonObject, pick } from '../sandbox/json.ts';
import { jsonPatch } from '../sandbox/json-patch.ts';
import type { Mutate } from '../sandbox/writes.ts';
import { RESOURCES } from './api.ts';

/** Answers a review; undefined if no process is there to answer. */
export type Review = (text: string) => string | undefined;

/** What the API server makes of a configuration like ours. */
export class AdmissionInTheWay {
  readonly #review: Review;
  isAway = false;

  constructor(review: Review) {
    this.#review = review;
  }

  /** Asks where the configuration says so; without an answer the object is stored as it is. */
  readonly mutate: Mutate = ({ row, namespace }, object, live, { manager, dryRun }) => {
    if (this.isAway || row.group !== 'apps' || !RESOURCES.some((resource) => resource === row.resource))
      return object;
    if (live !== undefined && isDeepStrictEqual(templateOf(live), templateOf(object))) return object;
    const request = {
      uid: 'u',
      kind: { group: row.group, version: 'v1', kind: row.kind },
      namespace,
      operation: live === undefined ? 'CREATE' : 'UPDATE',
      options: { fieldManager: manager },
      dryRun,
      object,
      ...(live === undefined ? {} : { oldObject: live }),
    };
    const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request };
    const answer = this.#review(JSON.stringify(review));
    return answer === undefined ? object : patched(object, answer);
  };
}

function patched(object: JsonObject, answer: string): JsonObject {
  const { patch } = JSON.parse(answer).response as { patch?: string };
  return patch === undefined
    ? object
    : jsonPatch(object, JSON.parse(Buffer.from(patch, 'base64').toString()) as Json);
}

function templateOf(object: JsonObject): Json | undefined {
  return pick(object, 'spec', 'template');
}
