/** The protobuf form in which kubectl's imperative commands send objects, for the few kinds that need it. */

import { type JsonDraft, type JsonObject, objectOf } from './json.ts';
import { StatusError } from './status-error.ts';

/** How a field is read: a scalar, a map of them, another message, or a list of one of these. */
type FieldType = 'string' | 'bytes' | 'bool' | 'strings' | 'string map' | 'bytes map' | Message;
interface Message {
  readonly [fieldNumber: number]: readonly [name: string, type: FieldType];
}

const METADATA: Message = {
  1: ['name', 'string'],
  2: ['generateName', 'string'],
  3: ['namespace', 'string'],
  5: ['uid', 'string'],
  6: ['resourceVersion', 'string'],
  11: ['labels', 'string map'],
  12: ['annotations', 'string map'],
  14: ['finalizers', 'strings'],
};

const RESOURCE_ATTRIBUTES: Message = {
  1: ['namespace', 'string'],
  2: ['verb', 'string'],
  3: ['group', 'string'],
  4: ['version', 'string'],
  5: ['resource', 'string'],
  6: ['subresource', 'string'],
  7: ['name', 'string'],
};

const MESSAGES: Readonly<Record<string, Message>> = {
  ConfigMap: {
    1: ['metadata', METADATA],
    2: ['data', 'string map'],
    3: ['binaryData', 'bytes map'],
    4: ['immutable', 'bool'],
  },
  Secret: {
    1: ['metadata', METADATA],
    2: ['data', 'bytes map'],
    3: ['type', 'string'],
    4: ['stringData', 'string map'],
    5: ['immutable', 'bool'],
  },
  Namespace: { 1: ['metadata', METADATA] },
  SelfSubjectAccessReview: {
    1: ['metadata', METADATA],
    2: ['spec', { 1: ['resourceAttributes', RESOURCE_ATTRIBUTES] }],
  },
};

const MAGIC = 'k8s\0';

/** Whether a body is in this form. */
export function isKubeProtobuf(body: Buffer): boolean {
  return body.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
}

/**
 * The object of a body in this form.
 *
 * @throws StatusError 415 for a kind that is not known here; sent as JSON (`kubectl create -f`) it is accepted
 */
export function fromKubeProtobuf(body: Buffer): JsonObject {
  const envelope = [...fieldsOf(body.subarray(MAGIC.length))];
  const type = objectOf(
    messageOf({ 1: ['apiVersion', 'string'], 2: ['kind', 'string'] }, bytesOf(envelope, 1)),
  );
  const message = MESSAGES[String(type['kind'])];
  if (message === undefined) {
    const text = `the sandbox reads no protobuf of ${String(type['kind'])}: send JSON, as create -f does`;
    throw new StatusError(415, 'UnsupportedMediaType', text);
  }
  return { ...type, ...messageOf(message, bytesOf(envelope, 2)) };
}

interface Field {
  readonly number: number;
  /** A varint. */
  readonly value: number;
  /** What is length-delimited. */
  readonly bytes: Buffer;
}

/** The fields of a message in order; only varints and length-delimited ones occur in these kinds. */
function* fieldsOf(buffer: Buffer): Generator<Field, void> {
  let at = 0;
  const varint = (): number => {
    let [value, factor, byte] = [0, 1, 0x80];
    for (; byte >= 0x80; factor *= 128) {
      byte = buffer[at] ?? 0;
      value += (byte & 0x7f) * factor;
      at += 1;
    }
    return value;
  };
  while (at < buffer.length) {
    const tag = varint();
    const value = varint();
    const isDelimited = tag % 8 === 2;
    const bytes = isDelimited ? buffer.subarray(at, at + value) : NO_BYTES;
    if (isDelimited) at += value;
    yield { number: Math.floor(tag / 8), value, bytes };
  }
}

const NO_BYTES = Buffer.alloc(0);

function bytesOf(fields: readonly Field[], number: number): Buffer {
  return fields.find((field) => field.number === number)?.bytes ?? NO_BYTES;
}

function messageOf(message: Message, buffer: Buffer): JsonObject {
  const object: JsonDraft = {};
  for (const field of fieldsOf(buffer)) {
    const [name, type] = message[field.number] ?? [];
    if (name !== undefined && type !== undefined && !isEmptyString(type, field)) {
      object[name] = valueOfField(type, field, object[name]);
    }
  }
  return object;
}

/** Protobuf writes empty strings where JSON has no field. */
function isEmptyString(type: FieldType, field: Field): boolean {
  return type === 'string' && field.bytes.length === 0;
}

function valueOfField(type: FieldType, field: Field, before: JsonDraft[string]): JsonDraft[string] {
  switch (type) {
    case 'string':
      return field.bytes.toString('utf8');
    case 'bytes':
      return field.bytes.toString('base64');
    case 'bool':
      return field.value === 1;
    case 'strings':
      return [...(Array.isArray(before) ? before : []), field.bytes.toString('utf8')];
    case 'string map':
      return { ...objectOf(before), ...entryOf(field.bytes, 'utf8') };
    case 'bytes map':
      return { ...objectOf(before), ...entryOf(field.bytes, 'base64') };
    default:
      return messageOf(type, field.bytes);
  }
}

function entryOf(buffer: Buffer, encoding: 'utf8' | 'base64'): JsonObject {
  const fields = [...fieldsOf(buffer)];
  return { [bytesOf(fields, 1).toString('utf8')]: bytesOf(fields, 2).toString(encoding) };
}
