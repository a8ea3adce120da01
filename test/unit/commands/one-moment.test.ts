/** What `explain` says of a workload is of one moment: no state contradicts a cause. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainObject, objectText } from '../../../lib/commands/explain/explain-object.ts';
import { explanationOf, type WorkloadExplanation } from '../../../lib/commands/explain/explanation.ts';
import { explanationText } from '../../../lib/commands/explain/explanation-text.ts';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { answerOf } from '../../../lib/commands/reads.ts';
import { factsOf } from '../../../lib/commands/scene.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { rolledOut, well } from './named-causes.ts';
import { configMap, onCluster } from './plans.ts';
import { follows, World } from './world.ts';

/** The explanation, where the first `reads` reads of the workload beside its lists show this status. */
async function seenWith(status: object, reads: number): Promise<WorkloadExplanation> {
  const world = well()(new World());
  await rolledOut(world);
  let left = reads;
  const send: World['send'] = async (request) => {
    const isRead = request.path.endsWith('/deployments/web') && left > 0;
    if (!isRead) return await world.send(request);
    left -= 1;
    return answerOf(200, { ...world.sandbox.get('deployments', 'default', 'web'), status });
  };
  const reloader = await findReloader(send, { namespace: 'default', settings: [] });
  const facts = await factsOf({ send, namespace: 'default', reloader }, workloadKindOf('Deployment'), 'web');
  const answer = explanationOf(facts);
  await facts.observation.end();
  world.sandbox.close();
  return answer;
}

function shown({ workloadState, causes, follows, rollout }: WorkloadExplanation): readonly unknown[] {
  return [workloadState, causes.map(({ rule }) => rule), follows.map(({ pods }) => pods), rollout];
}

const ROLLING = {
  observedGeneration: 1,
  replicas: 2,
  updatedReplicas: 1,
  readyReplicas: 2,
  availableReplicas: 2,
};

test('a rollout that ends before the lists is no cause', async () => {
  const all = ['healthy', [], ['no change to roll'], 'every pod runs the present template'];
  assert.deepEqual(shown(await seenWith(ROLLING, 1)), all);
});

test('a rollout that begins after the lists is no healthy state', async () => {
  const all = ['rolling', ['rolling-out'], ['rolling out'], 'pods of an older template: 1 of 2'];
  assert.deepEqual(shown(await seenWith(ROLLING, 2)), all);
});

test('a pod that is not ready after its rollout is no healthy state', async () => {
  const conditions = [{ type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' }];
  const unready = { observedGeneration: 1, replicas: 1, updatedReplicas: 1, conditions };
  const all = ['rolling', ['rolling-out'], ['rolling out'], 'its controller does not count it as complete'];
  assert.deepEqual(shown(await seenWith(unready, 2)), all);
});

test('a workload that asks for nothing is not rolled, and that is known', async () => {
  const world = new World().install().configMap().deployment();
  await rolledOut(world);
  const answer = await world.explained();
  world.sandbox.close();
  assert.deepEqual([answer.workloadState, answer.unknown], ['not served', []]);
  assert.match(
    explanationText(answer, (_, text) => text),
    /^Deployment\/web in namespace default: not rolled\n/,
  );
});

test('the followers of an object are shown with what keeps them', async () => {
  const world = well({ ...follows('web'), 'reloader.k8s.collaborne.com/hold': 'true' })(new World());
  await rolledOut(world);
  world.change();
  const reloader = await findReloader(world.send, { namespace: 'default', settings: [] });
  const scene = { send: world.send, namespace: 'default', reloader };
  const answer = await explainObject(scene, { kind: 'ConfigMap', name: 'web' });
  world.sandbox.close();
  const text = objectText(answer, (_, words) => words);
  assert.match(
    text,
    /Rolled when it changes\n {2}Deployment\/web: out of date[\s\S]*\n {2}- it is held [^\n]* \[hold\]\n/,
  );
});

test('what only the running reloader knows of one object is said once', async () => {
  const world = new World().install().configMap();
  const names = ['api', 'web'];
  for (const name of names) world.deployment({ name, annotations: follows('web') });
  await rolledOut(world);
  for (const name of names) world.mark('web', `Deployment/${name}`);
  const { unknown } = await onCluster(world, [configMap({ value: 'B' })]);
  const says = unknown.filter((line) => line.includes('run the new content'));
  const all = 'pods of Deployment/api in default, Deployment/web in default';
  assert.deepEqual(says, [
    `the running reloader alone knows whether ${all} run the new content of ConfigMap/web`,
  ]);
});
