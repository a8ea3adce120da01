/** The types of the fields that are read of a manifest. */

import { isStampVariable } from '../../annotations/stamp-variables.ts';
import { NAMESPACES } from '../../kubernetes/api-path.ts';
import { type ApiResource, CONFIG_KINDS, type ConfigKind, SOURCE_KINDS } from '../../model/object-ref.ts';
import { findWorkloadKind, OPTIONAL_KINDS, specWith, WORKLOAD_KINDS } from '../../model/workload-kind.ts';

/** The type of a value; `*` is that of all other fields of a map. */
type Shape = 'string' | typeof BASE64 | 'number' | 'boolean' | readonly [Shape] | Shapes;
/** The fields of a map by their names. */
export type Shapes = { readonly [field: string]: Shape };

/** A value of another type than the API server takes. */
export interface Misfit {
  /** The fields, and the numbers of the items of lists. */
  readonly path: readonly (string | number)[];
  readonly is: string;
  readonly wanted: string;
}

const BASE64 = 'base64 text';
const DECODED = /^(?:[a-z\d+/]{4})*(?:[a-z\d+/]{2}==|[a-z\d+/]{3}=)?$/i;
const TEXTS: Shape = { '*': 'string' };
const MARKS: Shape = { '*': 'string' };
const WORDS = { annotations: MARKS, labels: MARKS };
/** The types of an object of another kind. */
export const ANY_OBJECT: Shapes = {
  metadata: {
    ...WORDS,
    name: 'string',
    generateName: 'string',
    namespace: 'string',
    uid: 'string',
    resourceVersion: 'string',
    managedFields: [{ manager: 'string', time: 'string' }],
    finalizers: ['string'],
    ownerReferences: [{}],
  },
};
const KEY: Shape = { name: 'string', key: 'string' };
const SOURCE = { name: 'string', items: [{ key: 'string', path: 'string' }] } as const;
const VALUE_FROM: Shape = { configMapKeyRef: KEY, secretKeyRef: KEY, fieldRef: {} };
const CONTAINER: Shape = {
  name: 'string',
  image: 'string',
  args: ['string'],
  env: [{ name: 'string', value: 'string', valueFrom: VALUE_FROM }],
  envFrom: [{ configMapRef: KEY, secretRef: KEY }],
  volumeMounts: [{ name: 'string', subPath: 'string', subPathExpr: 'string' }],
  resources: {},
};
const VOLUME: Shape = {
  name: 'string',
  configMap: SOURCE,
  secret: { ...SOURCE, secretName: 'string' },
  csi: { driver: 'string', volumeAttributes: TEXTS },
  projected: { sources: [{ configMap: SOURCE, secret: SOURCE }] },
};
const TEMPLATE = {
  metadata: WORDS,
  spec: { containers: [CONTAINER], initContainers: [CONTAINER], volumes: [VOLUME] },
} satisfies Shape;
const SPEC: Shapes = {
  replicas: 'number',
  paused: 'boolean',
  suspend: 'boolean',
  updateStrategy: { rollingUpdate: { partition: 'number' } },
  triggers: [{}],
  workloadRef: { apiVersion: 'string', kind: 'string', name: 'string' },
  strategy: { canary: { steps: [{ pause: {} }] }, blueGreen: {} },
};
const STATUS: Shape = { conditions: [{}], pauseConditions: [{}] };
const CONTENTS: Readonly<Record<ConfigKind, Shapes>> = {
  ConfigMap: { data: TEXTS, binaryData: { '*': BASE64 }, immutable: 'boolean' },
  Secret: { type: 'string', data: { '*': BASE64 }, stringData: TEXTS, immutable: 'boolean' },
  SecretProviderClass: {},
};

/** The kinds that the program knows, with the types of their fields. */
export const KNOWN_KINDS: readonly (ApiResource & { readonly kind: string; readonly shape: Shapes })[] = [
  ...[...WORKLOAD_KINDS, ...OPTIONAL_KINDS].map((row) => {
    const spec = specWith(row, row.isOptional === true ? { ...TEMPLATE } : TEMPLATE);
    return { ...row, shape: { ...ANY_OBJECT, spec: { ...SPEC, ...spec }, status: STATUS } };
  }),
  ...CONFIG_KINDS.map((kind) => ({
    ...SOURCE_KINDS[kind],
    kind,
    shape: { ...ANY_OBJECT, ...CONTENTS[kind] },
  })),
  { ...NAMESPACES, kind: 'Namespace', shape: ANY_OBJECT },
];

type Fields = Readonly<Record<string, unknown>>;

/** What the reloader reads of an object, but for its own stamps. */
export function readIn(object: object, kind: string, isRead: (key: string) => boolean): object {
  const row = findWorkloadKind(kind);
  const parts = { metadata: WORDS, data: TEXTS, binaryData: TEXTS };
  const shape = { ...parts, ...(row && { spec: specWith(row, TEMPLATE) as Shapes }) };
  return partOf(object, shape, isRead) as object;
}

function partOf(value: unknown, shape: Shape, isRead: (key: string) => boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isStampVariable(String((item as Fields)['name'])));
    return items.map((item) => partOf(item, (shape as readonly Shape[])[0] ?? {}, isRead));
  }
  if (typeof shape === 'string' || typeOf(value) !== 'map' || Object.keys(shape).length === 0) return value;
  const fields = Object.entries(value as object).flatMap(([key, each]: [string, unknown]) => {
    const own = (shape as Shapes)[Object.hasOwn(shape, key) ? key : '*'];
    if (own === undefined || (shape === MARKS && !isRead(key))) return [];
    const part = partOf(each, own, isRead) ?? {};
    return typeof part === 'object' && Object.keys(part).length === 0 ? [] : [[key, part]];
  });
  return Object.fromEntries(fields);
}

/** The value without what misfits; numbers become texts where texts are wanted. */
export function fitted(
  value: unknown,
  shape: Shape,
  onMisfit: (misfit: Misfit) => void,
  path: Misfit['path'] = [],
): unknown {
  const wanted = typeof shape !== 'string' ? typeOf(shape) : shape === BASE64 ? 'string' : shape;
  const is = typeOf(value);
  if (is !== wanted) {
    onMisfit({ path, is, wanted });
    return wanted === 'string' && ['number', 'boolean'].includes(is) ? String(value) : undefined;
  }
  if (Array.isArray(value)) {
    const [item = {}] = shape as readonly Shape[];
    const hasName = typeof item === 'object' && 'name' in item;
    return value.flatMap((each: unknown, index) => {
      const own = fitted(each, item, onMisfit, [...path, index]) as Fields | undefined;
      return own === undefined || (hasName && typeof own['name'] !== 'string') ? [] : own;
    });
  }
  if (shape === BASE64) return decodable(String(value), () => onMisfit({ path, is, wanted: shape }));
  if (typeof shape === 'string') return value;
  const fields = Object.entries(value as object).map(([field, each]: [string, unknown]) => {
    const own = Object.hasOwn(shape, field) ? (shape as Shapes)[field] : (shape as Shapes)['*'];
    const isAbsent = own === undefined || (each === null && own !== TEMPLATE);
    return [field, isAbsent ? each : fitted(each, own, onMisfit, [...path, field])];
  });
  return Object.fromEntries(fields);
}

function decodable(text: string, onMisfit: () => void): string {
  if (!DECODED.test(text.replaceAll(/[\r\n]/g, ''))) onMisfit();
  return Buffer.from(text, 'base64').toString('base64');
}

/** The type of a value in the words of YAML. */
export function typeOf(value: unknown): string {
  if (typeof value !== 'object') return typeof value;
  return value === null ? 'null' : Array.isArray(value) ? 'list' : 'map';
}
