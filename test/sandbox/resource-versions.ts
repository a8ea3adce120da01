/** How the store's one counter is shown to clients. */

import type { ResourceRow } from './resource-table.ts';

/**
 * `comparable`: the counter in decimal, as from one etcd. `per-kind`: decimal, but each kind counts from elsewhere.
 * `several-etcds`: as from one etcd, but Secrets count from below and StatefulSets from above.
 */
export type VersionStyle = 'comparable' | 'per-kind' | 'several-etcds';

/** Writes and reads resourceVersions in one style. */
export interface VersionCodec {
  readonly encode: (row: ResourceRow, sequence: number) => string;
  /** Undefined for what this codec never wrote. */
  readonly decode: (row: ResourceRow, resourceVersion: string) => number | undefined;
}

const DECIMAL = /^\d{1,15}$/;

const CODECS: Readonly<Record<VersionStyle, VersionCodec>> = {
  comparable: {
    encode: (_, sequence) => String(sequence),
    decode: (_, text) => (DECIMAL.test(text) ? Number(text) : undefined),
  },
  'per-kind': {
    encode: (row, sequence) => String(sequence + offsetOf(row)),
    decode: (row, text) => (DECIMAL.test(text) ? Number(text) - offsetOf(row) : undefined),
  },
  'several-etcds': {
    encode: (row, sequence) => String(sequence + etcdOf(row) * 1_000_000),
    decode: (row, text) => (DECIMAL.test(text) ? Number(text) - etcdOf(row) * 1_000_000 : undefined),
  },
};

/** The codec of a style. */
export function versionCodec(style: VersionStyle): VersionCodec {
  return CODECS[style];
}

function etcdOf({ resource }: ResourceRow): number {
  return resource === 'secrets' ? 1 : resource === 'statefulsets' ? 3 : 2;
}

/** Some multiple of a million that differs from kind to kind. */
function offsetOf(row: ResourceRow): number {
  let sum = 0;
  for (const letter of row.resource) sum = (sum * 31 + letter.charCodeAt(0)) % 9973;
  return sum * 1_000_000;
}
