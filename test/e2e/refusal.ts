/** A policy that refuses changes of pod templates, as a cluster's own rules may. */

import type { RealCluster } from '../control-plane/cluster.ts';
import type { JsonObject } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

/** What a policy is about. */
export interface RefusalOptions {
  /** Forbidden is answered with 403, Invalid with 422. @default Invalid */
  readonly reason?: 'Forbidden' | 'Invalid';
  /** What must be so, in CEL. @default no template may change */
  readonly unless?: string;
  /** The plurals. @default all kinds of workload */
  readonly resources?: readonly string[];
  /** Tried without effect until it is refused: then the policy is in force. */
  readonly probe: (stage: Stage) => Promise<{ readonly status: number }>;
}

/** What the policy answers. */
export const REFUSAL = 'changes are frozen';

/** A ValidatingAdmissionPolicy for one namespace, in force. */
export class Refusal {
  readonly #cluster: RealCluster;
  readonly #name: string;

  private constructor(cluster: RealCluster, name: string) {
    this.#cluster = cluster;
    this.#name = name;
  }

  /** Resolves when it is in force. */
  static async begin(stage: Stage, options: RefusalOptions): Promise<Refusal> {
    const { cluster, namespace } = stage;
    const name = `refusal-${namespace}`;
    await cluster.expect('POST', `${ADMISSION}/validatingadmissionpolicies`, policyOf(name, options));
    await cluster.expect(
      'POST',
      `${ADMISSION}/validatingadmissionpolicybindings`,
      bindingOf(name, namespace),
    );
    await stage.until('the policy is in force', async () => (await options.probe(stage)).status >= 400);
    return new Refusal(cluster, name);
  }

  /** Takes it away. */
  async end(): Promise<void> {
    await this.#cluster.expect('DELETE', `${ADMISSION}/validatingadmissionpolicybindings/${this.#name}`);
    await this.#cluster.expect('DELETE', `${ADMISSION}/validatingadmissionpolicies/${this.#name}`);
  }
}

/** Refuses every change of a workload's template; `probed` is a Deployment that there is. */
export function frozenTemplates(probed: string): RefusalOptions {
  const body = { spec: { template: { metadata: { annotations: { probe: 'x' } } } } };
  return {
    probe: ({ cluster, namespace }) =>
      cluster.ask('PATCH', `/apis/apps/v1/namespaces/${namespace}/deployments/${probed}?dryRun=All`, body),
  };
}

function policyOf(
  name: string,
  {
    reason = 'Invalid',
    unless = 'object.spec.template == oldObject.spec.template',
    resources = ['deployments', 'statefulsets', 'daemonsets'],
  }: RefusalOptions,
): JsonObject {
  const apiGroups = resources.includes('configmaps') ? [''] : ['apps'];
  return {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [{ apiGroups, apiVersions: ['v1'], operations: ['UPDATE'], resources }],
      },
      validations: [{ expression: unless, message: REFUSAL, reason }],
    },
  };
}

function bindingOf(name: string, namespace: string): JsonObject {
  const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': namespace } };
  return {
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], matchResources: { namespaceSelector } },
  };
}
