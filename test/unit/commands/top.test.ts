/** Where `reloader top` has its report from: the leader tells it, or the person observes. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { findReloader } from '../../../lib/commands/installed-reloader.ts';
import { answerOf } from '../../../lib/commands/reads.ts';
import { lookingAt } from '../../../lib/commands/top/top.ts';
import type { Top } from '../../../lib/commands/top/top-answer.ts';
import type { ApiRequest, Send } from '../../../lib/kubernetes/transport.ts';
import type { StatusReport } from '../../../lib/model/status-report.ts';
import { digestOf } from '../../digests.ts';
import { until } from '../../integration/reloader-process.ts';
import { outdatedWorkload, report } from '../telemetry/reports.ts';
import { rolledOut } from './named-causes.ts';
import { follows, World } from './world.ts';

const STATUS = /^\/api\/v1\/namespaces\/reloader\/pods\/([^/]+):(\d+)\/proxy\/status\.json$/;
const TOLD = report({
  workloads: [outdatedWorkload('told', 4), outdatedWorkload('far', 2, { namespace: 'shop' })],
});

let world: World;
const endings: (() => Promise<void>)[] = [];
beforeEach(() => {
  world = new World();
});
afterEach(async () => {
  world.refuses = () => false;
  for (const end of endings.splice(0)) await end();
  world.sandbox.close();
});

/** How a pod answers: with its status, or (undefined) not at all. */
type Pods = (port: number, pod: string) => object | undefined;

interface Asked {
  readonly only?: string;
  readonly isEverywhere?: boolean;
  readonly isLive?: boolean;
  readonly namespace?: string;
}

/** Looks once all pods are there. */
async function looked(pods: Pods, { only, isEverywhere = false, isLive = false, ...asked }: Asked = {}) {
  const { namespace = 'default' } = asked;
  const send: Send = async (request: ApiRequest) => {
    const [, pod = '', port] = STATUS.exec(request.path) ?? [];
    const status = port === undefined ? undefined : pods(Number(port), pod);
    return status === undefined ? await world.send(request) : answerOf(200, status);
  };
  await rolledOut(world);
  const reloader = await findReloader(send, { namespace, settings: [] });
  const looking = await lookingAt({ send, namespace, isEverywhere, reloader }, only, isLive);
  endings.push(looking.end);
  return looking;
}

function workloadsOf({ rows }: Top): readonly string[] {
  return rows.map(({ namespace, workload }) => `${namespace}/${workload}`);
}

describe('the leader tells', () => {
  test('all that it watches, at its own port', async () => {
    world.install(['-A', '--port=9000']);
    const { first: top } = await looked((port) => (port === 9000 ? TOLD : undefined));
    assert.match(top.source, /^Pod\/reloader-\S+, the leader$/);
    assert.equal(top.reloader, 'Deployment/reloader in reloader, 1/1 ready, watches all namespaces');
    assert.deepEqual(workloadsOf(top), ['default/Deployment/told', 'shop/Deployment/far']);
    assert.equal(top.rows[0]?.outdatedForSeconds, 4);
  });

  test('of one namespace, if only that one is asked about', async () => {
    world.install();
    const { first: top } = await looked(() => TOLD, { only: 'shop' });
    assert.deepEqual(workloadsOf(top), ['shop/Deployment/far']);
    assert.deepEqual(top.problems, []);
  });

  test('and not a standby', async () => {
    world.install(['-A'], 2);
    const asked = new Set<string>();
    const standby = report({ leader: { isThis: false, identity: 'other' } });
    const leader: StatusReport = { ...TOLD, leader: { isThis: true, identity: 'this' } };
    const { first: top } = await looked((_, pod) => (asked.add(pod).size === 1 ? standby : leader));
    assert.equal(top.source, `Pod/${[...asked][1]}, the leader`);
  });

  test('again at each look, and an answer that fails is an error', async () => {
    world.install();
    let answer: object | undefined = TOLD;
    const { look } = await looked(() => answer);
    answer = report();
    assert.deepEqual((await look()).rows, []);
    answer = undefined;
    await assert.rejects(look, { name: 'CommandError' });
  });

  test('which watches are down, and that it does not watch the namespace', async () => {
    world.install(['--namespace=default']);
    const down = { isUp: false, sinceSeconds: 12, restarts: 1, problem: 'refused' };
    const watches = ['ConfigMap', 'Secret'].map((stream) => ({ stream, ...down }));
    const { first: top } = await looked(() => ({ ...TOLD, watches }), { only: 'shop' });
    assert.deepEqual(top.problems, [
      'the reloader does not watch shop',
      'not watched for 12 s: ConfigMap, Secret: refused',
    ]);
  });
});

describe('the person observes', () => {
  /** A workload that is out of date, and a reloader that does not tell. */
  async function changed(args: readonly string[] = ['-A']): Promise<void> {
    world
      .install(args)
      .configMap()
      .deployment({ annotations: follows('web') });
    await rolledOut(world);
    world.change();
  }
  const silent: Pods = () => undefined;

  /** The rollout of another process: the stamp of what is in force. */
  function stamp(): void {
    const digest = digestOf('ConfigMap', {
      metadata: { namespace: 'default', name: 'web' },
      data: { value: 'B' },
    });
    const env = [{ name: '_RELOADER_CONFIGMAP_WEB', value: `${digest}.2` }];
    const template = { spec: { containers: [{ name: 'app', env }] } };
    world.sandbox.patch('deployments', 'default', 'web', { spec: { template } }, 'strategic');
  }

  const reasons: Readonly<Record<string, { pods?: Pods; args?: readonly string[]; says: RegExp }>> = {
    'pods may not be asked': { says: /: its status may not be read with your rights$/ },
    'no pod leads': {
      pods: () => report({ leader: { isThis: false, identity: undefined } }),
      says: /: none of its pods leads$/,
    },
    'another program answers': { pods: () => ({ hello: 'world' }), says: /: none of its pods leads$/ },
    'its pages want a token': {
      pods: () => TOLD,
      args: ['-A', '--secure-metrics'],
      says: /--secure-metrics/,
    },
  };
  for (const [name, { pods = silent, args, says }] of Object.entries(reasons))
    test(`if ${name}`, async () => {
      await changed(args);
      world.refuses = ({ path }) => path.includes('/proxy/');
      const { first: top } = await looked(pods);
      assert.match(top.source, /^what you may read in namespace default, without ages and ends of waits: /);
      assert.match(top.source, says);
      assert.deepEqual(workloadsOf(top), ['default/Deployment/web']);
      assert.equal(top.rows[0]?.state, 'out of date');
      assert.equal(top.rows[0]?.outdatedForSeconds, undefined);
    });

  test('if there is no reloader', async () => {
    world.configMap().deployment({ annotations: follows('web') });
    const { first: top } = await looked(silent, { isEverywhere: true });
    assert.equal(
      top.source,
      'what you may read in all namespaces, without ages and ends of waits: no reloader was found',
    );
  });

  test('what the person may not read is said', async () => {
    await changed();
    world.sandbox.denied.push({ resource: 'secrets' });
    world.refuses = ({ path }) => /\/proxy\/|\/secrets|configmaps\/reloader-state/.test(path);
    const { first: top } = await looked(silent);
    assert.deepEqual(top.problems, [
      'state: you may not read ConfigMap/reloader-state in reloader: whether pods are out of date is not known',
      'not read: Secret in default: you may not list it',
    ]);
    assert.deepEqual(top.rows, []);
  });

  test('but not if no workloads may be listed', async () => {
    await changed();
    for (const resource of ['configmaps', 'secrets', 'deployments', 'statefulsets', 'daemonsets'])
      world.sandbox.denied.push({ resource });
    world.refuses = ({ path }) => /\/(configmaps|secrets|\w+sets|deployments|pods)(\/|\?|$)/.test(path);
    await assert.rejects(
      looked(silent),
      /^CommandError: you may list no workloads in namespace default, and the reloader/,
    );
  });

  test('what the reloader rolls meanwhile is seen, and what changes again', async () => {
    await changed();
    const { look, first } = await looked(silent, { isLive: true });
    assert.equal(first.totals.outdated, 1);
    stamp();
    await until('the rollout is seen', async () => (await look()).totals.outdated === 0, 10_000);
    world.sandbox.patch('configmaps', 'default', 'web', { data: { value: 'C' } });
    await until('the change is seen', async () => (await look()).totals.outdated === 1, 10_000);
  });

  test('a state that is not read again is an error', async () => {
    await changed();
    const { look } = await looked(silent, { isLive: true });
    world.refuses = () => true;
    await assert.rejects(look, /the state was not read again/);
  });
});
