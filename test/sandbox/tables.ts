/** Lists and watches as tables, which is how kubectl asks for what it prints: the columns that people know. */

import { readText } from '../../lib/kubernetes/json-call.ts';
import { linesOf } from '../../lib/kubernetes/response-body.ts';
import type { ApiRequest, ApiResponse, Piece } from '../../lib/kubernetes/transport.ts';
import { textBody } from './event-stream.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick, stringOf } from './json.ts';
import { serverNow } from './server-clock.ts';

/** A column: its heading, and its cell for an object. */
type Column = readonly [name: string, cellOf: (object: JsonObject) => Json];

/** `response` as a table if `request` wants one and the kind has columns, else as it is. */
export async function tabled(request: ApiRequest, response: ApiResponse): Promise<ApiResponse> {
  const wantsTable = /;as=Table/.test(request.headers?.['accept'] ?? '');
  if (!wantsTable || request.method !== 'GET' || response.status !== 200) return response;
  const isWatch = /[?&]watch=(1|true)/.test(request.path);
  if (isWatch) return { ...response, body: tabledLines(response.body) };
  const table = tableOf(JSON.parse(await readText(response)));
  return { ...response, body: textBody(JSON.stringify(table), request.signal) };
}

async function* tabledLines(body: AsyncIterable<Piece>): AsyncGenerator<string, void> {
  for await (const line of linesOf(body, Number.POSITIVE_INFINITY)) {
    const event: JsonObject = JSON.parse(line);
    yield `${JSON.stringify({ ...event, object: tableOf(objectOf(event['object'])) })}\n`;
  }
}

/** A list or a single object as a table; what has no columns stays as it is. */
function tableOf(answer: JsonObject): JsonObject {
  const given = stringOf(answer['kind']) ?? '';
  const kind = given.replace(/List$/, '');
  const own = COLUMNS[kind];
  if (own === undefined) return answer;
  const columns = kind === 'Event' ? own : [NAME, ...own, AGE];
  const objects = given === kind ? [answer] : objectsOf(answer['items']);
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: given === kind ? {} : answer['metadata'],
    columnDefinitions: columns.map(([name]) => ({
      name,
      type: 'string',
      format: name === 'Name' ? 'name' : '',
      description: '',
      priority: 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map(([, cellOf]) => cellOf(object)),
      object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object['metadata'] },
    })),
  };
}

const NAME: Column = ['Name', (object) => pick(object, 'metadata', 'name') ?? ''];
const AGE: Column = ['Age', (object) => ageOf(pick(object, 'metadata', 'creationTimestamp'))];

const COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Deployment: [
    [
      'Ready',
      (object) =>
        `${sequenceIn(object, 'status', 'readyReplicas')}/${sequenceIn(object, 'spec', 'replicas')}`,
    ],
    ['Up-to-date', (object) => sequenceIn(object, 'status', 'updatedReplicas')],
    ['Available', (object) => sequenceIn(object, 'status', 'availableReplicas')],
  ],
  StatefulSet: [
    [
      'Ready',
      (object) =>
        `${sequenceIn(object, 'status', 'readyReplicas')}/${sequenceIn(object, 'spec', 'replicas')}`,
    ],
  ],
  DaemonSet: [
    ['Desired', (object) => sequenceIn(object, 'status', 'desiredNumberScheduled')],
    ['Current', (object) => sequenceIn(object, 'status', 'currentNumberScheduled')],
    ['Ready', (object) => sequenceIn(object, 'status', 'numberReady')],
    ['Up-to-date', (object) => sequenceIn(object, 'status', 'updatedNumberScheduled')],
  ],
  Pod: [
    ['Ready', readyContainersOf],
    ['Status', (object) => pick(object, 'status', 'phase') ?? 'Unknown'],
  ],
  ConfigMap: [['Data', (object) => keysIn(object, 'data') + keysIn(object, 'binaryData')]],
  Secret: [
    ['Type', (object) => object['type'] ?? ''],
    ['Data', (object) => keysIn(object, 'data')],
  ],
  Event: [
    ['Last Seen', (object) => ageOf(object['lastTimestamp'] ?? object['eventTime'])],
    ['Type', (object) => object['type'] ?? ''],
    ['Reason', (object) => object['reason'] ?? ''],
    ['Object', subjectOf],
    ['Message', (object) => object['message'] ?? object['note'] ?? ''],
  ],
};

function sequenceIn(object: JsonObject, ...path: readonly string[]): number {
  const value = pick(object, ...path);
  return typeof value === 'number' ? value : 0;
}

function keysIn(object: JsonObject, field: string): number {
  return Object.keys(objectOf(object[field])).length;
}

function readyContainersOf(pod: JsonObject): string {
  const count = objectsOf(pick(pod, 'spec', 'containers')).length;
  const isReady = objectsOf(pick(pod, 'status', 'conditions')).some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  return `${isReady ? count : 0}/${count}`;
}

function subjectOf(event: JsonObject): string {
  const about = objectOf(event['involvedObject'] ?? event['regarding']);
  return `${String(about['kind']).toLowerCase()}/${String(about['name'])}`;
}

/** `75s`, `12m`, `5h`, `3d`. */
function ageOf(timestamp: Json | undefined): string {
  const seconds = Math.max(0, Math.floor((serverNow() - Date.parse(stringOf(timestamp) ?? '')) / 1000));
  if (Number.isNaN(seconds)) return '<unknown>';
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 3 * 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 48 * 3600 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}
