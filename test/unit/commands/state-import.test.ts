/** `reloader state export` and `import`: a namespace moves to another cluster. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { stateDiff } from '../../../lib/commands/state/compare-state.ts';
import { type ExportedEdge, exportedState } from '../../../lib/commands/state/export-state.ts';
import { importState } from '../../../lib/commands/state/import-state.ts';
import { storedState } from '../../../lib/commands/state/stored-state.ts';
import type { ApiRequest, Send } from '../../../lib/kubernetes/transport.ts';
import { rolledOut } from './named-causes.ts';
import { about, dataOf, ENTRY, NAMED, OVERRIDES, reloaderOf, well, write } from './stored.ts';
import { follows, World } from './world.ts';

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

  test('a workload that the document lacks is in doubt if the stamp of another reloader is of another content', async () => {
    const world = elsewhere('--digests=sha1');
    const env = [{ name: 'STAKATER_WEB_CONFIGMAP', value: '1'.repeat(40) }];
    world.deployment({ name: 'stamped', annotations: NAMED, container: { env } });
    world.deployment({ name: 'new', annotations: NAMED });
    await imported(world, [UP]);
    const data = Object.entries(dataOf(world) ?? {}).filter(([key]) => key !== ENTRY);
    assert.deepEqual(data, [['default_ran.Deployment_stamped', '{"v1.ConfigMap_web":"?"}']]);
    world.sandbox.close();
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
