/** How the other reloader is found, the steps, and the text. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandError } from '../../../../lib/commands/connect.ts';
import { migrationText } from '../../../../lib/commands/migrate/migrate-text.ts';
import { World } from '../world.ts';
import { migrate, withOther } from './asked.ts';

const AUTO = { 'reloader.stakater.com/auto': 'true' };
const STAKATER = 'ghcr.io/stakater/reloader:v1.4.21';
const ALERT = [{ name: 'ALERT_WEBHOOK_URL', valueFrom: { secretKeyRef: { name: 'alerts', key: 'url' } } }];

function withSecret(world: World): World {
  world.sandbox.create('secrets', {
    metadata: { namespace: 'reloader', name: 'alerts' },
    data: { url: '' },
  });
  return world;
}

describe('the other reloader', () => {
  test('is found by its image, with its flags and whether it runs', async () => {
    const labels = { release: 'rel', heritage: 'Helm' };
    const args = ['--reload-on-create=true', '--ignored-workload-types=jobs,cronjobs'];
    const world = withOther(new World(), STAKATER, { args, labels });
    const { other, args: ours, steps } = await migrate(world, { from: 'stakater' });
    assert.deepEqual(
      [other?.name, other?.namespace, other?.replicas, other?.release],
      ['other', 'reloader', 1, 'rel'],
    );
    assert.deepEqual(ours, ['--all-namespaces', ...args]);
    assert.match(
      steps.map(({ run }) => run).join('\n'),
      /^helm get values rel -n reloader .*\nhelm upgrade rel k8s\/chart -n reloader .*\nkubectl -n reloader rollout status deployment\/other\n/,
    );
  });

  test('is found by its variable, if its image is another one', async () => {
    const env = [{ name: 'RELOADER_DEPLOYMENT_NAME', value: 'x' }];
    const { other } = await migrate(withOther(new World(), 'mirror/other:1', { env }), { from: 'stakater' });
    assert.equal(other?.name, 'other');
  });

  test('is not this program, even with its variables', async () => {
    const labels = { 'app.kubernetes.io/part-of': 'kubernetes-reloader' };
    const env = [{ name: 'RELOADER_DEPLOYMENT_NAME', value: 'x' }];
    const world = withOther(new World(), 'mirror/other:1', { env, labels });
    const { other } = await migrate(world, { from: 'stakater' });
    assert.equal(other, undefined);
  });

  test('is named, or that is an error', async () => {
    const world = withOther(new World(), 'mirror/other:1', { args: ['--auto-reload-all=true'] });
    const { args } = await migrate(world, { from: 'stakater' }, { deployment: 'reloader/other' });
    assert.ok(args.includes('--auto-reload-all=true'));
    await assert.rejects(migrate(new World(), { from: 'stakater' }, { deployment: 'a/b' }), CommandError);
    const none = migrate(
      new World().configMap().deployment(),
      { from: 'stakater' },
      { deployment: 'default/web' },
    );
    await assert.rejects(none, /--deployment: Deployment default\/web does not look like Stakater Reloader/);
  });

  test('of Collaborne is stopped before the new one starts, since both have one state', async () => {
    const { steps } = await migrate(withOther(new World(), 'collaborne/kubernetes-reloader:1'), {
      from: 'collaborne',
    });
    assert.deepEqual(
      steps.map(({ run }) => run),
      [
        'kubectl -n reloader scale deployment/other --replicas=0',
        "kubectl kustomize k8s/base | sed 's/namespace: default/namespace: reloader/' | kubectl apply -f -",
        'kubectl -n reloader rollout status deployment/reloader',
        'kubectl -n reloader delete deployment/other',
      ],
    );
  });

  test('of Stakater ends once the new one is ready', async () => {
    const { steps } = await migrate(withOther(new World(), STAKATER), { from: 'stakater' });
    assert.deepEqual(
      steps.map(({ run }) => run),
      [
        'kubectl apply -k k8s/cluster',
        'kubectl -n reloader rollout status deployment/reloader',
        'kubectl -n reloader delete deployment/other',
      ],
    );
  });

  test('has alert settings in a Secret, which is copied to where the new one is', async () => {
    const world = withOther(new World(), STAKATER, { env: ALERT, args: ['--namespaces=web'] });
    const { steps, settings, isReady } = await migrate(withSecret(world), { from: 'stakater' });
    assert.match(steps[0]?.run ?? '', /namespace: default\/namespace: web\//);
    assert.match(
      steps[1]?.run ?? '',
      /^kubectl -n reloader get secret\/alerts .* \| kubectl -n web apply -f -$/,
    );
    assert.equal(steps[2]?.run, 'kubectl -n web rollout status deployment/reloader');
    const named = settings.map(({ theirs, is }) => [theirs, is]);
    assert.deepEqual(named, [['ALERT_WEBHOOK_URL', 'secret']]);
    assert.equal(isReady, false);
  });

  test('has alert settings in the values of its release, which the chart takes', async () => {
    const world = withOther(new World(), STAKATER, {
      env: ALERT,
      labels: { release: 'rel', heritage: 'Helm' },
    });
    const { steps, isReady } = await migrate(withSecret(world), { from: 'stakater' });
    assert.match(steps[0]?.run ?? '', /^helm get values rel /);
    assert.equal(isReady, true);
  });
});

test('without the right to all namespaces nothing is known but of the one that is named', async () => {
  const world = (): World => {
    const limited = new World().configMap('web', {}, false).deployment({ annotations: AUTO });
    limited.refuses = ({ path: asked }) =>
      !/\/namespaces\/(default|reloader)\//.test(asked) && !/reviews$/.test(asked);
    return limited;
  };
  const everywhere = await migrate(world(), { from: 'stakater' });
  assert.match(everywhere.unknown.join('\n'), /you may not list the Deployments of all namespaces/);
  assert.match(everywhere.unknown.join('\n'), /^Deployment: may not$/m);
  const { workloads, unknown } = await migrate(world(), { from: 'stakater' }, { namespace: 'default' });
  assert.deepEqual([workloads, unknown.length], [1, 1]);
  assert.match(
    unknown.join(),
    /looked for in default and reloader alone \(--deployment <namespace>\/<name> names it\)/,
  );
});

test('the text says what is decided, and what is left to do', async () => {
  const world = withOther(new World(), STAKATER, { args: ['--no-such'] })
    .configMap('web', {}, false)
    .deployment({ annotations: AUTO });
  const text = migrationText(await migrate(world, { from: 'stakater' }), (_, words) => words);
  assert.match(text, /^From Stakater Reloader\n/);
  assert.match(text, /\n {2}--no-such: refused \(/);
  assert.match(text, /\n1 workload: 1 to decide, 0 not known\.\n$/);
});

test('what may not be read is not known', async () => {
  const world = new World().configMap('web', {}, false).deployment({ annotations: AUTO });
  world.sandbox.denied.push({ resource: 'secrets' });
  world.refuses = ({ path }) => /\/secrets/.test(path);
  const answer = await migrate(world, { from: 'stakater' });
  assert.match(answer.unknown.join(), /Secrets?.*you may not list it/);
  assert.equal(answer.isReady, false);
  assert.match(
    migrationText(answer, (_, words) => words),
    /, 1 not known\.\n$/,
  );
});
