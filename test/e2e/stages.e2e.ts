/** A change in stages on a real API server: 200 Deployments, a content that is good, and one with which pods crash. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeconfigOptions } from '../control-plane/cluster.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { crashStage } from '../control-plane/crash-stage.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { BUNDLE, Crowd, digestOfBundle } from './crowd.ts';
import { elected } from './leads.ts';
import { type ReloaderOptions, Stage } from './stage.ts';

const COUNT = 200;
/** How many have begun at the end of each stage. */
const ENDS = [1, 20, 100, 200];
const FLAGS = ['--stages=1,10%,50%,100%', '--stage-soak=1s', '--digests=sha1'];
const CRASH = 'crash';
const cluster = await startCluster({ stages: [crashStage([digestOfBundle(CRASH)])] });
const skip = !(cluster instanceof ControlPlane) && 'pods that crash are played by a control plane of its own';

describe(`${COUNT} Deployments follow one ConfigMap`, { skip }, () => {
  let stage: Stage;
  let crowd: Crowd;
  let as: KubeconfigOptions;
  let reloader: ReloaderProcess;

  before(async () => {
    stage = await Stage.open(cluster);
    crowd = await Crowd.create(stage, COUNT);
    await stage.createMarker();
    // The right to list pods is there among those to evict them.
    as = await stage.rights(['evict']);
    reloader = await stage.reloader(inPod('first'));
  });
  after(async () => {
    crowd?.[Symbol.dispose]();
    await stage?.[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  /** How a reloader is started that stands for the lead. */
  function inPod(pod: string): ReloaderOptions {
    const { flags = [], env = {} } = elected(pod);
    return { flags: [...FLAGS, ...flags], env, as };
  }

  const nameAt = (index: number): string => crowd.apps[index]?.name ?? '';
  const begun = (): string[] => crowd.begun.map(({ name }) => name);

  /** The halts beside the entry of the ConfigMap: tokens and workloads. */
  async function halts(): Promise<readonly string[][]> {
    const entry = Object.entries(await stage.state()).find(([key]) => key.endsWith(BUNDLE));
    return (entry?.[1] ?? '')
      .split('!')
      .slice(1)
      .map((halt) => halt.split('='))
      .filter(([token = '']) => token.length === 8);
  }

  /** Which objects have the Event that the change is halted. */
  async function told(): Promise<string[]> {
    const events = (await stage.list('events')).filter(({ reason }) => reason === 'RolloutHalted');
    return events.map((event) => String(pick(event, 'involvedObject', 'name'))).toSorted();
  }

  /** Whatever the reloader would begin it has begun by now; the change is halted. */
  async function staysHalted(by: ReloaderProcess): Promise<void> {
    await stage.markBeside();
    await stage.until('the halt is counted', async () => (await by.metric('reloader_contents_halted')) === 1);
    assert.deepEqual([...crowd.down], []);
  }

  test('good content goes to all of them in four stages, of which none begins before the one before is ready', async () => {
    crowd.forget();
    await stage.put(BUNDLE, 'B');
    await crowd.allRolled();
    await stage.settled(reloader);
    assert.deepEqual(
      begun().toSorted(),
      crowd.apps.map(({ name }) => name),
      'each once',
    );
    let stages = 0;
    for (const [index, { name, beside }] of crowd.begun.entries()) {
      if (index === ENDS[stages]) stages += 1;
      const before = begun().slice(0, ENDS[stages - 1] ?? 0);
      assert.deepEqual(
        before.filter((each) => beside.has(each)),
        [],
        `not ready as ${name} began`,
      );
    }
    assert.equal(stages + 1, ENDS.length);
    await stage.until('the change is over', async () => (await reloader.status()).changes.length === 0);
  });

  test('content that makes pods crash takes down the first one alone, whatever happens then, until a person lets it go on', async () => {
    crowd.forget();
    await stage.put(BUNDLE, CRASH);
    const canary = nameAt(0);
    await stage.until('Events say so', async () => (await told()).join() === `${canary},${BUNDLE}`);
    assert.deepEqual([begun(), [...crowd.down], crowd.mostDown], [[canary], [canary], 1]);
    const [[token, workload] = []] = await halts();
    assert.equal(workload, `${stage.namespace}/Deployment/${canary}`);

    await stage.kubectl(['rollout', 'undo', `deployment/${canary}`]);
    await stage.until('the canary is well', () => crowd.inProgress.size === 0);
    await staysHalted(reloader);
    await reloader.kill();
    reloader = await stage.startReloader(inPod('first'));
    await staysHalted(reloader);
    const standby = await stage.startReloader(inPod('second'));
    await standby.hasSaid(/standing by/);
    await reloader.stop();
    reloader = standby;
    await staysHalted(reloader);
    assert.deepEqual(begun(), [canary, canary], 'one patch, and the undo');

    const [
      {
        commands: [{ command = '' } = {}],
      } = { commands: [] },
    ] = (await reloader.status()).changes;
    assert.ok(command.endsWith(`resume=${token}`), command);
    const flags = `--reloader none -- --namespace=${stage.namespace} --digests=sha1`;
    const { stdout } = await stage.command(`resume configmap/${BUNDLE} ${flags}`);
    assert.match(stdout, new RegExp(`/resume=${token} --overwrite\n`));
    await stage.until('the next one halts it again', async () => (await halts()).length === 2);
    assert.deepEqual([...crowd.down].toSorted(), [canary, nameAt(1)]);
  });

  test('the next content is its end: it goes to all, in the last stage to the one that is known to fail', async () => {
    crowd.forget();
    await stage.put(BUNDLE, 'C');
    await crowd.allRolled();
    await stage.settled(reloader);
    // The last stage is sent at once, so its patches arrive in any order.
    assert.ok(begun().indexOf(nameAt(1)) >= (ENDS.at(-2) ?? 0));
    assert.equal(crowd.down.size, 0);
    assert.deepEqual(await halts(), []);
    await stage.until(
      'no halt is counted',
      async () => (await reloader.metric('reloader_contents_halted')) === 0,
    );
  });
});
