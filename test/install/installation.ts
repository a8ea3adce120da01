/** What an installation is, read from its manifests: the pod, what it is told, and what its account may do. */

import assert from 'node:assert/strict';
import { type Place, placeOf } from '../../lib/app/assembly.ts';
import { permissionsOf } from '../../lib/app/preflight.ts';
import type { PolicyRule } from '../../lib/kubernetes/permissions.ts';
import type { Options } from '../../lib/options/options.ts';
import { parseOptions } from '../../lib/options/parse-options.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { render } from './kustomization.ts';
import { titleOf } from './replacement.ts';

/** What its objects say of the reloader's pod. */
export interface Installed {
  readonly objects: readonly JsonObject[];
  readonly deployment: JsonObject;
  /** The pod template's spec, and its only container. */
  readonly pod: JsonObject;
  readonly container: JsonObject;
  /** The container's arguments and variables, as the kubelet fills them in. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the program makes of the container's arguments and variables, and where they send it. */
  readonly options: Options;
  readonly notices: readonly string[];
  readonly place: Place;
}

/** One installation below k8s. */
export interface Installation extends Installed {
  readonly service: JsonObject;
}

/** One thing that may be done: `<namespace, or *>: <verb> <group>/<resource>[ <name>]`. */
export type Right = string;

/** Reads the installation in a folder below k8s, with these components. */
export function installationIn(folder: string, components: readonly string[] = []): Installation {
  const objects = render(folder, { components });
  const service = the(
    objects.filter((object) => titleOf(object) !== WEBHOOK_SERVICE),
    'Service',
  );
  return { ...installedBy(objects), service };
}

/** What the program makes of the Deployment among these objects. */
export function installedBy(objects: readonly JsonObject[]): Installed {
  const deployment = the(objects, 'Deployment');
  const pod = objectOf(pick(deployment, 'spec', 'template', 'spec'));
  const [container = {}] = objectsOf(pod['containers']);
  const own = namespaceOf(deployment);
  const env = environmentOf(container, own, objects);
  const args = argumentsOf(container, env);
  const command = parseOptions(args, env);
  assert.ok(command.type === 'run', JSON.stringify(command));
  const { options, notices } = command;
  const place = placeOf(options, own);
  return { objects, deployment, pod, container, args, env, options, notices, place };
}

/** The rights that `rule` gives in a namespace, or in all of them. */
export function rightsOf(namespace: string | undefined, rule: PolicyRule): Right[] {
  const names = rule.resourceNames === undefined ? [''] : rule.resourceNames.map((name) => ` ${name}`);
  return rule.apiGroups.flatMap((group) =>
    rule.resources.flatMap((resource) =>
      rule.verbs.flatMap((verb) =>
        names.map((name) => `${namespace ?? '*'}: ${verb} ${group}/${resource}${name}`),
      ),
    ),
  );
}

/** The rights that the program asks for, each once. @param mayEvict whether workloads may ask for evictions */
export function askedBy(installed: Installed, mayEvict = false): Right[] {
  const options = mayEvict ? { ...installed.options, reloadStrategy: 'evict' as const } : installed.options;
  const asked = permissionsOf({ ...installed, options });
  return [...new Set(asked.flatMap(({ namespace, rule }) => rightsOf(namespace, rule)))];
}

/** The rights that the bindings among the objects give the pod's service account. */
export function grantedTo({ objects, deployment, pod }: Installed): Right[] {
  const isAccount = (subject: JsonObject): boolean =>
    subject['kind'] === 'ServiceAccount' &&
    subject['name'] === pod['serviceAccountName'] &&
    subject['namespace'] === namespaceOf(deployment);
  const bindings = objects.filter(
    ({ kind, subjects }) => BINDINGS.includes(stringOf(kind) ?? '') && objectsOf(subjects).some(isAccount),
  );
  return bindings.flatMap((binding) => {
    const rules = objectsOf(roleOf(objects, binding)['rules']) as unknown as readonly PolicyRule[];
    const where = binding['kind'] === 'RoleBinding' ? namespaceOf(binding) : undefined;
    return rules.flatMap((rule) => rightsOf(where, rule));
  });
}

/** The role that a binding refers to. */
export function roleOf(objects: readonly JsonObject[], binding: JsonObject): JsonObject {
  const { kind, name } = objectOf(binding['roleRef']);
  const role = objects.find(
    (object) =>
      titleOf(object) === `${stringOf(kind)}/${stringOf(name)}` &&
      (kind === 'ClusterRole' || namespaceOf(object) === namespaceOf(binding)),
  );
  assert.ok(role, `${titleOf(binding)} binds nothing`);
  return role;
}

/** The Service that the API server asks. */
export const WEBHOOK_SERVICE = 'Service/kubernetes-reloader-webhook';

/** Both kinds of binding. */
export const BINDINGS: readonly string[] = ['RoleBinding', 'ClusterRoleBinding'];

function the(objects: readonly JsonObject[], kind: string): JsonObject {
  const [found, ...others] = objects.filter((object) => object['kind'] === kind);
  assert.ok(found !== undefined && others.length === 0, `not exactly one ${kind}`);
  return found;
}

function namespaceOf(object: JsonObject): string {
  return stringOf(pick(object, 'metadata', 'namespace')) ?? '';
}

/** What the downward API tells of any pod. */
const POD: Readonly<Record<string, string>> = { 'metadata.name': 'reloader-0', 'metadata.uid': 'uid-of-pod' };

/** The variables that the container has, as the kubelet fills them in. */
function environmentOf(
  container: JsonObject,
  namespace: string,
  objects: readonly JsonObject[],
): Record<string, string> {
  const variables = objectsOf(container['env']).map((variable): [string, string] => {
    const { fieldRef, resourceFieldRef, secretKeyRef: key } = objectOf(variable['valueFrom'] ?? {});
    const field = pick(fieldRef, 'fieldPath');
    const fields: Readonly<Record<string, string>> = { ...POD, 'metadata.namespace': namespace };
    const told = fields[String(field)] ?? (resourceFieldRef && '1') ?? variable['value'];
    const value = key === undefined ? told : secretIn(objects, key);
    assert.ok(value !== undefined, `no value of ${String(field)}`);
    return [stringOf(variable['name']) ?? '', stringOf(value) ?? ''];
  });
  return Object.fromEntries(variables);
}

/** A value of a Secret among the objects; of one that is not among them, any text. */
function secretIn(objects: readonly JsonObject[], key: Json): string {
  const title = `Secret/${stringOf(pick(key, 'name'))}`;
  const secret = objects.find((object) => titleOf(object) === title);
  if (secret === undefined) return 'of another Secret';
  const value = stringOf(pick(secret, 'data', stringOf(pick(key, 'key')) ?? ''));
  assert.ok(value !== undefined, `${title} lacks ${JSON.stringify(key)}`);
  return Buffer.from(value, 'base64').toString();
}

/** The arguments, with `$(NAME)` replaced as the kubelet does it. */
function argumentsOf({ args }: JsonObject, env: Readonly<Record<string, string>>): string[] {
  assert.ok(Array.isArray(args));
  return args.map((arg) =>
    String(arg).replaceAll(/\$\(([^)]+)\)/g, (text, name: string) => env[name] ?? text),
  );
}
