/** The requests of the API over the store: reads, writes and watches, with latency and faults in front of them. */

import type { ApiRequest, ApiResponse } from '../../lib/kubernetes/transport.ts';
import { abortError, delay, untilAborted } from './abort.ts';
import { textBody } from './event-stream.ts';
import { type CallEffect, connectionError, Faults, statusFault, type Verb } from './faults.ts';
import { type Json, type JsonObject, objectOf, pick, stringOf } from './json.ts';
import { jsonPatch } from './json-patch.ts';
import { listText } from './lists.ts';
import { mergePatch } from './merge-patch.ts';
import { ACCESS_REVIEWS } from './resource-table.ts';
import { type ApiCall, apiCallOf, objectBody } from './routes.ts';
import { selectorOf } from './selectors.ts';
import type { ServedKinds } from './served-kinds.ts';
import { serverNow } from './server-clock.ts';
import { Spelling } from './spelling.ts';
import { badRequest, internal, notFound, StatusError } from './status-error.ts';
import type { Store } from './store.ts';
import { objectText, type StoredObject, storeKey } from './stored-object.ts';
import { strategicMerge } from './strategic-merge.ts';
import { WatchHub } from './watch-hub.ts';
import { type Mutate, type Target, type WriteOptions, Writes } from './writes.ts';

/** A finished request: what was asked, what was answered, what it changed. */
export interface AuditRecord {
  readonly verb: Verb;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly userAgent: string;
  readonly manager: string;
  readonly contentType: string;
  readonly dryRun: boolean;
  /** The parsed body of a write. */
  readonly body?: Json;
  /** The status answered; 0 when the client got no answer. */
  readonly status: number;
  /** The object before and after; the same object, or both absent, when nothing was written. */
  readonly before?: StoredObject;
  readonly after?: StoredObject;
}

/** An access that SelfSubjectAccessReview denies; what is absent matches everything. */
export interface DeniedAccess {
  readonly verb?: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly retryAfterSeconds?: number;
}

/** What an ApiServer is told. */
export interface ApiServerOptions {
  /** The objects of a page of a list at most. */
  readonly mostPerPage: number;
  /** The kinds. */
  readonly served: ServedKinds;
  readonly audit: ((record: AuditRecord) => void) | undefined;
  /** A mutating webhook. */
  readonly mutate?: Mutate | undefined;
  /** Throws the refusal of a disruption budget that does not allow the eviction of this pod. */
  readonly checkBudget?: ((pod: StoredObject) => void) | undefined;
}

/** The API server. `handle` settles within microtasks unless latency or a fault says otherwise. */
export class ApiServer {
  readonly store: Store;
  readonly writes: Writes;
  readonly faults: Faults = new Faults();
  readonly watches: WatchHub;
  readonly spelling: Spelling = new Spelling();
  /** What SelfSubjectAccessReview denies; may be changed at any time. */
  readonly denied: DeniedAccess[] = [];
  readonly #options: ApiServerOptions;

  constructor(store: Store, options: ApiServerOptions) {
    this.store = store;
    this.writes = new Writes(store, options.mutate);
    this.watches = new WatchHub(store, this.spelling);
    this.#options = options;
  }

  /** Answers a request, or rejects as a broken connection or an abort would. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    if (request.signal?.aborted) throw abortError(request.signal);
    let call: ApiCall;
    try {
      const document = this.#discovery(request);
      if (document !== undefined)
        return responseOf({ status: 200, text: JSON.stringify(document) }, request.signal);
      call = apiCallOf(request, this.#options.served);
    } catch (error) {
      return responseOf(answerOf(error), request.signal);
    }
    const { latencyMs, effect } = this.faults.take(call);
    if (latencyMs > 0) await delay(latencyMs, request.signal);
    return this.#afflicted(call, effect);
  }

  #discovery({ method, path }: ApiRequest): JsonObject | undefined {
    return method === 'GET' ? this.#options.served.discovery(path.split('?', 1)[0] ?? '') : undefined;
  }

  async #afflicted(call: ApiCall, effect: CallEffect | undefined): Promise<ApiResponse> {
    switch (effect?.kind) {
      case 'refused':
        this.#audit(call, 0);
        throw connectionError('ECONNREFUSED');
      case 'lost':
        this.#answer(call, 0, false);
        throw connectionError('ECONNRESET');
      case 'hang':
        if (effect.effect) this.#answer(call, 0, false);
        else this.#audit(call, 0);
        return untilAborted(call.signal);
      case 'status': {
        const error = statusFault(effect, call);
        this.#audit(call, error.code);
        return responseOf(answerOf(error), call.signal);
      }
      case 'cutBody': {
        const { text, status } = this.#answer(call, 0, true);
        return { status, headers: headersNow(), body: cutBody(text) };
      }
      default:
        return this.#respond(call, effect?.kind === 'stale' ? effect.writes : 0);
    }
  }

  #respond(call: ApiCall, writesAgo: number): ApiResponse {
    if (call.verb !== 'watch') return responseOf(this.#answer(call, writesAgo, true), call.signal);
    try {
      const body = this.#watch(call);
      this.#audit(call, 200);
      return { status: 200, headers: headersNow(), body };
    } catch (error) {
      const answer = answerOf(error);
      this.#audit(call, answer.status);
      return responseOf(answer, call.signal);
    }
  }

  #watch(call: ApiCall): AsyncIterable<string> {
    const { row, query, namespace, signal } = call;
    const asked = query.get('resourceVersion') || '0';
    const since = asked === '0' ? undefined : this.store.sequenceOf(row, asked);
    if (asked !== '0' && since === undefined) throw internal(`resourceVersion: Invalid value: "${asked}"`);
    const timeout = query.get('timeoutSeconds');
    return this.watches.add({
      call,
      row,
      namespace,
      selector: selectorOf(row, query),
      since,
      bookmarks: query.get('allowWatchBookmarks') === 'true',
      timeoutSeconds: timeout ? Number(timeout) : undefined,
      signal,
    });
  }

  /** Carries a call out, audits it, and answers. */
  #answer(call: ApiCall, writesAgo: number, isHeard: boolean): Answer {
    const key = call.name === undefined ? undefined : storeKey(call.namespace, call.name);
    const isWrite = call.verb !== 'get' && call.verb !== 'list' && !ACCESS_REVIEWS.includes(call.row);
    const live = (): StoredObject | undefined =>
      isWrite && key !== undefined ? this.store.get(call.row, key) : undefined;
    const before = live();
    let answer: Answer;
    let written: StoredObject | undefined;
    try {
      const result = this.#execute(call, writesAgo);
      answer =
        'text' in result ? result : { status: result.status, text: objectText(call.row, result.object) };
      written = call.verb === 'create' && 'object' in result && !isDryRun(call) ? result.object : live();
    } catch (error) {
      answer = answerOf(error);
      written = before;
    }
    this.#audit(call, isHeard ? answer.status : 0, before, written);
    return { ...answer, text: this.spelling.of(answer.text) };
  }

  #execute(
    call: ApiCall,
    writesAgo: number,
  ): Answer | { readonly status: number; readonly object: StoredObject } {
    const { row, namespace, name = '', verb } = call;
    const target: Target = { row, namespace, name };
    const options = writeOptions(call);
    switch (verb) {
      case 'get':
        return { status: 200, object: this.#get(target, writesAgo) };
      case 'list':
        return { status: 200, text: this.#list(call, writesAgo) };
      case 'create':
        if (ACCESS_REVIEWS.includes(row))
          return { status: 201, text: JSON.stringify(this.#review(objectBody(call))) };
        if (call.subresource === 'eviction') return this.#evict(target, call, options);
        return { status: 201, object: this.writes.create(row, namespace, objectBody(call), options) };
      case 'update':
        return { status: 200, object: this.writes.update(target, objectBody(call), options) };
      case 'patch':
        return { status: 200, object: this.writes.patch(target, (live) => patched(live, call), options) };
      case 'apply':
        return this.#apply(target, call, options);
      case 'delete':
        return { status: 200, text: this.#delete(target, call, options) };
      case 'watch':
        throw new Error('a watch is no single answer');
    }
  }

  #list(call: ApiCall, writesAgo: number): string {
    return listText(this.store, call, { writesAgo, mostPerPage: this.#options.mostPerPage });
  }

  #get({ row, namespace, name }: Target, writesAgo: number): StoredObject {
    const key = storeKey(namespace, name);
    const found =
      writesAgo === 0
        ? this.store.get(row, key)
        : this.store
            .allAt(row, Math.max(0, this.store.sequence - writesAgo))
            .find((object) => storeKey(object.metadata.namespace, object.metadata.name) === key);
    if (found === undefined) throw notFound(row, name);
    return found;
  }

  #apply(target: Target, call: ApiCall, options: WriteOptions): { status: number; object: StoredObject } {
    if (!call.query.get('fieldManager')) {
      throw badRequest('PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value');
    }
    const isNew = this.store.get(target.row, storeKey(target.namespace, target.name)) === undefined;
    const object = this.writes.apply(target, objectBody(call), { ...options, operation: 'Apply' });
    return { status: isNew ? 201 : 200, object };
  }

  #evict(target: Target, call: ApiCall, options: WriteOptions): Answer {
    const uid = stringOf(pick(call.body, 'deleteOptions', 'preconditions', 'uid'));
    const pod = this.#get(target, 0);
    if (uid === undefined || uid === pod.metadata.uid) this.#options.checkBudget?.(pod);
    this.writes.remove(target, uid === undefined ? {} : { uid }, options);
    return { status: 201, text: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Success' }) };
  }

  #delete(target: Target, call: ApiCall, options: WriteOptions): string {
    const asked = objectOf(pick(call.body, 'preconditions'));
    const uid = stringOf(asked['uid']);
    const resourceVersion = stringOf(asked['resourceVersion']);
    const dryRun = options.dryRun || pick(call.body, 'dryRun') !== undefined;
    const policy = pick(call.body, 'propagationPolicy') ?? call.query.get('propagationPolicy');
    if (policy === 'Orphan' && !dryRun) this.writes.leaveDependents(target, options);
    const last = this.writes.remove(
      target,
      { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) },
      { ...options, dryRun },
    );
    if (last.metadata.deletionTimestamp !== undefined) return objectText(target.row, last);
    const details = { name: target.name, kind: target.row.resource, uid: last.metadata.uid };
    return JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details });
  }

  /** What is denied is denied to the person who asks; another account has all rights. */
  #review(body: JsonObject): JsonObject {
    const asked = objectOf(pick(body, 'spec', 'resourceAttributes'));
    const isOwn = pick(body, 'spec', 'user') === undefined;
    const denied =
      isOwn &&
      this.denied.some((rule) =>
        (['verb', 'resource', 'namespace', 'name'] as const).every(
          (field) => rule[field] === undefined || rule[field] === asked[field],
        ),
      );
    return {
      ...body,
      status: { allowed: !denied, ...(denied ? { reason: 'the sandbox was told so' } : {}) },
    };
  }

  #audit(call: ApiCall, status: number, before?: StoredObject, after?: StoredObject): void {
    const { audit } = this.#options;
    if (audit === undefined) return;
    const { verb, resource, namespace, name, userAgent, manager, contentType, body } = call;
    audit({
      verb,
      resource,
      ...(namespace === undefined ? {} : { namespace }),
      ...(name === undefined ? {} : { name }),
      userAgent,
      manager,
      contentType,
      dryRun: isDryRun(call),
      ...(body === undefined ? {} : { body }),
      status,
      ...(before === undefined ? {} : { before }),
      ...(after === undefined ? {} : { after }),
    });
  }
}

/** The moment is that of the clock by which pods are created. */
function headersNow(): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', date: new Date(serverNow()).toUTCString() };
}

function isDryRun(call: ApiCall): boolean {
  return call.query.get('dryRun') === 'All';
}

function writeOptions(call: ApiCall): WriteOptions {
  return { manager: call.manager, operation: 'Update', dryRun: isDryRun(call) };
}

function patched(live: StoredObject, call: ApiCall): JsonObject {
  switch (call.contentType) {
    case 'application/merge-patch+json':
      return mergePatch(live, objectBody(call));
    case 'application/json-patch+json':
      return jsonPatch(live, call.body ?? null);
    case 'application/strategic-merge-patch+json':
      if (call.row.isCustom === true) throw unknownFormat(call);
      return strategicMerge(live, objectBody(call));
    default:
      throw unknownFormat(call);
  }
}

function unknownFormat({ contentType }: ApiCall): StatusError {
  const message = `the body of the request was in an unknown format: ${contentType}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

function answerOf(error: unknown): Answer {
  if (!(error instanceof StatusError)) throw error;
  const { retryAfterSeconds, page } = error.details;
  const text = page ?? JSON.stringify(error.toStatus());
  return { status: error.code, text, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
}

function responseOf({ status, text, retryAfterSeconds: seconds }: Answer, signal?: AbortSignal): ApiResponse {
  const headers = { ...headersNow(), ...(seconds !== undefined && { 'retry-after': String(seconds) }) };
  return { status, headers, body: textBody(text, signal) };
}

async function* cutBody(text: string): AsyncGenerator<string, void> {
  yield text.slice(0, text.length / 2);
  throw connectionError('ECONNRESET');
}
