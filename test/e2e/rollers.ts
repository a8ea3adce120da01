/** A kind that somebody else defines, with a pod template, as those that roll pods themselves have it. */

import type { RealCluster } from '../control-plane/cluster.ts';
import type { Json, JsonObject } from '../sandbox/json.ts';
import type { Stage } from './stage.ts';

const GROUP = 'reloader-test.example.com';
const DEFINITION: JsonObject = {
  metadata: { name: `rollers.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind: 'Roller', plural: 'rollers', singular: 'roller' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** The manifest of one. */
export const ROLLER: JsonObject = {
  apiVersion: `${GROUP}/v1`,
  kind: 'Roller',
  metadata: { name: 'web' },
  spec: {
    template: {
      spec: { containers: [{ name: 'app', image: 'app:1', env: [{ name: 'OWN', value: '1' }] }] },
    },
  },
};

/** The path of that one in a stage. */
export function rollerIn(stage: Stage): string {
  return `${rollersIn(stage)}/web`;
}

function rollersIn({ namespace }: Stage): string {
  return `/apis/${GROUP}/v1/namespaces/${namespace}/rollers`;
}

/** Resolves when they are served. */
export async function defineRollers(stage: Stage): Promise<void> {
  const { status } = await stage.cluster.ask(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    DEFINITION,
  );
  if (status !== 201 && status !== 409) throw new Error(`the kind is not defined: ${status}`);
  await stage.until('the kind is served', async () => {
    const paths = [rollersIn(stage), `/apis/${GROUP}/v1`]; // kubectl asks for the second one, which comes later
    const answers = await Promise.all(paths.map((path) => stage.cluster.ask('GET', path)));
    return answers.every(({ status }) => status === 200);
  });
}

/** Sends a patch of the roller of a stage; answers the status. */
export async function patchRoller(stage: Stage, type: string, body: Json): Promise<number> {
  const { send }: RealCluster = stage.cluster;
  const response = await send({
    method: 'PATCH',
    path: rollerIn(stage),
    headers: { 'content-type': `application/${type}+json` },
    body: JSON.stringify(body),
  });
  for await (const _ of response.body);
  return response.status;
}
