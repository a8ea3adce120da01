/** The settings of the rules, frozen for one term. */

import type { Vocabularies } from '../annotations/vocabularies.ts';
import type { Algorithms } from '../model/digest.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { Knows } from '../model/state-entry.ts';
import type { PresenceRules } from './presence.ts';

/** See the file's comment. */
export interface Settings {
  readonly vocabularies: Vocabularies;
  /** The algorithms of digests; they are known before the first object is observed. */
  readonly algorithms: Algorithms;
  /** Whether contents can be digested under an algorithm. */
  readonly knows: Knows;
  /** The namespace of the state ConfigMap, whose objects' keys have no prefix. */
  readonly homeNamespace: string;
  /** The ConfigMaps of this process's own state. */
  readonly ownState: ReadonlySet<ObjectKey>;
  /** The Secret with the keys of this process's digests. */
  readonly ownKeys: ObjectKey;
  readonly presence: PresenceRules;
  /** Makes the id of the next rollout, see `stampIds`. */
  readonly newStampId: () => number;
  /** Whether a command reads: the reloader that wrote the state has recorded what it doubts. @default false */
  readonly isObserver?: boolean | undefined;
  /** Whether a selector limits rollouts to some namespaces. */
  readonly selectsNamespaces: boolean;
  /** Whether annotations of namespaces count for their workloads. @default false */
  readonly readsNamespaces?: boolean;
  /** Whether objects are watched by a label selector: an object that no stream shows may exist all the same. */
  readonly isSelective: boolean;
  /**
   * Whether an external rollout may absorb one of ours: the options ask for it, and versions of different kinds are comparable.
   */
  readonly absorbsExternalRollouts: () => boolean;
  /**
   * Whether a webhook is called in place of a patch. Then the running digest is the one of the last notification, and changes
   * of the template by external writers mean nothing.
   */
  readonly onlyTells: boolean;
}
