/** The object that a person means by `<kind/name>`, in the words of kubectl. */

import { customKind } from '../model/kinds/custom-kind.ts';
import { type ApiResource, CONFIG_KINDS, type ConfigKind, SOURCE_KINDS } from '../model/object-ref.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import type { Options } from '../options/options.ts';
import { KNOWN_KINDS } from '../options/workload-kinds.ts';
import { CommandError } from './connect.ts';

/** What is asked about. */
export type Subject = { readonly name: string } & (
  | { readonly is: 'workload'; readonly kind: string; readonly row: WorkloadKind }
  | { readonly is: 'object'; readonly kind: ConfigKind; readonly row: ApiResource }
);

/** The short names of kubectl, beside the kind and its plural. */
const SHORT_NAMES = new Map(
  'deploy=Deployment sts=StatefulSet ds=DaemonSet cj=CronJob ro=Rollout dc=DeploymentConfig cm=ConfigMap spc=SecretProviderClass'
    .split(' ')
    .map((pair) => pair.split('=') as [short: string, kind: string]),
);

type Named = ApiResource & { readonly kind: string; readonly objectKind?: string };

/** The subject of the operands `kind/name`, or `kind name`. @throws CommandError */
export function subjectOf(operands: readonly string[], options: Options): Subject {
  const [word = '', ...names] = operands.flatMap((operand) => operand.split('/'));
  const [name] = names;
  if (name === undefined || name === '' || names.length > 1)
    throw new CommandError('expected <kind/name>, such as deployment/web or configmap/web', 'usage');
  const lower = word.toLowerCase();
  const isNamed = ({ kind, objectKind, resource, group }: Named): boolean =>
    kind === SHORT_NAMES.get(lower) ||
    [kind, objectKind, resource, `${resource}.${group}`].some((each) => each?.toLowerCase() === lower);
  const row = rowsOf(options).find(isNamed);
  if (row) return { is: 'workload', kind: row.kind, row, name };
  const config = CONFIG_KINDS.find((kind) => isNamed({ ...SOURCE_KINDS[kind], kind }));
  if (config) return { is: 'object', kind: config, row: SOURCE_KINDS[config], name };
  throw new CommandError(`${JSON.stringify(word)} is not a kind that a reloader knows`, 'usage');
}

/** Every kind of workload that is known, with those that only the settings name. */
export function rowsOf(options: Options): readonly WorkloadKind[] {
  return [...KNOWN_KINDS, ...options.workloadKinds.map(customKind)];
}
