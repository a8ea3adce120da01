/** A fence as the objects of the API server: a policy with its variables, and the binding that enforces it. */

import { stringify } from 'yaml';
import type { JsonObject } from '../sandbox/json.ts';

const GUIDE = 'docs/guides/tenants.md';

type NameValues = Readonly<Record<string, string | readonly string[]>>;

/** Requests that a policy matches. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

/** A policy. */
export interface Fence {
  readonly name: string;
  readonly about: string;
  readonly rules: readonly Rule[];
  /** Those that an installation chooses, which are variables. */
  readonly names: readonly string[];
  /** Further variables: CEL by name. */
  readonly variables?: Readonly<Record<string, string>>;
  /** CEL by the message of the refusal. */
  readonly validations: Readonly<Record<string, string>>;
}

/** A CEL literal. */
export function literal(value: string | readonly string[]): string {
  return JSON.stringify(value);
}

/** The policy and its binding. */
function objectsOf(
  { name, rules, names, variables = {}, validations }: Fence,
  values: NameValues,
): JsonObject[] {
  const apiVersion = 'admissionregistration.k8s.io/v1';
  const metadata = { name, labels: { 'app.kubernetes.io/name': 'kubernetes-reloader' } };
  const chosen = names.map((each) => [each, literal(values[each] ?? [])] as const);
  const all = [...chosen, ...Object.entries(variables)];
  const spec = {
    failurePolicy: 'Fail',
    matchConstraints: { resourceRules: rules as unknown as JsonObject[] },
    matchConditions: [
      {
        name: 'by-the-reloader',
        expression: 'request.userInfo.username == "system:serviceaccount:default:reloader"',
      },
    ],
    ...(all.length === 0
      ? {}
      : { variables: all.map(([variable, expression]) => ({ name: variable, expression })) }),
    validations: Object.entries(validations).map(([message, expression]) => ({
      expression,
      message: `${message}: ${GUIDE}`,
      reason: 'Forbidden',
    })),
  };
  return [
    { apiVersion, kind: 'ValidatingAdmissionPolicy', metadata, spec },
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata,
      spec: { policyName: name, validationActions: ['Deny'] },
    },
  ];
}

/** The file of these policies, whose names have these values. */
export function textOf(fences: readonly Fence[], values: NameValues): string {
  const head = '# Written by npm run reference. Fields and names come from test/install/own-writes.ts.\n';
  const documents = fences.map((fence) => {
    const [policy, binding] = objectsOf(fence, values).map((object) =>
      stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false }),
    );
    return `---\n# ${fence.about}\n${policy}---\n${binding}`;
  });
  return head + documents.join('');
}
