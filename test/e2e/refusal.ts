/** A rule of a cluster that refuses writes: what other people's admission does to ours. */

import { randomBytes } from 'node:crypto';
import type { JsonObject } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';

/** What such a policy answers. */
export const REFUSAL = 'changes are frozen';

const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

/**
 * Refuses all changes of the pod templates of a stage with 422, by a ValidatingAdmissionPolicy; the function answered ends
 * that. `probed`: a Deployment that there is, which is patched without effect until the rule is in force.
 */
export async function refuseTemplates(stage: Stage, probed: string): Promise<() => Promise<void>> {
  const { cluster, namespace } = stage;
  const name = `refusal-${namespace}-${randomBytes(3).toString('hex')}`;
  const rules = {
    validatingadmissionpolicies: policyOf(name),
    validatingadmissionpolicybindings: bindingOf(name, namespace),
  };
  for (const [resource, rule] of Object.entries(rules))
    await cluster.expect('POST', `${ADMISSION}/${resource}`, rule);
  const probe = { spec: { template: { metadata: { annotations: { probe: 'is it refused?' } } } } };
  await stage.until('the rule is in force', async () => {
    const path = stage.path(`deployments/${probed}?dryRun=All`);
    return (await cluster.ask('PATCH', path, probe)).status >= 400;
  });
  return async () => {
    for (const resource of Object.keys(rules).reverse())
      await cluster.expect('DELETE', `${ADMISSION}/${resource}/${name}`);
  };
}

function policyOf(name: string): JsonObject {
  const resources = ['deployments', 'statefulsets', 'daemonsets'];
  const updates = { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources };
  const expression = 'object.spec.template == oldObject.spec.template';
  return {
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [updates] },
      validations: [{ expression, message: REFUSAL, reason: 'Invalid' }],
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
