/** The admission webhook on a real API server: what owners' writes leave of our stamps, and what happens without it. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { objectsOf, pick } from '../sandbox/json.ts';
import { isAt, restsAt } from './endings.ts';
import { fieldsByManager } from './managed-fields.ts';
import { Stage } from './stage.ts';
import { Webhook } from './webhook.ts';
import { manifestOf, type WorkloadParts, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const WEB = web();
const STAMP = '_RELOADER_CONFIGMAP_WEB';
const MANY = 200;

interface Scene extends AsyncDisposable {
  readonly stage: Stage;
  readonly webhook: Webhook;
  readonly reloader: ReloaderProcess;
}

/** A reloader whose webhook is asked and that knows what is there, and what `mark` needs. */
async function begin(): Promise<Scene> {
  const stage = await Stage.open(cluster);
  const webhook = await Webhook.open(stage);
  await stage.put('web', 'A');
  await stage.createMarker();
  const reloader = await stage.reloader({ flags: webhook.flags });
  await webhook.isAsked();
  const end = async (): Promise<void> => {
    await webhook[Symbol.asyncDispose]();
    await stage[Symbol.asyncDispose]();
  };
  return { stage, webhook, reloader, [Symbol.asyncDispose]: end };
}

async function write(stage: Stage, command: readonly string[], parts: WorkloadParts = WEB): Promise<void> {
  await stage.kubectl([...command, '-f', '-'], { input: JSON.stringify(manifestOf(parts)) });
}

/** Another template of the owner. */
const other = (mode: string): WorkloadParts => web('web', { variables: { MODE: mode } });

describe('with the admission webhook', () => {
  test('a replacement that only drops the stamp starts no pod; a change after it still rolls', async () => {
    await using scene = await begin();
    const { stage, reloader } = scene;
    await write(stage, ['create']);
    const born = await isAt(stage, WEB, 1);
    assert.match(born[STAMP] ?? '', /\.1$/);
    await stage.changeAndRoll(WEB, 'B');
    const stamps = await restsAt(stage, reloader, WEB, 2);
    await write(stage, ['replace']);
    assert.deepEqual(await restsAt(stage, reloader, WEB, 2), stamps);
    await stage.changeAndRoll(WEB, 'C');
    await restsAt(stage, reloader, WEB, 3);
  });

  test('a replacement with another template has the stamp of what is in force', async () => {
    await using scene = await begin();
    const { stage, reloader } = scene;
    await write(stage, ['create'], other('one'));
    await stage.changeAndRoll(WEB, 'B');
    const stamps = await restsAt(stage, reloader, WEB, 2);
    await write(stage, ['replace'], other('two'));
    assert.deepEqual(await restsAt(stage, reloader, WEB, 3), stamps);
  });

  for (const apply of [['apply'], ['apply', '--server-side']]) {
    test(`${apply.join(' ')} that loses its last variable keeps the stamp, which nobody owns`, async () => {
      await using scene = await begin();
      const { stage, reloader } = scene;
      await write(stage, apply, other('one'));
      const born = await isAt(stage, WEB, 1);
      const owners = Object.entries(fieldsByManager(await stage.live(WEB))).filter(([, fields]) =>
        fields.some((field) => field.includes(STAMP)),
      );
      assert.deepEqual(owners, []);
      await write(stage, apply, WEB);
      assert.deepEqual(await restsAt(stage, reloader, WEB, 2), born);
    });
  }

  test('an undo of kubectl to a template with another stamp alone changes nothing', async () => {
    await using scene = await begin();
    const { stage, reloader } = scene;
    await write(stage, ['create'], other('one'));
    await stage.changeAndRoll(WEB, 'B');
    const stamps = await restsAt(stage, reloader, WEB, 2);
    await stage.kubectl(['rollout', 'undo', 'deployment/web']);
    assert.deepEqual(await restsAt(stage, reloader, WEB, 2), stamps);
    await stage.changeAndRoll(WEB, 'A');
    await restsAt(stage, reloader, WEB, 3);
  });

  test(`${MANY} workloads that are created at once are born with their stamps and never rolled`, async () => {
    await using scene = await begin();
    const { stage, reloader } = scene;
    const names = Array.from({ length: MANY }, (_, index) => `many-${index}`);
    await Promise.all(
      names.map((name) =>
        stage.expect(
          'POST',
          'deployments',
          manifestOf(web(name, { follows: { ConfigMap: ['web'] }, replicas: 0 })),
        ),
      ),
    );
    await stage.mark(reloader);
    const many = (await stage.list('deployments')).filter((one) =>
      String(pick(one, 'metadata', 'name')).startsWith('many-'),
    );
    assert.equal(many.length, MANY);
    for (const one of many) {
      assert.equal(pick(one, 'metadata', 'generation'), 1);
      const [container] = objectsOf(pick(one, 'spec', 'template', 'spec', 'containers'));
      assert.ok(objectsOf(container?.['env']).some(({ name }) => name === STAMP));
    }
  });

  test('killed in the middle of writes it holds nobody up, and all is as it should be afterwards', async () => {
    await using scene = await begin();
    const { stage, webhook, reloader } = scene;
    await write(stage, ['create'], other('0'));
    const writes = Array.from({ length: 10 }, (_, index) => index + 1);
    for (const index of writes) {
      if (index === 4) await reloader.kill();
      await stage.expect('PUT', 'deployments/web', manifestOf(other(String(index))));
      // A template that its controller has not seen is none that it counts.
      await stage.revision(WEB);
    }
    await stage.put('web', 'B');
    const next = await stage.reloader({ flags: webhook.flags });
    await webhook.isAsked();
    await restsAt(stage, next, WEB, 1 + writes.length + 1);
    await stage.expect('PUT', 'deployments/web', manifestOf(other('10')));
    await restsAt(stage, next, WEB, 1 + writes.length + 1);
  });

  test('a certificate that is renewed under load costs no stamp', async () => {
    await using scene = await begin();
    const { stage, webhook, reloader } = scene;
    await write(stage, ['create']);
    await stage.changeAndRoll(WEB, 'B');
    const stamps = await restsAt(stage, reloader, WEB, 2);
    let isOver = false;
    const load = (async () => {
      while (!isOver) await stage.expect('PUT', 'deployments/web', manifestOf(WEB));
    })();
    await webhook.rotate(reloader);
    await webhook.isAsked();
    isOver = true;
    await load;
    assert.deepEqual(await restsAt(stage, reloader, WEB, 2), stamps);
  });
});
