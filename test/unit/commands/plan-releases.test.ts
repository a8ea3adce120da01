/** `reloader plan`: manifests that let pods go on to a template with our stamp. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STAMPS_ANNOTATION } from '../../../lib/model/workload.ts';
import { digestOf } from '../../digests.ts';
import { rolledOut } from './named-causes.ts';
import { onCluster, type Rollouts, shortened } from './plans.ts';
import { follows, podOf, type Words, World } from './world.ts';

const PERIOD = 'deployment.reloader.stakater.com/pause-period';
const PAUSED_AT = 'deployment.reloader.stakater.com/paused-at';
const LAST = 'kubectl.kubernetes.io/last-applied-configuration';
const B = digestOf('ConfigMap', { metadata: { name: 'web' }, data: { value: 'B' } });

interface Case {
  readonly kind?: 'Deployment' | 'StatefulSet';
  /** Before and after. */
  readonly spec: readonly [object, object];
  readonly words?: readonly [Words, Words];
  readonly by: 'reloader' | 'owner' | undefined;
}

const ON_DELETE = { updateStrategy: { type: 'OnDelete' } };
const CASES: Readonly<Record<string, Case>> = {
  'without its pause-period': { spec: [{}, {}], words: [{ [PERIOD]: '5m' }, {}], by: 'reloader' },
  'with a pause-period that is over': {
    spec: [{}, {}],
    words: [{ [PERIOD]: '5m' }, { [PERIOD]: '1ms' }],
    by: 'reloader',
  },
  'with a longer pause-period': {
    spec: [{}, {}],
    words: [{ [PERIOD]: '5m' }, { [PERIOD]: '6m' }],
    by: undefined,
  },
  'that is paused no more': { spec: [{ paused: true }, { paused: false }], by: 'owner' },
  'that is paused as before': { spec: [{ paused: true }, { paused: true }], by: undefined },
  'without OnDelete': {
    kind: 'StatefulSet',
    spec: [ON_DELETE, { updateStrategy: { type: 'RollingUpdate' } }],
    by: 'owner',
  },
  'with OnDelete as before': { kind: 'StatefulSet', spec: [ON_DELETE, ON_DELETE], by: undefined },
};

function manifest(kind: string, words: Words, spec: object): object {
  const labels = { app: 'web' };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', annotations: { ...follows('web'), ...words } },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: podOf(['web']) },
      ...spec,
    },
  };
}

/** The plan for a workload that carries our stamp, and has older pods. */
async function planned({ kind = 'Deployment', spec, words = [{}, {}] }: Case): Promise<Rollouts> {
  const world = new World().install(['-A', '--dialects=collaborne,stakater']).configMap();
  const resource = `${kind.toLowerCase()}s`;
  const before = manifest(kind, words[0], spec[0]) as { metadata: { annotations: Words } };
  const last = {
    [LAST]: JSON.stringify(before),
    ...(words[0][PERIOD] && { [PAUSED_AT]: new Date().toISOString() }),
  };
  const { annotations } = before.metadata;
  world.sandbox.create(resource, {
    ...before,
    metadata: { name: 'web', namespace: 'default', annotations: { ...annotations, ...last } },
    spec: { ...(before as { spec?: object }).spec, paused: false },
  });
  await rolledOut(world);
  const stamp = { [STAMPS_ANNOTATION]: JSON.stringify({ 'ConfigMap/web': `${B}.7` }) };
  world.change().commit('web', B).mark('web', `${kind}/web=7`);
  const template = { metadata: { annotations: stamp } };
  const paused = words[0][PERIOD] ? { paused: true } : spec[0];
  world.sandbox.patch(resource, 'default', 'web', { spec: { ...paused, template } });
  return shortened(await onCluster(world, [manifest(kind, words[1], spec[1])], true));
}

describe('a manifest lets older pods go on to the changed object: a workload', () => {
  for (const [name, each] of Object.entries(CASES))
    test(name, async () => {
      const rolled = [[`${each.kind ?? 'Deployment'}/web`, each.by ?? '', 'ConfigMap/web']];
      assert.deepEqual(await planned(each), each.by ? rolled : []);
    });
});
