/**
 * The fields of workloads that this program changes: by a rollout or a pause. The admission policies of
 * k8s/components/fences are written from this table, and refuse its account every other change.
 */

import { STAMP_VARIABLES } from '../../lib/annotations/stamp-variables.ts';
import { everyVocabulary } from '../../lib/annotations/vocabularies.ts';
import { RESTARTED_AT_ANNOTATION } from '../../lib/model/kinds/argo-rollout.ts';
import { STAMPED_AFTER_ANNOTATION } from '../../lib/model/kinds/deployment-config.ts';
import { STAKATER_KEYS } from '../../lib/model/settings.ts';
import { STAMP_GRAMMAR } from '../../lib/model/stamp.ts';
import { APPROVED_ANNOTATION, STAMPS_ANNOTATION } from '../../lib/model/workload.ts';

const VOCABULARIES = everyVocabulary({ alternativeAnnotations: {}, stakaterKeys: STAKATER_KEYS });
const RESTART_ANNOTATIONS = [STAMPS_ANNOTATION, RESTARTED_AT_ANNOTATION];

/** See the file's comment. */
export interface OwnWrites {
  /** In the containers of the pod template, not its init containers: variables whose names match are set or removed. */
  readonly variablePattern: string;
  /** The values that such a variable is set to match. */
  readonly stampPattern: string;
  /** Annotations of the pod template that are set or removed. */
  readonly templateAnnotations: readonly string[];
  /** The annotation of a Deployment that is set with `spec.paused`, and removed with it. */
  readonly pausedAt: string;
  /** Annotations of a workload that are removed, and never set. */
  readonly removedAnnotations: readonly string[];
  /** The field of a Rollout's spec that is set to ask for a restart, and never removed. */
  readonly restartField: string;
  /** By kind: annotations of the workload that are set or removed. */
  readonly annotations: Readonly<Record<'Rollout' | 'DeploymentConfig', readonly string[]>>;
}

/** The fields, with the default names of annotations. */
export const OWN_WRITES: OwnWrites = {
  variablePattern: Object.values(STAMP_VARIABLES)
    .map(({ source }) => source)
    .join('|'),
  stampPattern: STAMP_GRAMMAR.source.replaceAll(/\?<\w+>/g, '?:'),
  templateAnnotations: [
    STAMPS_ANNOTATION,
    ...VOCABULARIES.map(({ hash, lastReloadedFrom }) => hash ?? lastReloadedFrom),
  ],
  pausedAt: STAKATER_KEYS.pausedAt,
  removedAnnotations: [...VOCABULARIES.flatMap(({ trigger }) => trigger ?? []), APPROVED_ANNOTATION],
  restartField: 'restartAt',
  annotations: {
    // The record of a restart: what the pods run since then.
    Rollout: RESTART_ANNOTATIONS,
    // The version that the pods ran when the template was stamped.
    DeploymentConfig: [STAMPED_AFTER_ANNOTATION],
  },
};
