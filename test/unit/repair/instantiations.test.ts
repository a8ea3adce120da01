/** When a deployment of a DeploymentConfig is requested, and what hinders it. */

import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { instantiate } from '../../../lib/kubernetes/workloads/instantiate.ts';
import { STAMPED_AFTER_ANNOTATION } from '../../../lib/model/kinds/deployment-config.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import type { WorkloadClient } from '../../../lib/model/outcome.ts';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { instantiations } from '../../../lib/repair/instantiations.ts';
import type { LivePatches } from '../../../lib/repair/live-patches.ts';
import { Store } from '../../../lib/store/store.ts';
import { mockTime } from '../../mock-time.ts';
import { settingsWith } from '../../settings.ts';
import { vocabulary } from '../annotations/defaults.ts';
import { ok, scripted } from '../kubernetes/scripted-send.ts';
import { settle } from '../state/committer-stage.ts';

const REF = { kind: 'DeploymentConfig', namespace: 'home', name: 'web' };
const STEP_MS = 10_000;
type Requested = Awaited<ReturnType<NonNullable<WorkloadClient['instantiate']>>>;

function deploymentConfig(latestVersion: number, stampedAfter = '3', paused = false): RawWorkload {
  return {
    metadata: { ...REF, resourceVersion: '7', annotations: { [STAMPED_AFTER_ANNOTATION]: stampedAfter } },
    spec: { triggers: [], paused, template: { spec: { containers: [{ name: 'app' }] } } },
    status: { latestVersion },
  };
}

/** One DeploymentConfig without triggers, and time that a test moves. */
class Stage {
  live = deploymentConfig(3);
  requests = 0;
  readonly said: string[] = [];
  /** In place of the ordinary answers; each request raises the version all the same if `isDone`. */
  readonly faults: { readonly answer: Requested; readonly isDone: boolean }[] = [];
  readonly store = new Store(settingsWith({ vocabularies: vocabulary() }));
  readonly instantiations: LivePatches<string>;
  readonly #timers: TestContext['mock']['timers'];

  constructor(t: TestContext, asks = true) {
    mockTime(t);
    this.#timers = t.mock.timers;
    this.instantiations = instantiations({
      store: this.store,
      client: {
        roll: () => assert.fail('nothing is rolled'),
        patch: () => assert.fail('nothing is patched'),
        get: () => Promise.resolve({ kind: 'found', object: this.live }),
        ...(asks && { instantiate: () => this.#request() }),
      },
      say: (_, { reason }) => void this.said.push(reason),
      concurrency: 16,
      random: () => 0,
      log: NO_LOG,
    });
  }

  /** The stream tells what a test gives, and the API server has `live`. */
  async tell(told = this.live): Promise<void> {
    const object = workloadOf(workloadKindOf(REF.kind), told, this.store.settings.vocabularies);
    const news = { span: { from: 0, to: 0 }, isInInitialList: true, isRelisted: false };
    this.instantiations.observe({ type: 'present', key: keyOf(REF), object, ...news });
    await settle();
  }

  async pass(): Promise<void> {
    this.#timers.tick(STEP_MS);
    await settle();
  }

  #request(): Promise<Requested> {
    this.requests += 1;
    const fault = this.faults.shift();
    if (fault?.isDone !== false) this.live = deploymentConfig(4);
    return Promise.resolve(fault?.answer ?? { kind: 'accepted', object: this.live });
  }
}

test('what our patch left is requested once', async (t) => {
  const stage = new Stage(t);
  const before = stage.live;
  await stage.tell();
  await stage.tell(before);
  await stage.pass();
  assert.deepEqual([stage.requests, stage.said], [1, ['instantiated']]);
});

test('nothing is requested that was started, is paused, was never patched, or where it is not asked for', async (t) => {
  const stage = new Stage(t);
  for (const live of [deploymentConfig(4), deploymentConfig(3, '3', true), deploymentConfig(0, '')]) {
    stage.live = live;
    await stage.tell();
  }
  assert.equal(stage.requests, 0);
});

test('without the flag nothing is requested', async (t) => {
  const stage = new Stage(t, false);
  await stage.tell();
  assert.equal(stage.requests, 0);
});

test('a request that was in force without an answer is not sent again', async (t) => {
  const stage = new Stage(t);
  stage.faults.push({ answer: { kind: 'unanswered', message: 'lost' }, isDone: true });
  await stage.tell();
  await stage.pass();
  assert.deepEqual([stage.requests, stage.said], [1, ['retry']]);
});

test('a refused one is told and sent again until it is accepted', async (t) => {
  const stage = new Stage(t);
  const answer: Requested = { kind: 'rejected', code: 'invalid', message: 'unresolved images' };
  stage.faults.push({ answer, isDone: false });
  await stage.tell();
  await stage.pass();
  assert.deepEqual([stage.requests, stage.said], [2, ['refused', 'instantiated']]);
});

test('the request is for the template as it is, never for the latest images', async () => {
  const { send, requests } = scripted(ok({ metadata: { name: 'web' } }));
  assert.equal((await instantiate(send, REF)).kind, 'accepted');
  const [{ method = '', path = '', body = '' } = {}] = requests;
  const place = '/apis/apps.openshift.io/v1/namespaces/home/deploymentconfigs/web/instantiate';
  assert.equal(`${method} ${path}`, `POST ${place}?fieldManager=kubernetes-reloader`);
  const request = { kind: 'DeploymentRequest', apiVersion: 'apps.openshift.io/v1', name: 'web' };
  assert.deepEqual(JSON.parse(body), { ...request, latest: false, force: true });
});
