/** The object that a person means by `<kind/name>`, in the words of kubectl. */

import { customKind } from '../model/kinds/custom-kind.ts';
import {
  type ApiResource,
  CONFIG_KINDS,
  type ConfigKind,
  configKindOf,
  SOURCE_KINDS,
} from '../model/object-ref.ts';
import type { WorkloadKind } from '../model/workload-kind.ts';
import type { Options } from '../options/options.ts';
import { KNOWN_KINDS } from '../options/workload-kinds.ts';
import { CommandError } from './connect.ts';

/** What is asked about. */
export type Subject =
  | { readonly is: 'workload'; readonly row: WorkloadKind; readonly name: string }
  | { readonly is: 'object'; readonly kind: ConfigKind; readonly name: string };

/** The short names of kubectl, beside the kind and its plural. */
const SHORT_NAMES = new Map(
  'deploy=Deployment sts=StatefulSet ds=DaemonSet cj=CronJob ro=Rollout dc=DeploymentConfig cm=ConfigMap spc=SecretProviderClass'
    .split(' ')
    .map((pair) => pair.split('=') as [short: string, kind: string]),
);

/** The subject of the operands `kind/name`, or `kind name`. @throws CommandError */
export function subjectOf(operands: readonly string[], options: Options): Subject {
  const [word = '', ...names] = operands.flatMap((operand) => operand.split('/'));
  const [name] = names;
  if (name === undefined || name === '' || names.length > 1)
    throw new CommandError('expected <kind/name>, such as deployment/web or configmap/web', 'usage');
  const kind = kindNamed(word, options);
  const config = configKindOf(kind);
  if (config !== undefined) return { is: 'object', kind: config, name };
  const row = rowsOf(options).find((each) => each.kind === kind);
  if (row === undefined) throw new CommandError(`${word} is not a kind that a reloader knows`, 'usage');
  return { is: 'workload', row, name };
}

/** The kind of a subject. */
export function kindOf(subject: Subject): string {
  return subject.is === 'workload' ? subject.row.kind : subject.kind;
}

/** The resource of a kind of workload or object. @throws CommandError */
export function resourceOf(kind: string, options: Options): ApiResource {
  const config = configKindOf(kind);
  const row =
    config === undefined ? rowsOf(options).find((each) => each.kind === kind) : SOURCE_KINDS[config];
  if (row === undefined) throw new CommandError(`${kind} is not a kind that a reloader knows`, 'usage');
  return row;
}

/** Every kind of workload that is known, with those that only the settings name. */
export function rowsOf(options: Options): readonly WorkloadKind[] {
  return [...KNOWN_KINDS, ...options.furtherKinds.map(customKind)];
}

function kindNamed(word: string, options: Options): string {
  const rows: readonly (ApiResource & { readonly kind: string; readonly objectKind?: string })[] = [
    ...rowsOf(options),
    ...CONFIG_KINDS.map((kind) => ({ ...SOURCE_KINDS[kind], kind })),
  ];
  const lower = word.toLowerCase();
  const found = rows.find(({ kind, objectKind, resource, group }) =>
    [kind, objectKind, resource, `${resource}.${group}`].some((each) => each?.toLowerCase() === lower),
  );
  const kind = found?.kind ?? SHORT_NAMES.get(lower);
  if (kind !== undefined) return kind;
  throw new CommandError(`${JSON.stringify(word)} is not a kind that a reloader knows`, 'usage');
}
