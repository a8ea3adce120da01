/** What the rules are set to, fixed for one term. */

import type { Vocabularies } from '../annotations/vocabularies.ts';
import type { ObjectKey } from '../model/object-ref.ts';
import type { PresenceRules } from './presence.ts';

/** See the file's comment. */
export interface Settings {
  readonly vocabularies: Vocabularies;
  /** The namespace of the state ConfigMap, whose objects' keys have no prefix. */
  readonly homeNamespace: string;
  /** The ConfigMaps of this process's own state. */
  readonly ownState: ReadonlySet<ObjectKey>;
  readonly presence: PresenceRules;
  /** The term that the sequences of stamps belong to; undefined: they go on by one. */
  readonly term: number | undefined;
  /** Whether workloads are rolled only in the namespaces that a selector selects. */
  readonly selectsNamespaces: boolean;
  /** Whether objects are watched by their labels: an object that no stream shows may be there all the same. */
  readonly isSelective: boolean;
  /** Whether every object's keys are told apart from the beginning. */
  readonly keyScoped: boolean;
  /** Whether an external rollout may stand for one of ours: it is wanted, and versions of different kinds compare. */
  readonly absorbsExternalRollouts: () => boolean;
  /**
   * Whether a webhook is told in place of a patch. The running digest is then the one that was told last, and a template
   * that is written from outside says nothing.
   */
  readonly onlyTells: boolean;
  /** Ms that never jump, see monotonicMs. */
  readonly now: () => number;
}
