/** Whether taking over rolls anything, how the other reloader is found, and the steps. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { stakaterDigestOf } from '../../../../lib/annotations/inherited-digests.ts';
import { CommandError } from '../../../../lib/commands/connect.ts';
import { migrationText } from '../../../../lib/commands/migrate/migrate-text.ts';
import type { Migration } from '../../../../lib/commands/migrate/migration.ts';
import { answerOf } from '../../../../lib/commands/reads.ts';
import type { Send } from '../../../../lib/kubernetes/transport.ts';
import type { VocabularyName } from '../../../../lib/model/settings.ts';
import { follows, type Words, World } from '../world.ts';
import { migrate, withOther } from './asked.ts';

const AUTO = { 'reloader.stakater.com/auto': 'true' };
const STAKATER = 'ghcr.io/stakater/reloader:v1.4.21';
const OLD = 'f'.repeat(40);
/** Of the content of World.configMap. */
const IN_FORCE = stakaterDigestOf('ConfigMap', { metadata: { name: 'web' }, data: { value: 'A' } });
/** Longer than the second of doubt in the times of metadata. */
const APART_MS = 1_200;
const SLOW_MS = 300;

interface Stamp {
  readonly asks?: Words;
  readonly digest?: string;
  readonly hash?: Words;
}

/** A workload with the stamp of another reloader, older than the last write of its object. */
async function stamped({ asks = AUTO, digest = OLD, hash = {} }: Stamp): Promise<World> {
  const env = digest === '' ? [] : [{ name: 'STAKATER_WEB_CONFIGMAP', value: digest }];
  const world = new World()
    .configMap('web', {}, false)
    .deployment({ annotations: asks, onTemplate: hash, container: { env } });
  await new Promise((resolve) => setTimeout(resolve, APART_MS));
  world.sandbox.patch('configmaps', 'default', 'web', { data: { value: 'A', more: 'B' } });
  return world;
}

function rolled({ takeOver }: Migration): readonly string[] {
  return takeOver.rollouts.map(({ workload, objects }) => `${workload} for ${objects.join()}`);
}

const HASH = 'a'.repeat(64);
const STAMPS: Readonly<Record<string, Stamp & { readonly from: VocabularyName; readonly rolls: boolean }>> = {
  'a variable of Stakater Reloader of an earlier content': { from: 'stakater', rolls: true },
  'its variable of the content in force': {
    from: 'stakater',
    digest: stakaterDigestOf('ConfigMap', { metadata: { name: 'web' }, data: { value: 'A', more: 'B' } }),
    rolls: false,
  },
  'a hash of SAP of other versions': {
    from: 'sap',
    asks: { 'pod-reloader.cs.sap.com/configmaps': 'web' },
    digest: '',
    hash: { 'pod-reloader.cs.sap.com/config-hash': HASH },
    rolls: true,
  },
  'a hash of wave of other contents': {
    from: 'wave',
    asks: { 'wave.pusher.com/update-on-config-change': 'true' },
    digest: '',
    hash: { 'wave.pusher.com/config-hash': HASH },
    rolls: true,
  },
  'no stamp': { from: 'stakater', digest: '', rolls: false },
};

describe('a start rolls what the other one missed', { concurrency: 6 }, () => {
  for (const [name, { from, rolls, ...stamp }] of Object.entries(STAMPS))
    test(name, async () => {
      const answer = await migrate(await stamped(stamp), { from });
      assert.deepEqual(rolled(answer), rolls ? ['Deployment/web for ConfigMap/web'] : []);
      assert.deepEqual(answer.takeOver.unknown, []);
      assert.equal(answer.isReady, !rolls);
    });

  test('and nothing is known without the right to list ReplicaSets', async () => {
    const world = await stamped({});
    world.refuses = ({ path: asked }) => /\/replicasets/.test(asked);
    const answer = await migrate(world, { from: 'stakater' });
    assert.deepEqual(rolled(answer), []);
    assert.match(answer.takeOver.unknown.join(), /may not list replicasets.* no stamp is compared/);
    assert.equal(answer.isReady, false);
  });

  test('also where the reads for the comparison take their time', async () => {
    const world = await stamped({});
    const send: Send = async (request) => {
      if (request.path.includes('/replicasets')) await new Promise((resolve) => setTimeout(resolve, SLOW_MS));
      return await world.send(request);
    };
    assert.equal(rolled(await migrate(world, { from: 'stakater', send })).length, 1);
  });

  test('nor of Secrets without the right to list them, and all else is answered', async () => {
    const world = await stamped({});
    world.sandbox.denied.push({ resource: 'secrets' });
    world.refuses = ({ path: asked }) => /\/secrets/.test(asked);
    const answer = await migrate(world, { from: 'stakater' });
    assert.deepEqual(rolled(answer), ['Deployment/web for ConfigMap/web']);
    assert.match(answer.takeOver.unknown.join(), /Secrets?.*you may not list it/);
  });
});

test('the state of Collaborne’s reloader is taken over: what changed meanwhile is rolled', async () => {
  const world = new World().configMap('web', {}, false).deployment({ annotations: follows('web') });
  world.sandbox.create('configmaps', {
    metadata: { name: 'reloader-state' },
    data: { 'v1.ConfigMap_web': 'e'.repeat(40) },
  });
  const answer = await migrate(world, { from: 'collaborne' });
  assert.deepEqual(rolled(answer), ['Deployment/web for ConfigMap/web']);
});

describe('the other reloader', () => {
  test('is found by its image, with its flags and whether it runs', async () => {
    const labels = { release: 'rel', heritage: 'Helm' };
    const args = ['--reload-on-create=true', '--ignored-workload-types=jobs,cronjobs'];
    const world = withOther(new World(), STAKATER, { args, labels });
    const { other, readFrom, args: ours, steps, values } = await migrate(world, { from: 'stakater' });
    assert.equal(readFrom, 'its Deployment');
    assert.deepEqual(
      [other?.name, other?.namespace, other?.replicas, other?.release],
      ['other', 'reloader', 1, 'rel'],
    );
    assert.deepEqual(ours, ['--all-namespaces', '--reload-on-create']);
    assert.deepEqual(values, { reloader: { ignoreJobs: true, ignoreCronJobs: true, reloadOnCreate: true } });
    assert.match(
      steps.map(({ run }) => run).join('\n'),
      /^helm get values rel -n reloader .*\nhelm upgrade rel k8s\/chart -n reloader .*\nkubectl -n reloader rollout status deployment\/other\n/,
    );
  });

  test('is upgraded by values that are written already', async () => {
    const labels = { release: 'rel', heritage: 'Helm' };
    const world = withOther(new World(), STAKATER, { labels, args: ['--no-such'] });
    const answer = await migrate(world, { from: 'stakater' }, { values: 'new.yaml' });
    assert.match(answer.steps[0]?.run ?? '', /^helm upgrade rel k8s\/chart -n reloader -f new\.yaml /);
    assert.equal(answer.isReady, false);
    assert.match(
      migrationText(answer, (_, words) => words),
      /nothing is rolled; to decide: 1 setting\.\n$/,
    );
  });

  test('is found by its variable, if its image is another one', async () => {
    const env = [{ name: 'RELOADER_DEPLOYMENT_NAME', value: 'x' }];
    const { other } = await migrate(withOther(new World(), 'mirror/other:1', { env }), { from: 'stakater' });
    assert.equal(other?.name, 'other');
  });

  test('is not this program, even with its variables', async () => {
    const labels = { 'app.kubernetes.io/name': 'kubernetes-reloader' };
    const env = [{ name: 'RELOADER_DEPLOYMENT_NAME', value: 'x' }];
    const world = withOther(new World(), 'mirror/other:1', { env, labels });
    const { other, readFrom } = await migrate(world, { from: 'stakater' });
    assert.deepEqual([other, readFrom], [undefined, 'its defaults']);
  });

  test('is named, or that is an error', async () => {
    const world = withOther(new World(), 'mirror/other:1', { args: ['--auto-reload-all=true'] });
    const { args } = await migrate(world, { from: 'stakater' }, { deployment: 'reloader/other' });
    assert.ok(args.includes('--auto-reload-all'));
    await assert.rejects(migrate(new World(), { from: 'stakater' }, { deployment: 'a/b' }), CommandError);
  });

  test('is stopped before the new one is installed, and removed afterwards', async () => {
    const world = withOther(new World(), 'quay.io/wave-k8s/wave:v0.11.0');
    const { steps } = await migrate(world, { from: 'wave' });
    const runs = steps.map(({ run }) => run);
    assert.equal(runs[0], 'kubectl -n reloader scale deployment/other --replicas=0');
    assert.ok(runs.includes('kubectl apply -k reloader'));
    assert.equal(runs.at(-1), 'kubectl -n reloader delete deployment/other');
  });

  test('has a webhook, which is deleted first', async () => {
    const world = new World();
    const webhooks = [{ name: 'mutate.pod-reloader.cs.sap.com' }];
    const send: Send = async (request) =>
      request.path.includes('/mutatingwebhookconfigurations')
        ? answerOf(200, {
            metadata: {},
            items: [{ metadata: { name: 'other' } }, { metadata: { name: 'pods' }, webhooks }],
          })
        : await world.send(request);
    const answer = await migrate(world, { from: 'sap', send });
    assert.deepEqual(answer.webhooks, ['pods']);
    assert.equal(answer.steps[0]?.run, 'kubectl delete mutatingwebhookconfiguration/pods');
    assert.equal(answer.isReady, false);
  });
});

test('without the right to all namespaces one is looked at, and that is said', async () => {
  const world = new World().configMap('web', {}, false).deployment({ annotations: AUTO });
  world.refuses = ({ path: asked }) =>
    !/\/namespaces\/(default|reloader)\//.test(asked) && !/reviews$/.test(asked);
  const { workloads, notes } = await migrate(world, { from: 'stakater' });
  assert.equal(workloads, 1);
  assert.match(notes.join('\n'), /only default was looked at/);
});

test('values of its chart take the place of its Deployment', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reloader-migrate-'));
  const file = path.join(folder, 'values.yaml');
  writeFileSync(file, 'image: {tag: v1.4.21}\nreloader: {watchGlobally: false, isArgoRollouts: true}\n');
  const answer = await migrate(new World(), { from: 'stakater' }, { file: [file] });
  assert.equal(answer.readFrom, 'the values');
  assert.deepEqual(answer.values, { reloader: { watchGlobally: false, isArgoRollouts: true } });
  assert.ok(answer.args.includes('--namespace=reloader') && answer.args.includes('--is-Argo-Rollouts=true'));
  assert.deepEqual(answer.rights.at(0)?.rule.resources, ['cronjobs']);
  assert.deepEqual(
    answer.settings.map(({ theirs, is }) => `${theirs} ${is}`),
    ['image.tag no effect'],
  );
  writeFileSync(file, 'a: [');
  await assert.rejects(
    migrate(new World(), { from: 'stakater' }, { file: [file] }),
    /values.yaml is no YAML/,
  );
  rmSync(folder, { recursive: true });
});

test('the text says what is decided, and what is left to do', async () => {
  const world = await stamped({ digest: IN_FORCE });
  const text = migrationText(await migrate(world, { from: 'stakater' }), (_, words) => words);
  assert.match(text, /^From Stakater Reloader\n/);
  assert.match(text, /Rolled at the start\n {2}Deployment\/web in default for ConfigMap\/web\n/);
  assert.match(text, /\n1 workload: 1 workload would be rolled\.\n$/);
});
