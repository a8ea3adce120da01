/** The entries of --workload-kinds: kinds of workload that the program does not know by itself. */

import type { CustomKind } from '../model/kinds/custom-kind.ts';
import { isDnsLabel, isObjectName } from '../model/object-ref.ts';
import { OPTIONAL_KINDS, WORKLOAD_KINDS, type WorkloadKind } from '../model/workload-kind.ts';

/** The kinds of workload that the program knows by itself. */
export const KNOWN_KINDS: readonly WorkloadKind[] = [...WORKLOAD_KINDS, ...OPTIONAL_KINDS];
const FORM = `group/version/plural:path of a custom resource, such as serving.knative.dev/v1/services:spec.template; the other kinds are ${KNOWN_KINDS.map(({ kind }) => kind).join(', ')}`;
const FIELD = /^[A-Za-z][A-Za-z0-9_-]*$/;

/** The property of Options that serves a kind. */
export type ServedSetting =
  | 'cronjobReload'
  | 'jobReload'
  | 'isArgoRollouts'
  | 'isOpenshift'
  | 'enableCsiIntegration';
/**
 * The flag that serves a kind, as it may be written, and its property of Options: `none` or `false` leaves the kind out, `auto` serves it where the
 * account has the rights for it. The other kinds that the program knows by itself are always served.
 */
export const SERVED_BY: Readonly<Record<string, { readonly flag: string; readonly setting: ServedSetting }>> =
  {
    CronJob: { flag: '--cronjob-reload=run-now', setting: 'cronjobReload' },
    Job: { flag: '--job-reload=recreate-running', setting: 'jobReload' },
    Rollout: { flag: '--is-Argo-Rollouts=auto', setting: 'isArgoRollouts' },
    DeploymentConfig: { flag: '--is-openshift=auto', setting: 'isOpenshift' },
    SecretProviderClass: { flag: '--enable-csi-integration=auto', setting: 'enableCsiIntegration' },
  };

/** The entry; a text if it is malformed: it completes the error "expected …". */
export function parseFurtherKind(text: string): CustomKind | string {
  const colon = text.indexOf(':');
  const [group = '', version = '', resource = '', ...others] = text
    .slice(0, colon < 0 ? text.length : colon)
    .split('/');
  if (resource === '' && version !== '')
    return `${FORM}; this one has no group: kinds of the core group are not added`;
  if (others.length > 0 || !isObjectName(group) || !isDnsLabel(version) || !isDnsLabel(resource)) return FORM;
  const known = KNOWN_KINDS.find((row) => row.group === group && row.resource === resource);
  if (known !== undefined) {
    const { flag } = SERVED_BY[known.kind] ?? {};
    if (flag === undefined) return `no ${known.kind}s: they are always served; take the entry away`;
    return `no ${known.kind}s: ${flag} serves them; write that flag in place of the entry`;
  }
  if (!group.includes('.')) return `${FORM}; ${group} is a group of Kubernetes itself, no custom resource`;
  if (colon < 0) return `${FORM}; the path of the pod template is missing: append such as :spec.template`;
  const path = text.slice(colon + 1);
  const templatePath = templatePathOf(path);
  return typeof templatePath === 'string' ? templatePath : { group, version, resource, templatePath };
}

function templatePathOf(path: string): readonly string[] | string {
  const [spec, ...fields] = path.split('.');
  if (spec !== 'spec' || fields.length === 0)
    return `a path that begins with "spec.", such as :spec.template`;
  if (fields.some((field) => /\[|^\d+$/.test(field)))
    return `a path of fields alone, such as :spec.template: a pod template in a list cannot be served`;
  return fields.every((field) => FIELD.test(field))
    ? fields
    : `a path of fields with dots between them, such as :spec.template`;
}
