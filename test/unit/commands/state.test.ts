/** `reloader state`: what the state says, and whether it agrees with the cluster; an entry is dropped. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateDiff, verified } from '../../../lib/commands/state/compare-state.ts';
import { forgetEntry, hasEntryOf } from '../../../lib/commands/state/forget-entry.ts';
import { shownState } from '../../../lib/commands/state/show-state.ts';
import { storedState } from '../../../lib/commands/state/stored-state.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { rolledOut } from './named-causes.ts';
import { about, dataOf, ENTRY, NAMED, OVERRIDES, reloaderOf, well, write } from './stored.ts';
import { follows, World } from './world.ts';

const WEB: ConfigRef = { kind: 'ConfigMap', namespace: 'default', name: 'web' };

describe('show', () => {
  async function shown(world: World): Promise<ReturnType<typeof shownState>> {
    const state = shownState(await storedState(world.send, await reloaderOf(world)), () => true);
    world.sandbox.close();
    return state;
  }

  test('has every entry, halts included, and what runs something else', async () => {
    const world = well();
    const digest = 'ab'.repeat(20);
    write(world, {
      [ENTRY]: `k01234567:${digest}.4!cafe=default/Deployment/web`,
      'v1.Secret_tls': '-.1',
      [OVERRIDES]: `{"v1.ConfigMap_web":"?3","v1.ConfigMap_gone":"${digest}"}`,
      'ran.CronJob_EVERYWHERE': '{"v1.Secret_tls":"?"}',
    });
    const { entries, overrides, parts } = await shown(world);
    assert.deepEqual(entries, [
      {
        object: 'ConfigMap/web',
        namespace: 'default',
        digest: 'abab… (k01234567)',
        sequence: 4,
        halts: [{ workload: 'Deployment/web', token: 'cafe' }],
      },
      { object: 'Secret/tls', namespace: 'reloader', digest: 'absent', sequence: 1, halts: [] },
    ]);
    assert.deepEqual(overrides, [
      {
        workload: 'Deployment/web',
        namespace: 'default',
        // What stands beside no entry does not count.
        runs: [{ object: 'ConfigMap/web', content: 'that of its stamp 3, while its template has it' }],
      },
      {
        workload: 'every CronJob of all namespaces',
        namespace: 'reloader',
        runs: [{ object: 'Secret/tls', content: 'unknown' }],
      },
    ]);
    assert.deepEqual(
      parts.map(({ configMap, version, unreadable }) => [configMap, version, unreadable]),
      [['reloader-state', '2', []]],
    );
  });

  test('needs neither the key of the digests nor any object', async () => {
    const world = well();
    world.refuses = ({ path }) => !/reloader-state(?:-\d)?$|deployments/.test(path);
    assert.equal((await shown(world)).entries.length, 1);
  });

  test('refuses the state of a later version, and says without the right to it that it is missing', async () => {
    const world = well();
    const reloader = await reloaderOf(world);
    const annotations = { 'reloader.k8s.collaborne.com/state-version': '99' };
    world.sandbox.patch('configmaps', 'reloader', 'reloader-state', { metadata: { annotations } });
    await assert.rejects(storedState(world.send, reloader), /of version 99, which a later version/);
    world.refuses = () => true;
    await assert.rejects(
      storedState(world.send, reloader),
      /you may not read the state, ConfigMap\/reloader-state in reloader/,
    );
    world.sandbox.close();
  });
});

describe('verify', () => {
  test('finds nothing wrong with a state that is sound', async () => {
    const { entries, problems, notes, unread } = await about(well(), verified);
    assert.deepEqual([entries, problems, notes, unread], [1, [], [], []]);
  });

  const problems: Readonly<Record<string, { data: Record<string, string>; rule: string; names: RegExp }>> = {
    'a value that does not parse': {
      data: { [ENTRY]: 'hello' },
      rule: 'state-unreadable',
      names: /default_v1\.ConfigMap_web in ConfigMap\/reloader-state/,
    },
    'a key of the digests that is lost': {
      data: { [ENTRY]: `k01234567:${'0'.repeat(40)}.1` },
      rule: 'state-key-lost',
      names: /no key k01234567/,
    },
    'an entry that no workload follows': {
      data: { 'default_v1.ConfigMap_old': `${'0'.repeat(40)}.1` },
      rule: 'not-followed',
      names: /state forget ConfigMap\/old -n default/,
    },
    'what a workload runs that follows nothing': {
      data: { 'default_ran.Deployment_old': '{"v1.ConfigMap_web":"?"}' },
      rule: 'no-workload',
      names: /Deployment\/old in default/,
    },
  };
  for (const [name, { data, rule, names }] of Object.entries(problems))
    test(`names ${name}`, async () => {
      const world = well();
      write(world, data);
      const found = (await about(world, verified)).problems.filter((each) => each.rule === rule);
      assert.match(found.map(({ says, todo }) => `${says} ${todo}`).join(), names);
    });

  test('names a ConfigMap that is missing, and an entry that stands twice', async () => {
    const world = well();
    const annotations = { 'reloader.k8s.collaborne.com/state-shards': '3' };
    world.sandbox.patch('configmaps', 'reloader', 'reloader-state', { metadata: { annotations } });
    const second = { namespace: 'reloader', name: 'reloader-state-1' };
    world.sandbox.create('configmaps', { metadata: second, data: { ...dataOf(world) } });
    const { problems: found } = await about(world, verified);
    assert.deepEqual(
      found.map(({ rule, about: object }) => [rule, object]),
      [
        ['duplicate', 'ConfigMap/reloader-state-1 in reloader'],
        ['state-missing', 'ConfigMap/reloader-state-2 in reloader'],
      ],
    );
  });

  test('has a stamp that is not committed yet as a note, and says what may not be read', async () => {
    const world = new World().install().configMap();
    const stamp = { name: '_RELOADER_CONFIGMAP_WEB', value: `${'1'.repeat(40)}.7` };
    world.deployment({ annotations: NAMED, container: { env: [stamp] } });
    const { problems: found, notes } = await about(world, verified);
    assert.deepEqual([found, notes.map(({ rule }) => rule)], [[], ['not-committed']]);
    const refused = well();
    refused.refuses = ({ path }) => path.includes('/secrets');
    refused.sandbox.denied.push({ resource: 'secrets' });
    write(refused, { [ENTRY]: `k01234567:${'0'.repeat(40)}.1` });
    const { unread, problems: known } = await about(refused, verified);
    assert.ok(unread.some(({ what }) => what.startsWith('Secret/reloader-state-key')));
    assert.deepEqual(known, []);
  });
});

describe('diff', () => {
  async function differences(world: World): Promise<unknown> {
    const { differences: all } = await about(world, stateDiff);
    return all.map(({ object, is, outdated }) => [object, is, outdated]);
  }
  const WORKLOAD = 'Deployment/web in default';

  test('is empty where all is rolled out', async () => assert.deepEqual(await differences(well()), []));

  test('has content that changed, with the workloads that are out of date', async () => {
    const world = well();
    await rolledOut(world);
    assert.deepEqual(await differences(world.change()), [['ConfigMap/web', 'changed', [WORKLOAD]]]);
  });

  test('has what is committed and not rolled out everywhere', async () => {
    const world = well();
    write(world, { [OVERRIDES]: '{"v1.ConfigMap_web":"?"}' });
    assert.deepEqual(await differences(world), [['ConfigMap/web', 'pending', [WORKLOAD]]]);
  });

  test('has objects without an entry, without a follower, and those that are gone', async () => {
    const world = new World().install().configMap('old').configMap('web', {}, false);
    world.deployment({ annotations: follows('web', 'gone') }).commit('gone', '0'.repeat(40));
    assert.deepEqual(await differences(world), [
      ['ConfigMap/gone', 'gone', []],
      ['ConfigMap/old', 'not followed', []],
      ['ConfigMap/web', 'new', []],
    ]);
  });
});

describe('forget', () => {
  test('drops the entries of an object, and what stands beside them, and nothing else', async () => {
    const world = well();
    const kept = { 'default_v1.ConfigMap_web2': `${'0'.repeat(40)}.1` };
    write(world, {
      ...kept,
      'default_v1.ConfigMap_web_a_.b': `${'0'.repeat(40)}.1`,
      [OVERRIDES]: '{"v1.ConfigMap_web":"?","v1.ConfigMap_web2":"?"}',
      'default_ran.Deployment_other': '{"v1.ConfigMap_web":"?"}',
    });
    const stored = await storedState(world.send, await reloaderOf(world));
    assert.ok(hasEntryOf(stored, WEB));
    assert.ok(!hasEntryOf(stored, { ...WEB, name: 'other' }));
    const { entries, workloads } = await forgetEntry(stored, WEB);
    assert.deepEqual(entries, [ENTRY, 'default_v1.ConfigMap_web_a_.b']);
    assert.deepEqual(workloads, [OVERRIDES, 'default_ran.Deployment_other']);
    assert.deepEqual(dataOf(world), { ...kept, [OVERRIDES]: '{"v1.ConfigMap_web2":"?"}' });
    world.sandbox.close();
  });

  test('is fenced: what another client wrote meanwhile stays', async () => {
    const world = well();
    const stored = await storedState(world.send, await reloaderOf(world));
    const written = { [ENTRY]: `${'2'.repeat(40)}.9` };
    write(world, written);
    await assert.rejects(
      forgetEntry(stored, WEB),
      /is not written: another client wrote it meanwhile; try it again/,
    );
    assert.deepEqual(dataOf(world), written);
    world.sandbox.close();
  });
});
