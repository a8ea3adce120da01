/** Rollouts under the real controller of Argo Rollouts: a change is rolled once, whatever state the Rollout is in. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { skipWithoutArgoRollouts } from '../control-plane/argo-rollouts.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { isStable, WEB } from '../control-plane/rollout-scene.ts';
import type { HeldPart } from '../faults/fault-proxy.ts';
import type { CallMatch } from '../sandbox/faults.ts';
import { type JsonObject, pick } from '../sandbox/json.ts';
import { Crowd } from './argo-crowd.ts';
import {
  type ArgoOptions,
  ArgoStage,
  blueGreen,
  following,
  RESTART,
  type Reference,
  type ReferringOptions,
  type Rest,
  STEPS,
} from './argo-stage.ts';

const plane = await ControlPlane.start();
after(() => plane[Symbol.asyncDispose]());
const skip = skipWithoutArgoRollouts(plane);
const TOGETHER = { skip, concurrency: 5 };

function open(name: string, options: ArgoOptions = {}): Promise<ArgoStage> {
  return ArgoStage.withWeb(plane, name, options);
}

/** `web` at the pause of its rollout for the content B. */
async function openAtPause(name: string, options: ArgoOptions = { strategy: STEPS }): Promise<ArgoStage> {
  const argo = await open(name, options);
  await argo.change('B');
  await argo.patched(1);
  await argo.scene.reaches('Paused');
  return argo;
}

/** Promotes `web` at each pause, of which some may still be of the template before; it rests then. */
async function promotedTo(argo: ArgoStage, end: Rest): Promise<void> {
  await argo.patched(end.patches);
  await argo.stage.until('it is promoted', async () => {
    const isStill = ({ phase }: JsonObject): boolean => phase === 'Paused' || phase === 'Healthy';
    const { phase } = await argo.scene.until('at a pause, or done', isStill);
    if (phase === 'Paused') await argo.scene.kubectl('promote');
    return phase === 'Healthy';
  });
  await argo.restsAt(end);
}

async function saysHeld({ stage }: ArgoStage): Promise<void> {
  await stage.until('an Event says how it is promoted', async () =>
    (await stage.list('events')).some(
      ({ reason, message }) => reason === 'PodsNotReplaced' && String(message).includes('promote web'),
    ),
  );
}

/** No pod may be evicted. */
const NO_EVICTIONS = {
  metadata: { name: 'none' },
  spec: { maxUnavailable: 0, selector: { matchLabels: { app: WEB } } },
};

const ROLLOUTS: CallMatch = { resource: 'rollouts', verb: 'patch' };
const STATE: CallMatch = { resource: 'configmaps', name: 'reloader-state', verb: 'patch' };

/** When a process is killed. */
interface Kill {
  /** The write that is on its way, or its answer. */
  readonly held: readonly [CallMatch, HeldPart, passing?: number];
  /** Whether it arrives after the next start. */
  readonly isLate: boolean;
  /** The patches of both: the state does not tell of the first one, and the stamp alone proves nothing. @default 1 */
  readonly patches?: 2;
}

/** The write of a change to the state before the commit is that of the mark. */
const KILLS: Readonly<Record<string, Kill>> = {
  'as it marks': { held: [STATE, 'request'], isLate: false },
  'before it hears of its mark': { held: [STATE, 'answer'], isLate: true },
  'as it patches': { held: [ROLLOUTS, 'request'], isLate: false, patches: 2 },
  'as it patches, which comes later than the patch of the next one': {
    held: [ROLLOUTS, 'request'],
    isLate: true,
  },
  'before it hears of its patch': { held: [ROLLOUTS, 'answer'], isLate: true, patches: 2 },
  'as it commits': { held: [STATE, 'request', 1], isLate: false },
  'before it hears of its commit': { held: [STATE, 'answer', 1], isLate: true },
};

/** Where a Rollout may take its template from. */
const REFERENCES: readonly Reference[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', resource: 'deployments' },
  { apiVersion: 'apps/v1', kind: 'ReplicaSet', resource: 'replicasets' },
  { apiVersion: 'v1', kind: 'PodTemplate', resource: 'podtemplates' },
];

/** What a change does, by what has the annotations. */
const ANNOTATED: Readonly<
  Record<string, ReferringOptions & { readonly rest: Rest; readonly kinds: RegExp }>
> = {
  'is restarted by annotations of its own': {
    annotations: { ...RESTART, ...following(WEB) },
    rest: { patches: 1, revision: 1 },
    kinds: /./,
  },
  'is rolled by annotations of that': {
    ofReference: following(WEB),
    rest: { patches: 0, revision: 2 },
    kinds: /Deployment/,
  },
  'is rolled by annotations of its own': {
    annotations: following(WEB),
    rest: { patches: 0, revision: 2 },
    kinds: /Deployment/,
  },
  'is rolled once by annotations on both': {
    annotations: following(WEB),
    ofReference: following(WEB),
    rest: { patches: 0, revision: 2 },
    kinds: /Deployment/,
  },
};

// The groups overlap: most of them wait for most of the time.
describe('under the real controller', { skip, concurrency: 3 }, () => {
  describe('a canary without steps', TOGETHER, () => {
    for (const strategy of ['env-vars', 'annotations']) {
      test(`is rolled once by the changes of a window, by nothing else: ${strategy}`, async () => {
        await using argo = await open(strategy, { flags: ['--reload-strategy', strategy], periodMs: 2000 });
        await argo.change('B');
        await argo.restsAt({ patches: 1, revision: 2 });
        await argo.change('C');
        await argo.change('D');
        await argo.restsAt({ patches: 2, revision: 3 });
        await argo.stage.expect('PATCH', 'configmaps/web', { metadata: { labels: { edited: 'yes' } } });
        await argo.restsAt({ patches: 2, revision: 3 });
        await argo.startAgain();
        await argo.restsAt({ patches: 2, revision: 3 });
      });
    }

    test('that a person rolls in the window is not rolled again', async () => {
      await using argo = await open('set-image', { periodMs: 5000 });
      await argo.changeWithin('B');
      await argo.scene.argo.kubectl(['set', 'image', WEB, 'main=other'], { namespace: argo.scene.namespace });
      await argo.scene.until('rolled', (status) => isStable(status) && status['phase'] === 'Healthy');
      await argo.restsAt({ patches: 0, revision: 2 });
    });
  });

  describe('a canary that pauses at a step', TOGETHER, () => {
    test('is stamped once, holds up nothing until its promotion, and a kill meanwhile repeats nothing', async () => {
      await using argo = await openAtPause('pause');
      await saysHeld(argo);
      await argo.stage.mark(argo.reloader);
      await argo.startAgain();
      await argo.stage.mark(argo.reloader);
      assert.equal(argo.patches, 1);
      await promotedTo(argo, { patches: 1, revision: 2 });
    });

    test('is rolled anew by a change at the pause', async () => {
      await using argo = await openAtPause('pause-change');
      await argo.change('C');
      await promotedTo(argo, { patches: 2, revision: 3 });
    });

    test('that is undone at the pause is rolled again', async () => {
      await using argo = await openAtPause('pause-undo');
      await argo.stage.mark(argo.reloader);
      await argo.scene.kubectl('undo');
      await promotedTo(argo, { patches: 2, revision: 4 });
    });
  });

  describe('a blue-green Rollout', TOGETHER, () => {
    test('is rolled once, and again after an undo that brings the old pods back', async () => {
      await using argo = await open('green', { strategy: blueGreen() });
      await argo.change('B');
      await argo.restsAt({ patches: 1, revision: 2 });
      await argo.scene.kubectl('undo');
      await argo.restsAt({ patches: 2, revision: 4 });
    });

    test('that waits for its promotion is rolled once, and again after an undo', async () => {
      await using argo = await openAtPause('blue', { strategy: blueGreen({ autoPromotionEnabled: false }) });
      await saysHeld(argo);
      await argo.stage.mark(argo.reloader);
      await promotedTo(argo, { patches: 1, revision: 2 });
      await argo.scene.kubectl('undo');
      await promotedTo(argo, { patches: 2, revision: 4 });
    });
  });

  describe('an aborted rollout', TOGETHER, () => {
    /** `web` after the abort of its rollout for B. */
    async function openAborted(name: string): Promise<ArgoStage> {
      const argo = await openAtPause(name);
      await argo.scene.kubectl('abort');
      await argo.scene.reaches('Degraded');
      await argo.markOnly();
      assert.equal(argo.patches, 1);
      return argo;
    }

    test('that is tried again needs no other one', async () => {
      await using argo = await openAborted('retry');
      await argo.scene.kubectl('retry', 'rollout');
      await promotedTo(argo, { patches: 1, revision: 2 });
    });

    test('is not forced on by a change, which is rolled once it is tried again', async () => {
      await using argo = await openAborted('retry-change');
      await argo.change('C');
      await argo.markOnly();
      await argo.reloader.kill();
      await argo.start({ settles: false });
      await argo.markOnly();
      assert.equal(argo.patches, 1);
      await argo.scene.kubectl('retry', 'rollout');
      await promotedTo(argo, { patches: 2, revision: 3 });
    });

    test('that is undone is rolled anew', async () => {
      await using argo = await openAborted('abort-undo');
      await argo.scene.kubectl('undo');
      await promotedTo(argo, { patches: 2, revision: 4 });
    });
  });

  /** `web` with pods that have not read B although it is stamped with it, by the strategy, and what makes them stay. */
  const UNDONE: Readonly<Record<string, readonly [JsonObject, (argo: ArgoStage) => Promise<unknown>]>> = {
    'at a pause': [STEPS, ({ scene }) => scene.reaches('Paused')],
    'after an abort': [
      STEPS,
      async ({ scene }) => {
        await scene.reaches('Paused');
        await scene.kubectl('abort');
        await scene.reaches('Degraded');
      },
    ],
    'after a switch': [blueGreen(), ({ scene }) => scene.reaches('Healthy')],
  };

  describe('what is undone while no reloader runs is rolled again', TOGETHER, () => {
    for (const [index, [when, [strategy, reach]]] of Object.entries(UNDONE).entries())
      test(when, async () => {
        await using argo = await open(`undone-${index}`, { strategy });
        await argo.change('B');
        await argo.patched(1);
        await reach(argo);
        await argo.markOnly();
        await argo.reloader.kill();
        await argo.scene.kubectl('undo');
        await argo.scene.reaches('Healthy');
        await argo.start({ settles: false });
        await promotedTo(argo, { patches: 2, revision: 4 });
      });
  });

  describe('a Rollout that is restarted', TOGETHER, () => {
    test('has new pods and its old template, once for each change', async () => {
      await using argo = await open('restart', { annotations: RESTART });
      const before = pick(await argo.scene.rollout(), 'spec', 'template');
      for (const [index, content] of ['B', 'C'].entries()) {
        await argo.change(content);
        await argo.restsAt({ patches: index + 1, revision: 1 });
        assert.equal(argo.restarts().length, index + 1);
      }
      assert.deepEqual(pick(await argo.scene.rollout(), 'spec', 'template'), before);
      // What a person takes back later is no reason for anything.
      await argo.scene.patch({ restartAt: null });
      await argo.restsAt({ patches: 2, revision: 1 });
    });

    test('is restarted again if a person takes the restart back before it is done', async () => {
      await using argo = await open('restart-back', { annotations: RESTART });
      await argo.scene.expect('POST', 'poddisruptionbudgets', NO_EVICTIONS);
      await argo.change('B');
      await argo.patched(1);
      await argo.scene.patch({ restartAt: null });
      await argo.patched(2);
      await argo.scene.expect('DELETE', 'poddisruptionbudgets/none');
      await argo.scene.until('restarted', ({ restartedAt }) => restartedAt === argo.restarts().at(-1));
      await argo.restsAt({ patches: 2, revision: 1 });
    });
  });

  describe(
    'a change is rolled once, or again if nothing tells of its patch, although the reloader is killed',
    TOGETHER,
    () => {
      for (const [way, annotations] of Object.entries({ restart: RESTART, rollout: {} }))
        for (const [index, [when, { held: given, isLate, patches = 1 }]] of Object.entries(KILLS).entries()) {
          const expected =
            way === 'restart' ? { restarts: patches, revision: 1 } : { restarts: 0, revision: 1 + patches };
          test(`${when}: ${way}`, async () => {
            await using argo = await open(`kill-${way}-${index}`, { annotations });
            const held = argo.proxy.hold(...given);
            await argo.change('B');
            await argo.stage.until('it is on its way', () => held.hasArrived());
            await argo.reloader.kill();
            if (!isLate) await held.release();
            await argo.start();
            if (isLate) await held.release();
            await argo.restsAt({ patches, revision: expected.revision });
            assert.equal(argo.restarts().length, expected.restarts);
          });
        }
    },
  );

  describe('a Rollout that takes its template from', TOGETHER, () => {
    for (const reference of REFERENCES)
      for (const [index, [does, { rest, kinds, ...options }]] of Object.entries(ANNOTATED).entries()) {
        const { kind, resource } = reference;
        // The rights of the component stamp no other object.
        if (!kinds.test(kind)) continue;
        test(`a ${kind} ${does}`, async () => {
          await using argo = await ArgoStage.withReference(plane, `${resource}-${index}`, reference, options);
          await argo.change('B');
          await argo.restsAt(rest);
          await argo.startAgain();
          await argo.restsAt(rest);
        });
      }
  });
});

// Alone: it is a load.
test('nothing is lost, and nothing rolled for nothing, of twenty Rollouts by kills while objects change', {
  skip,
}, async () => {
  await using crowd = await Crowd.open(plane, 'crowd');
  await crowd.churn({ kills: 8 });
  await crowd.isRight();
  assert.deepEqual(await crowd.rolledForNothing(), []);
  assert.ok(crowd.patches > 30, `too few changes: ${crowd.patches} rollouts`);
});

test('no right was missing, but those to read references other than Deployments', { skip }, async () => {
  const requests = await plane.audit();
  const refused = requests.filter(
    ({ userAgent, code }) => userAgent.startsWith('kubernetes-reloader/') && code === 403,
  );
  // The proxy knows no PodTemplates.
  const resources = new Set(refused.map(({ verb, resource }) => `${verb} ${resource}`));
  assert.deepEqual([...resources], ['get replicasets']);
});
