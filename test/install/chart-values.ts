/** Sets of values that the tests of the chart render: a name, the values, and what the cluster has. */

import type { Rendering, Values } from './chart.ts';

/** One set. */
export interface ValueSet extends Pick<Rendering, 'kubeVersion' | 'apiVersions'> {
  readonly name: string;
  readonly values: Values;
}

/** All of them. */
export const VALUE_SETS: readonly ValueSet[] = [
  { name: 'the defaults', values: {} },
  { name: 'one namespace', values: { reloader: { watchGlobally: false } } },
  { name: 'some namespaces', values: { reloader: { watchGlobally: false, namespaces: ['web', 'api'] } } },
  { name: 'a pair', values: { ha: { enabled: true } } },
  { name: 'the admission webhook', values: { admission: { enabled: true } } },
  { name: 'a network policy', values: { networkPolicy: { enabled: true } } },
];
