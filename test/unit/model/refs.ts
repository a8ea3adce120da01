/** References for laws: few short parts, so that different ones often look alike. */

import type { ConfigRef, WorkloadRef } from '../../../lib/model/object-ref.ts';
import { fc } from '../../laws.ts';

const part = fc.stringMatching(/^[ab]([ab-]{0,2}[ab])?$/);
const name = fc.oneof(
  part,
  fc.tuple(part, part).map(([a, b]) => `${a}.${b}`),
  fc.constant('v1.configmap'),
);
const namespace = fc.oneof(part, fc.constantFrom('home', 'ran', 'v1'));

/** References of ConfigMaps and Secrets. */
export const refs: fc.Arbitrary<ConfigRef> = fc.record(
  {
    kind: fc.constantFrom('ConfigMap', 'Secret'),
    namespace,
    name,
  },
  { noNullPrototype: true },
);

/** References of some keys of these: few letters, so that different ones often look alike. */
export const scopedRefs: fc.Arbitrary<ConfigRef> = fc
  .tuple(refs, fc.uniqueArray(fc.stringMatching(/^[a_.-]{1,4}$/), { maxLength: 3 }))
  .map(([ref, keys]) => (keys.length === 0 ? ref : { ...ref, keys: keys.sort() }));

/** References of workloads. */
export const workloadRefs: fc.Arbitrary<WorkloadRef> = fc.record(
  {
    kind: fc.constantFrom('Deployment', 'StatefulSet', 'DaemonSet'),
    namespace,
    name,
  },
  { noNullPrototype: true },
);
