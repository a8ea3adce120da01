/** `reloader plan`: on what its answer depends beside workloads: the API server, and the reloader itself. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { planAgainst } from '../../../lib/commands/manifests/plan.ts';
import type { Plan } from '../../../lib/commands/manifests/plan-answer.ts';
import { planMarkdown } from '../../../lib/commands/manifests/plan-text.ts';
import { configMap, deployment, manifestsOf, onCluster, textOf } from './plans.ts';
import { follows, podOf, World } from './world.ts';

const WEB = [configMap(), deployment('app:1')];
const CHANGED = [configMap({ value: 'B' }), deployment('app:1')];

/** The Deployment of `World.install`, as a person writes it. */
function reloader(args: readonly string[] = ['-A'], spec: object = {}, metadata: object = {}): object {
  const labels = { 'app.kubernetes.io/part-of': 'kubernetes-reloader' };
  const container = { name: 'reloader', args: [...args, '--state-namespace=reloader'] };
  const template = { metadata: { labels }, spec: podOf([], container) };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { namespace: 'reloader', name: 'reloader', labels, ...metadata },
    spec: { replicas: 1, selector: { matchLabels: labels }, template, ...spec },
  };
}

function world(): World {
  return new World()
    .install()
    .configMap()
    .deployment({ annotations: follows('web') });
}

test('a plan holds if the API server accepts the manifests, and says so in each form', async () => {
  for (const [objects, verdict] of [
    [CHANGED, '1 rollout by the reloader'],
    [WEB, 'No workload is rolled for a changed object'],
  ] as const) {
    const answer = await onCluster(world(), objects);
    const says = `${verdict}, if the API server accepts the manifests.`;
    assert.equal(answer.assumes, 'the API server accepts the manifests');
    assert.equal(textOf(answer).trimEnd().split('\n').at(-1), says);
    assert.equal(planMarkdown(answer).split('\n')[0], `### ${says}`);
  }
});

describe('where the manifests have the reloader itself, its rollouts are', () => {
  const isUnknown = ({ unknown }: Plan): void =>
    assert.deepEqual(unknown, ['these manifests change the reloader itself (reloader/reloader)']);
  const isKnown = ({ unknown }: Plan): void => assert.deepEqual(unknown, []);
  const CASES: Readonly<Record<string, readonly [object, (answer: Plan) => void]>> = {
    'unknown, with other flags': [reloader(['-A', '--dry-run']), isUnknown],
    'unknown, with other replicas': [reloader(['-A'], { replicas: 0 }), isUnknown],
    'known, where it stays the same': [reloader(), isKnown],
    'known, where only its annotations change': [reloader(['-A'], {}, { annotations: { a: 'b' } }), isKnown],
  };
  for (const [name, [own, assertAnswer]] of Object.entries(CASES))
    test(name, async () => {
      assertAnswer(await onCluster(world(), [own, ...CHANGED]));
      const trees = [
        [own, ...CHANGED],
        [reloader(), ...WEB],
      ].map(manifestsOf);
      assertAnswer(await planAgainst(trees[0] ?? [], trees[1] ?? [], 'default', []));
    });

  test('known, where it stays without replicas: once it runs', async () => {
    const own = reloader(['-A'], { replicas: 0 });
    const trees = [CHANGED, WEB].map((all) => manifestsOf([own, ...all]));
    const answer = await planAgainst(trees[0] ?? [], trees[1] ?? [], 'default', []);
    const rules = answer.causes.map(({ rule }) => rule);
    assert.deepEqual(
      [rules, answer.rollouts.map(({ when }) => when)],
      [['reloader-scaled-down'], ['once the reloader runs']],
    );
  });

  test('known, where it stays and runs: it is no sign that the tree has no Lease', async () => {
    const trees = [CHANGED, WEB].map((all) => manifestsOf([reloader(), ...all]));
    const answer = await planAgainst(trees[0] ?? [], trees[1] ?? [], 'default', []);
    assert.deepEqual(answer.causes, []);
    assert.match(answer.rollouts[0]?.when ?? '', /^5s after/);
  });

  test('unknown, where a tree no longer has it', async () => {
    isUnknown(await planAgainst(manifestsOf(CHANGED), manifestsOf([reloader(), ...WEB]), 'default', []));
  });
});
