/** `reloader state`: what the state says, whether it agrees with the cluster, and how it is written by a person. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { observe } from '../../../lib/commands/observation.ts';
import { type Compared, stateDiff, verified } from '../../../lib/commands/state/compare-state.ts';
import { type ExportedEdge, exportedState } from '../../../lib/commands/state/export-state.ts';
import { forgetEntry, hasEntryOf } from '../../../lib/commands/state/forget-entry.ts';
import { importState } from '../../../lib/commands/state/import-state.ts';
import { shownState } from '../../../lib/commands/state/show-state.ts';
import { storedState } from '../../../lib/commands/state/stored-state.ts';
import type { ApiRequest, Send } from '../../../lib/kubernetes/transport.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { rolledOut } from './named-causes.ts';
import { follows, World } from './world.ts';

const WEB: ConfigRef = { kind: 'ConfigMap', namespace: 'default', name: 'web' };
const ENTRY = 'default_v1.ConfigMap_web';
const OVERRIDES = 'default_ran.Deployment_web';
const NAMED = follows('web');

/** What the state holds; undefined: it does not exist. */
function dataOf({ sandbox }: World): Readonly<Record<string, string>> | undefined {
  const state = sandbox.get('configmaps', 'reloader', 'reloader-state');
  return state?.['data'] as Record<string, string> | undefined;
}

function write({ sandbox }: World, data: Readonly<Record<string, string | null>>): void {
  sandbox.patch('configmaps', 'reloader', 'reloader-state', { data });
}

function well(): World {
  return new World().install(['-A', '--digests=sha1']).configMap().deployment({ annotations: NAMED });
}

async function reloaderOf({ send }: World): ReturnType<typeof findReloader> {
  return await findReloader(send, { namespace: 'default', settings: [] });
}

/** The answer about all namespaces. */
async function about<T>(world: World, answer: (compared: Compared) => T, isStuck = false): Promise<T> {
  if (!isStuck) await rolledOut(world);
  const reloader = await reloaderOf(world);
  const { send } = world;
  const stored = await storedState(send, reloader);
  const observation = await observe({ send, options: reloader.options, place: reloader.place });
  const result = answer({ stored, observation, namespaces: undefined, isWhole: true });
  await observation.end();
  world.sandbox.close();
  return result;
}

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

describe('export and import', () => {
  const UP: ExportedEdge = {
    workload: 'default/Deployment/web',
    object: 'default/ConfigMap/web',
    upToDate: true,
  };

  test('of each edge it is told whether it is up to date, without a digest', async () => {
    const world = well().configMap('other');
    world.sandbox.patch('deployments', 'default', 'web', {
      metadata: { annotations: follows('web', 'other', 'gone') },
    });
    await rolledOut(world);
    const document = await about(world.change('other'), ({ observation }) => exportedState(observation));
    assert.deepEqual(document.edges, [{ ...UP, object: 'default/ConfigMap/other', upToDate: false }, UP]);
    assert.doesNotMatch(JSON.stringify(document), /[0-9a-f]{40}/);
  });

  /** Another cluster, with the same objects and no state. */
  function elsewhere(...flags: readonly string[]): World {
    const world = new World().install(['-A', ...flags], 0).configMap('web', {}, false);
    return world.deployment({ annotations: NAMED });
  }

  async function imported(
    world: World,
    edges: readonly ExportedEdge[],
    send: Send = world.send,
  ): Promise<Awaited<ReturnType<typeof importState>>> {
    await rolledOut(world);
    const reloader = await reloaderOf(world);
    const scene = { send, namespace: 'default', reloader };
    const document = { kind: 'ReloaderStateExport', version: 1, edges } as const;
    return await importState(scene, await storedState(world.send, reloader), document);
  }

  test('what was up to date has the present content as its baseline, under a key that is made', async () => {
    const world = elsewhere();
    assert.deepEqual(await imported(world, [UP]), { upToDate: 1, doubted: 0, skipped: [] });
    assert.match(dataOf(world)?.[ENTRY] ?? '', /^k[0-9a-f]{8}:[0-9a-f]{40}\.1$/);
    assert.equal(dataOf(world)?.[OVERRIDES], undefined);
    assert.ok(world.sandbox.get('secrets', 'reloader', 'reloader-state-key') !== undefined);
    assert.deepEqual(await about(world, stateDiff), { differences: [], unread: [] });
  });

  test('what was out of date is in doubt, and is rolled', async () => {
    const world = elsewhere('--digests=sha1');
    assert.deepEqual(await imported(world, [{ ...UP, upToDate: false }]), {
      upToDate: 0,
      doubted: 1,
      skipped: [],
    });
    assert.equal(dataOf(world)?.[OVERRIDES], '{"v1.ConfigMap_web":"?"}');
    const { differences } = await about(world, stateDiff);
    assert.deepEqual(
      differences.map(({ is }) => is),
      ['pending'],
    );
  });

  test('the sequence exceeds that of every stamp of the other cluster, so that none counts', async () => {
    const world = new World().install(['-A', '--digests=sha1'], 0).configMap('web', {}, false);
    const stamp = { name: '_RELOADER_CONFIGMAP_WEB', value: `k76543210:${'1'.repeat(40)}.7` };
    world.deployment({ annotations: NAMED, container: { env: [stamp] } });
    await imported(world, [UP]);
    assert.match(dataOf(world)?.[ENTRY] ?? '', /\.7$/);
    assert.deepEqual((await about(world, stateDiff)).differences, []);
  });

  const WORKLOADS = ['a', 'b', 'c'];
  const OBJECTS = ['x', 'y', 'z'];
  const anyEdge = fc.record({
    name: fc.constantFrom(...WORKLOADS),
    object: fc.constantFrom(...OBJECTS),
    upToDate: fc.boolean(),
    /** Of the stamp that its template brings along; 0: none. */
    sequence: fc.nat(3),
  });
  const anyEdges = fc.uniqueArray(anyEdge, { minLength: 1, selector: ({ name, object }) => name + object });

  test('exactly what was out of date elsewhere is out of date here, whatever the stamps say', async () => {
    await fc.assert(
      fc.asyncProperty(anyEdges, async (all) => {
        const world = new World().install(['-A', '--digests=sha1'], 0);
        for (const object of OBJECTS) world.configMap(object, {}, false);
        for (const [name, own] of Map.groupBy(all, (edge) => edge.name)) {
          const reads = own.map(({ object }) => object);
          const env = own
            .filter(({ sequence }) => sequence > 0)
            .map(({ object, sequence }) => ({
              name: `_RELOADER_CONFIGMAP_${object.toUpperCase()}`,
              value: `k76543210:${'1'.repeat(40)}.${sequence}`,
            }));
          world.deployment({ name, annotations: follows(...reads), reads, container: { env } });
        }
        const edges = all.map(({ name, object, upToDate }) => ({
          workload: `default/Deployment/${name}`,
          object: `default/ConfigMap/${object}`,
          upToDate,
        }));
        await imported(world, edges);
        const { differences } = await about(world, stateDiff);
        assert.deepEqual(
          differences.flatMap(({ object, outdated }) => outdated.map((by) => `${object} ${by}`)).sort(),
          all
            .filter(({ upToDate }) => !upToDate)
            .map(({ name, object }) => `ConfigMap/${object} Deployment/${name} in default`)
            .sort(),
        );
      }),
      { numRuns: 12 },
    );
  });

  test('what is not here, or is known here, is left alone and said', async () => {
    const world = elsewhere('--digests=sha1').configMap('other');
    world.sandbox.patch('deployments', 'default', 'web', {
      metadata: { annotations: follows('web', 'other', 'gone') },
    });
    const before = dataOf(world)?.['default_v1.ConfigMap_other'];
    const edges = ['other', 'gone', 'none'].map((name) => ({
      ...UP,
      object: `default/ConfigMap/${name}`,
      upToDate: false,
    }));
    const { upToDate, doubted, skipped } = await imported(world, [
      UP,
      ...edges,
      { ...UP, workload: 'default/Deployment/none' },
    ]);
    assert.deepEqual([upToDate, doubted], [1, 0]);
    assert.deepEqual(
      skipped.map(({ why }) => why),
      [
        'the state here has an entry of ConfigMap/other already',
        'ConfigMap/gone does not exist here',
        'Deployment/web does not follow ConfigMap/none here',
        'Deployment/none does not follow ConfigMap/web here',
      ],
    );
    assert.equal(dataOf(world)?.['default_v1.ConfigMap_other'], before);
    assert.equal(dataOf(world)?.[OVERRIDES], undefined);
    world.sandbox.close();
  });

  test('a second run goes on where the first one failed, and changes nothing else', async () => {
    const world = elsewhere('--digests=sha1');
    const isWrite = ({ method, path }: ApiRequest): boolean =>
      method === 'PATCH' && path.includes('/configmaps/reloader-state');
    world.refuses = isWrite;
    await assert.rejects(
      imported(world, [UP]),
      /ConfigMap\/reloader-state, is not written: .*; import it again/,
    );
    assert.equal(dataOf(world), undefined);
    world.refuses = () => false;
    assert.equal((await imported(world, [UP])).upToDate, 1);
    const data = dataOf(world);
    assert.match(
      (await imported(world, [UP])).skipped[0]?.why ?? '',
      /has an entry of ConfigMap\/web already/,
    );
    assert.deepEqual(dataOf(world), data);
    world.sandbox.close();
  });

  test('a write of another client in between is not overwritten', async () => {
    const world = elsewhere('--digests=sha1').commit('other', '0'.repeat(40));
    let writes = 0;
    const send: Send = async (request) => {
      // The leader that was started meanwhile.
      if (request.method === 'PATCH' && writes++ === 0) write(world, { [ENTRY]: `${'2'.repeat(40)}.9` });
      return await world.send(request);
    };
    const reloader = await reloaderOf(world);
    await rolledOut(world);
    const stored = await storedState(send, reloader);
    const document = { kind: 'ReloaderStateExport', version: 1, edges: [UP] } as const;
    await assert.rejects(
      importState({ send, namespace: 'default', reloader }, stored, document),
      /is not written: another client wrote it meanwhile/,
    );
    assert.equal(dataOf(world)?.[ENTRY], `${'2'.repeat(40)}.9`);
    world.sandbox.close();
  });

  test('without the right to the Secret of the keys nothing is written', async () => {
    const world = elsewhere();
    world.refuses = ({ path }) => path.includes('/secrets/');
    await assert.rejects(imported(world, [UP]), /you may not read or create Secret\/reloader-state-key/);
    assert.equal(dataOf(world), undefined);
    world.sandbox.close();
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
