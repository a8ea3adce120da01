/** How the other reloader is found, the steps, and the text. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandError } from '../../../../lib/commands/connect.ts';
import { type Migration, migrationText } from '../../../../lib/commands/migrate/migration.ts';
import { World } from '../world.ts';
import { migrate, type OtherParts, withOther } from './asked.ts';

const AUTO = { 'reloader.stakater.com/auto': 'true' };
const RELEASE = { 'meta.helm.sh/release-name': 'rel' };
const STAKATER = 'ghcr.io/stakater/reloader:v1.4.21';
const ALERT = [{ name: 'ALERT_WEBHOOK_URL', valueFrom: { secretKeyRef: { name: 'alerts', key: 'url' } } }];

function withSecret(world: World, metadata: object = { name: 'alerts' }): World {
  world.sandbox.create('secrets', { metadata: { namespace: 'reloader', ...metadata }, data: { url: '' } });
  return world;
}

/** A world in which Helm keeps the release. */
function withRelease(): World {
  const labels = { owner: 'helm', status: 'deployed', name: 'rel' };
  return withSecret(new World(), { name: 'sh.helm.release.v1.rel.v1', labels });
}

/** The first line of each command. */
function commandsOf({ steps }: Migration): readonly string[] {
  return steps.map(({ run }) => run.split(/\n| -p /, 1).join());
}

describe('the other reloader', () => {
  test('is found by its image, with its flags and whether it runs', async () => {
    const args = ['--reload-on-create=true', '--ignored-workload-types=jobs,cronjobs'];
    const world = withOther(withRelease(), STAKATER, { args, annotations: RELEASE });
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
    const own = migrate(new World().install(), { from: 'stakater' }, { deployment: 'reloader/reloader' });
    await assert.rejects(own, /--deployment: reloader\/reloader is not Stakater Reloader/);
    const app = withOther(new World(), 'example.com/shop:1', { args: ['--port=80'] });
    const asked = migrate(app, { from: 'stakater' }, { deployment: 'reloader/other' });
    await assert.rejects(asked, /--deployment: reloader\/other is not Stakater Reloader: its image/);
  });

  test('of Collaborne is stopped before the new one starts, since both have one state', async () => {
    const world = withOther(new World(), 'collaborne/kubernetes-reloader:1');
    assert.deepEqual(commandsOf(await migrate(world, { from: 'collaborne' })), [
      "kubectl apply -f - <<'end'",
      'kubectl -n reloader scale deployment/other --replicas=0',
      'kubectl -n reloader patch deployment/other',
      'kubectl -n reloader rollout status deployment/other',
    ]);
  });

  test('is unknown to be a release of Helm for a person who may not list Secrets', async () => {
    const world = withOther(withRelease(), STAKATER, { annotations: RELEASE });
    world.sandbox.denied.push({ resource: 'secrets' });
    world.refuses = ({ path }) => /\/secrets([?]|$)/.test(path);
    const migration = await migrate(world, { from: 'stakater' });
    const says = 'whether Helm has the release rel: Secrets in reloader may not be read with your rights';
    assert.ok(migration.unknown.includes(says), migration.unknown.join());
    assert.match(
      migrationText(migration, (_, text) => text),
      /1\/1 ready, annotated as release rel of Helm/,
    );
  });

  test('of Stakater keeps its Deployment, also where no release of Helm is kept', async () => {
    const parts = { env: ALERT, args: ['--namespaces=web', '--no-such'], annotations: RELEASE, replicas: 2 };
    const world = withSecret(withOther(new World(), STAKATER, parts));
    const { steps, settings, isReady } = await migrate(world, { from: 'stakater' });
    const [rights, patch, ready, ...more] = steps;
    assert.match(
      rights?.run ?? '',
      /"namespace":"web"},"kind":"RoleBinding",.*"namespace":"reloader","name":"default"/,
    );
    assert.match(patch?.what ?? '', /^first take --no-such away; /);
    const [, written = ''] =
      /^kubectl -n reloader patch deployment\/other -p '(.*)'$/.exec(patch?.run ?? '') ?? [];
    const { spec } = JSON.parse(written);
    assert.deepEqual([spec.replicas, spec.template.spec.containers[0].name], [2, 'other']);
    assert.equal(ready?.run, 'kubectl -n reloader rollout status deployment/other');
    assert.deepEqual([more, settings.map(({ is }) => is), isReady], [[], ['refused'], false]);
  });

  test('has alert settings in the values of its release, which the chart takes', async () => {
    const world = withOther(withRelease(), STAKATER, {
      env: ALERT,
      annotations: RELEASE,
    });
    const { steps, isReady } = await migrate(withSecret(world), { from: 'stakater' });
    assert.match(steps[0]?.run ?? '', /^helm get values rel /);
    assert.equal(isReady, true);
  });
});

const SOURCE = { configMapKeyRef: { name: 'places', key: 'place', optional: true } };
const PLACE = { name: 'KUBERNETES_NAMESPACE', valueFrom: SOURCE };
const NS = { name: 'NS', valueFrom: SOURCE };
const OF_OTHER = 'the value of \\S+ of Deployment reloader/other is not in its manifest';

/** By case: what its Deployment does not show, what is said, and the flag that settles it. */
const UNSEEN: Readonly<Record<string, readonly [from: 'stakater' | 'collaborne', OtherParts, says: string]>> =
  {
    'its namespace is in a ConfigMap': ['stakater', { env: [PLACE] }, OF_OTHER],
    'its namespace is in a variable that another object has': [
      'stakater',
      { env: [NS, { name: 'KUBERNETES_NAMESPACE', value: '$(NS)' }] },
      OF_OTHER,
    ],
    'its variables are in another object': [
      'stakater',
      { envFrom: [{ configMapRef: { name: 'places', optional: true } }] },
      'the variables of Deployment reloader/other are in objects that envFrom names',
    ],
    'an argument has such a variable': ['collaborne', { env: [NS], args: ['--namespace=$(NS)'] }, OF_OTHER],
    'an argument is such a variable': ['collaborne', { env: [NS], args: ['--namespace', '$(NS)'] }, OF_OTHER],
    'an argument has a variable that is nowhere': ['stakater', { args: ['--namespaces=$(NS)'] }, OF_OTHER],
  };

describe('its settings are not known, and nothing is said of what follows from them, if', () => {
  for (const [name, [from, parts, says]] of Object.entries(UNSEEN))
    test(name, async () => {
      const image = from === 'stakater' ? STAKATER : 'collaborne/kubernetes-reloader:1';
      const world = (): World =>
        withOther(new World(), image, parts).configMap('web', {}, false).deployment({ annotations: AUTO });
      const answer = await migrate(world(), { from });
      const { args, steps, workloads, unknown, isReady } = answer;
      assert.deepEqual([args, steps, workloads, unknown.length, isReady], [[], [], undefined, 1, false]);
      assert.match(unknown[0] ?? '', new RegExp(`^${says}$`));
      const text = migrationText(answer, (_, words) => words);
      assert.match(text, /\nnote: flags after -- .*\n.*\n1 not known\.\n$/);
      const known = await migrate(world(), { from, settings: ['--namespace=default'] });
      assert.deepEqual([known.args[0], known.unknown], ['--namespace=default', []]);
    });

  test('its command is not understood', async () => {
    const world = withOther(new World(), STAKATER, { command: ['sh', '-c', 'exec /manager $FLAGS'] });
    const { unknown, args } = await migrate(world, { from: 'stakater' });
    assert.deepEqual([unknown.length, args], [1, []]);
  });
});

test('variables that it does not read, or that a flag overrides, need no value', async () => {
  const env = [{ name: 'GOMAXPROCS', valueFrom: SOURCE }, { ...NS, name: 'ALERT_SINK' }, PLACE];
  const args = ['--namespaces=$(HOME_OF_IT)', '--log-level=$$(x)'];
  const parts = { args, env: [{ name: 'HOME_OF_IT', value: 'web' }, ...env] };
  const answer = await migrate(withOther(new World(), STAKATER, parts), { from: 'stakater' });
  assert.deepEqual(answer.unknown, []);
  assert.equal(answer.args[0], '--namespace=web');
});

test('only workloads that the other one serves count', async () => {
  const world = (args: string[]): World =>
    withOther(new World(), STAKATER, { args })
      .configMap('web', {}, false)
      .deployment({ annotations: { ...AUTO, 'reloader.k8s.collaborne.com/hold': 'true' } });
  for (const arg of ['--namespaces=shared', '--namespaces-to-ignore=default']) {
    const answer = await migrate(world([arg]), { from: 'stakater' }, { namespace: 'default' });
    assert.deepEqual([answer.workloads, answer.differences], [0, []]);
    assert.match(answer.notes.join(), /it does not watch namespace default/);
  }
  assert.equal((await migrate(world([]), { from: 'stakater' }, { namespace: 'default' })).workloads, 1);
  assert.equal((await migrate(world(['--namespaces-to-ignore=default']), { from: 'stakater' })).workloads, 0);
});

/** By what this program watches already: its arguments and those of the other one, what is said, and the first command. */
const RUNNING: Readonly<
  Record<string, readonly [own: string[], other: string[], says: RegExp, first: RegExp, pods?: number]>
> = {
  'all that the other one does: it stays': [
    ['-A'],
    ['--namespaces=web', '--auto-reload-all=true', '--ignored-workload-types=jobs,cronjobs'],
    /Deployment\/reloader in reloader, 1\/1 ready, watches all namespaces; it may roll workloads in namespaces of the other one$/,
    /^kubectl -n reloader edit deployment\/reloader$/,
  ],
  'a part: it stays': [
    ['--namespace=web'],
    ['--namespaces=web,api'],
    /watches web; it may roll workloads in namespaces of the other one$/,
    /^kubectl -n reloader edit deployment\/reloader$/,
  ],
  'other namespaces': [
    ['--namespace=shared'],
    ['--namespaces=web'],
    /; it rolls nothing in namespaces of the other one$/,
    /^kubectl apply -f -/,
  ],
  'what the other one ignores': [
    ['--namespace=shared'],
    ['--namespaces-to-ignore=shared'],
    /; it rolls nothing in namespaces of the other one$/,
    /^kubectl apply -f -/,
  ],
  'nothing, without pods': [['-A'], [], /, 0\/0 ready, .*; it rolls nothing in/, /^kubectl apply -f -/, 0],
};

describe('there is nothing to migrate from', () => {
  for (const from of ['stakater', 'collaborne'] as const)
    test(`if nothing is installed: ${from}`, async () => {
      const world = new World().configMap('web', {}, false).deployment({ annotations: AUTO });
      const answer = await migrate(world, { from });
      const { isReady, unknown, steps, args, differences } = answer;
      assert.deepEqual([isReady, unknown, steps, args, differences], [true, [], [], [], []]);
      assert.match(
        migrationText(answer, (_, words) => words),
        /\nno Deployment of .* is there: nothing to migrate \(/,
      );
    });
});

describe('this program is installed already, and watches', () => {
  for (const [name, [own, args, says, first, pods]] of Object.entries(RUNNING))
    test(name, async () => {
      const world = withOther(new World().install(own, pods), STAKATER, { args });
      const answer = await migrate(world, { from: 'stakater' });
      assert.match(answer.running.map((each) => each.says).join('\n'), says);
      assert.match(answer.steps[0]?.run ?? '', first);
      assert.match(
        migrationText(answer, (_, words) => words),
        /^From Stakater Reloader\nthis program is installed already: /,
      );
    });
});

/** Flags of the reloader that is kept, by which it leaves workloads out. */
const LEFT_OUT = [
  '--namespace-selector=team=a',
  '--resource-label-selector=team=a',
  '--namespaces-to-ignore=default',
  '--ignored-workload-types=deployments',
  '--ignored-config-resource-types=configmaps',
];

describe('what the reloader that is kept leaves out is unknown:', () => {
  for (const flag of LEFT_OUT)
    test(flag, async () => {
      const found = async (args: readonly string[]): Promise<Migration> =>
        await migrate(
          withOther(new World().install(['-A', flag]), STAKATER, { args })
            .configMap('web', {}, false)
            .deployment({ annotations: AUTO }),
          { from: 'stakater' },
        );
      const answer = await found([]);
      assert.match(answer.unknown.join(), /^whether the reloader that is there rolls the same/);
      assert.deepEqual((await found([flag])).unknown, []);
    });
});

test('a release of this program is edited, and the other one removed with its Secrets', async () => {
  const parts = { env: ALERT, annotations: RELEASE };
  const world = withSecret(withOther(withRelease(), STAKATER, parts)).install();
  world.sandbox.patch('deployments', 'reloader', 'reloader', { metadata: { annotations: RELEASE } });
  const answer = await migrate(world, { from: 'stakater' });
  assert.deepEqual(commandsOf(answer), [
    'kubectl -n reloader edit deployment/reloader',
    'kubectl -n reloader rollout status deployment/reloader',
    'helm uninstall rel -n reloader',
  ]);
  assert.match(answer.steps.at(-1)?.what ?? '', /also Secrets that its variables are read from$/);
  assert.match(
    answer.steps[0]?.what ?? '',
    /^compare with --all-namespaces .* ALERT_WEBHOOK_URL, and add what is meant; it concerns all its namespaces/,
  );
});

test('without the right to all namespaces nothing is known but of the one that is named', async () => {
  const world = (): World => {
    const limited = new World().configMap('web', {}, false).deployment({ annotations: AUTO });
    limited.refuses = ({ path: asked }) =>
      !/\/namespaces\/(default|reloader)\//.test(asked) && !/reviews$/.test(asked);
    return limited;
  };
  const unseen = await migrate(world(), { from: 'stakater' });
  assert.deepEqual([unseen.unknown.length, unseen.steps, unseen.isReady], [1, [], false]);
  assert.match(
    migrationText(unseen, (_, words) => words),
    /\nno Deployment of Stakater Reloader was found \(.*\nnot known: you may not list the Deployments of all/,
  );
  const asked = { from: 'stakater', settings: ['-A'] } as const;
  const everywhere = await migrate(world(), asked);
  assert.match(everywhere.unknown.join('\n'), /you may not list the Deployments of all namespaces/);
  assert.match(everywhere.unknown.join('\n'), /^Deployment: you may not list it$/m);
  const { workloads, unknown } = await migrate(world(), asked, { namespace: 'default' });
  assert.deepEqual([workloads, unknown.length], [1, 2]);
  assert.match(
    unknown[0] ?? '',
    /looked for in default and reloader alone \(--deployment <namespace>\/<name> names it\)/,
  );
  assert.match(unknown[1] ?? '', /: another installation of this program may run$/);
});

test('a flag after -- that is not understood is an error of the command line', async () => {
  const asked = migrate(new World(), { from: 'stakater', settings: ['--nonsense=1'] });
  await assert.rejects(asked, { code: 'usage', message: /^the flags after --: unknown flag "--nonsense/ });
});

test('the text says what is decided, and what is left to do', async () => {
  const world = withOther(new World(), STAKATER, { args: ['--no-such'] })
    .configMap('web', {}, false)
    .deployment({ annotations: AUTO });
  const text = migrationText(await migrate(world, { from: 'stakater' }), (_, words) => words);
  assert.match(text, /^From Stakater Reloader\n/);
  assert.match(text, /\nTo decide\n {2}--no-such: refused \(/);
  assert.match(text, /\n1 workload: 1 to decide, 0 not known\.\n$/);
});

test('what may not be read is not known', async () => {
  const world = withOther(new World(), STAKATER)
    .configMap('web', {}, false)
    .deployment({ annotations: AUTO });
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

test('a secret value of the other reloader is named, and not shown', async () => {
  const args = ['--webhook-url=http://u:p@hook'];
  const other = withOther(new World(), 'stakater/reloader:v1', { args });
  const answer = await migrate(other, { from: 'stakater' });
  assert.match(answer.notes.join(), /the value of RELOADER_OPT_WEBHOOK_URL is not shown/);
  assert.ok(!JSON.stringify(answer).includes('u:p'));
});
