/**
 * Changes of several objects in stages at once on a real API server: 200 Deployments, good and bad contents, people who interfere,
 * and leaders that are killed in each stage.
 */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { endsOf } from '../../lib/blockers/stage-plan.ts';
import { parseStages } from '../../lib/model/settings.ts';
import type { ChangeStatus } from '../../lib/model/status-report.ts';
import type { KubeconfigOptions } from '../control-plane/cluster.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { podStage } from '../control-plane/pod-stages.ts';
import { startCluster } from '../control-plane/test-cluster.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { pick } from '../sandbox/json.ts';
import { Crowd, digestOfContent } from './crowd.ts';
import { elected } from './leads.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const COUNT = 200;
const STAGES = parseStages('1,10%,50%,100%') ?? [];
const FLAGS = ['--stages=1,10%,50%,100%', '--stage-soak=2s', '--digests=sha1'];
/** How many followers of the good object count: those that are held do not, nor those that wait for the bad one. */
const COUNTED = [117, 97];
/** How many of them have begun, at most, before each stage begins. */
const BEGINNINGS = [0, 1, 12, 59];
/** The followers of each object, from one up to another: twenty follow two. */
const FOLLOWERS = {
  good: [0, 120],
  bad: [100, 150],
  flapping: [150, 170],
  evasive: [170, 190],
  silent: [190, 200],
} as const;
type ObjectName = keyof typeof FOLLOWERS;
const OBJECTS = Object.keys(FOLLOWERS) as ObjectName[];

const HELD = [5, 6, 7].map(nameAt);
const SHARED = namesOf(100, 120);
const CANARY = nameAt(130);
const FLAPS = nameAt(150);
const [PAUSED, SCALED, DELETED, UNDONE] = [nameAt(170), nameAt(171), nameAt(172), nameAt(173)];

const PREFIX = 'reloader.k8s.collaborne.com';
const cluster = await startCluster({
  stages: [
    podStage({ digest: digestIn('bad'), found: 'pending', becomes: 'crashing' }),
    podStage({ digest: digestIn('evasive'), apps: '17[012]$', found: 'pending', becomes: 'stuck' }),
    podStage({ digest: digestIn('flapping'), apps: FLAPS, found: 'ready', becomes: 'unready', afterMs: 200 }),
    podStage({
      digest: digestIn('flapping'),
      apps: FLAPS,
      found: 'unready',
      becomes: 'ready',
      afterMs: 2000,
    }),
  ],
});
const skip = !(cluster instanceof ControlPlane) && 'pods that crash are played by a control plane of its own';

function nameAt(index: number): string {
  return `app-${String(index).padStart(3, '0')}`;
}
function namesOf(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, index) => nameAt(from + index));
}
function followersOf(object: ObjectName): string[] {
  const [from, to] = FOLLOWERS[object];
  return namesOf(from, to);
}
function contentOf(object: ObjectName, version = 'B'): string {
  return `${object} ${version}`;
}
function digestIn(object: ObjectName, version?: string): string {
  return digestOfContent(contentOf(object, version), object);
}
function without(names: readonly string[], ...others: readonly string[]): string[] {
  return names.filter((name) => !others.includes(name));
}

describe(`${COUNT} Deployments follow five objects, which change in stages`, { skip }, () => {
  let stage: Stage;
  let crowd: Crowd;
  let as: KubeconfigOptions;
  let leader: ReloaderProcess;
  let standby: ReloaderProcess;
  let pods = 0;
  /** How many rollouts had begun when a leader had ended, which were in progress then, and which the state marked. */
  const ends: {
    readonly at: number;
    readonly open: ReadonlySet<string>;
    readonly marked: ReadonlySet<string>;
    readonly had: number;
  }[] = [];

  before(async () => {
    stage = await Stage.open(cluster);
    crowd = await Crowd.create(stage, COUNT, (index) =>
      OBJECTS.filter((object) => followersOf(object).includes(nameAt(index))),
    );
    await stage.createMarker();
    const annotate = (name: string, key: string): Promise<unknown> =>
      stage.patch(web(name), { metadata: { annotations: { [`${PREFIX}/${key}`]: 'true' } } });
    await Promise.all([annotate(CANARY, 'canary'), ...HELD.map((name) => annotate(name, 'hold'))]);
    await stage.patch(web(FLAPS), { spec: { progressDeadlineSeconds: 8 } });
    const [paused, unready] = [namesOf(190, 195), namesOf(195, 200)];
    await Promise.all(paused.map((name) => stage.patch(web(name), { spec: { paused: true } })));
    for (const name of unready) await makeUnready(name);
    await stage.until('those are down', () => unready.every((name) => crowd.down.has(name)));
    // The right to list pods is there among those to evict them.
    as = await stage.rights(['evict']);
    leader = await stage.reloader(inPod());
    standby = await startStandby();
  });
  after(async () => {
    crowd?.[Symbol.dispose]();
    await stage?.[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  /** How a reloader is started that stands for the lead. */
  function inPod(): Parameters<Stage['startReloader']>[0] {
    pods += 1;
    const { flags = [], env = {} } = elected(`pod-${pods}`);
    return { flags: [...FLAGS, ...flags], env, as };
  }

  async function startStandby(): Promise<ReloaderProcess> {
    const started = await stage.startReloader(inPod());
    await started.hasSaid(/standing by/);
    return started;
  }

  /** The leader ends, the standby takes over, and another one stands by. */
  async function endLeader(how: 'kill' | 'stop'): Promise<void> {
    await leader[how]();
    const marked = await stage.marked(crowd.apps);
    ends.push({
      at: crowd.begun.length,
      open: new Set(crowd.inProgress),
      marked,
      had: crowd.begunWith(digestIn('good')).length,
    });
    const next = standby;
    await stage.until('the standby leads', async () => (await next.status()).leader?.isThis === true);
    leader = next;
    standby = await startStandby();
  }

  async function makeUnready(name: string): Promise<void> {
    for (const pod of await stage.list(`pods?labelSelector=app%3D${name}`)) {
      const path = `pods/${String(pick(pod, 'metadata', 'name'))}/status`;
      await stage.expect('PATCH', path, { status: { conditions: [{ type: 'Ready', status: 'False' }] } });
    }
  }

  async function put(object: ObjectName, version?: string): Promise<void> {
    await stage.expect('PATCH', `configmaps/${object}`, { data: { key: contentOf(object, version) } });
  }

  function carry(object: ObjectName, names: readonly string[], version?: string): boolean {
    return names.every((name) => crowd.carries(name, digestIn(object, version)));
  }

  /** Who has to wait, by the reason that the page has. */
  async function waiting(): Promise<Record<string, string[]>> {
    const { workloads } = await leader.status();
    const outdated = workloads.filter(({ isOutdated }) => isOutdated);
    const groups = Object.groupBy(outdated, ({ waiting: why }) => why?.reason ?? 'none');
    return Object.fromEntries(
      Object.entries(groups).map(([reason, of = []]) => [
        reason,
        of.map(({ workload }) => workload.replace('Deployment/', '')).toSorted(),
      ]),
    );
  }

  /** The changes that are halted, by object. */
  async function halted(): Promise<Record<string, ChangeStatus>> {
    const { changes } = await leader.status();
    return Object.fromEntries(
      changes.flatMap((each) =>
        each.halted === undefined ? [] : [[each.object.replace('ConfigMap/', ''), each]],
      ),
    );
  }

  /** What a person repeats to let the change go on. */
  function tokenIn(change: ChangeStatus | undefined): string | undefined {
    return /resume=(\S+)/.exec(change?.halted ?? '')?.[1];
  }

  /** Runs the command with which the page lets a change go on. */
  async function resume(object: ObjectName): Promise<void> {
    const token = tokenIn((await halted())[object]);
    const flags = `--reloader none -- --namespace=${stage.namespace} --digests=sha1`;
    const { stdout } = await stage.command(`resume configmap/${object} ${flags}`);
    assert.ok(stdout.includes(`/resume=${token}\n`), stdout);
  }

  /** People interfere with those that have begun; the pods of three of them do not become ready. */
  async function interfere(): Promise<void> {
    const acts: readonly (readonly [string, () => Promise<unknown>])[] = [
      [PAUSED, () => stage.patch(web(PAUSED), { spec: { paused: true } })],
      [SCALED, () => stage.patch(web(SCALED), { spec: { replicas: 0 } })],
      [DELETED, () => stage.expect('DELETE', `deployments/${DELETED}`)],
      [UNDONE, () => stage.kubectl(['rollout', 'undo', `deployment/${UNDONE}`])],
    ];
    for (const [name, act] of acts) {
      await stage.until(`${name} has begun`, () => carry('evasive', [name]));
      assert.equal(crowd.begunWith(digestIn('evasive')).at(-1), name);
      await stage.until('its new pod is made', async () => (await stage.revision(web(name))) > 1);
      await act();
    }
  }

  async function killInEachStage(): Promise<void> {
    for (const end of BEGINNINGS) {
      await stage.until(
        `the stage after ${end} has begun`,
        () => crowd.begunWith(digestIn('good')).length > end,
      );
      await endLeader('kill');
    }
  }

  /** Who began again with what it had, though no leader had ended while it was in progress or marked. */
  function needless(): readonly string[] {
    return crowd.begun.flatMap(({ name, digests }, again) => {
      const former = crowd.begun.findLastIndex((each, index) => index < again && each.name === name);
      const known = crowd.begun[former]?.digests ?? [];
      if (digests.length === 0 || !digests.every((digest) => known.includes(digest))) return [];
      // The watch may show a patch of the leader that ended only after the state was read.
      const isExcused = ends.some(
        ({ at, open, marked }) => at <= again && (marked.has(name) || (former < at && open.has(name))),
      );
      return isExcused ? [] : [`${name} at ${again}`];
    });
  }

  test('a leader is killed in each stage: good content comes to all that may have it, bad content to one of its followers', async (t) => {
    await Promise.all(OBJECTS.map((object) => put(object)));
    await Promise.all([killInEachStage(), interfere()]);
    const good = without(followersOf('good'), ...SHARED, ...HELD);
    const evasive = without(followersOf('evasive'), DELETED);
    await stage.until('the good contents have come', () => carry('good', good) && carry('evasive', evasive));
    await stage.until('three are halted', async () => Object.keys(await halted()).length === 3);

    assert.deepEqual(Object.keys(await halted()).toSorted(), ['bad', 'flapping', 'silent']);
    assert.deepEqual(crowd.begunWith(digestIn('bad')), [CANARY]);
    assert.deepEqual(crowd.begunWith(digestIn('flapping')), [FLAPS]);
    assert.deepEqual(crowd.begunWith(digestIn('silent')), []);
    const halts = ['bad', 'flapping', 'silent'].flatMap((object) => followersOf(object as ObjectName));
    assert.deepEqual(await waiting(), { halt: without(halts, CANARY, FLAPS), hold: HELD });
    const events = (await stage.list('events')).filter(({ reason }) => reason === 'RolloutHalted');
    const told = new Set(events.map((event) => pick(event, 'involvedObject', 'name')));
    for (const name of ['bad', CANARY, 'flapping', FLAPS, 'silent']) assert.ok(told.has(name), name);
    for (const name of ['good', 'evasive']) assert.ok(!told.has(name), name);

    const names = crowd.begunWith(digestIn('good'));
    for (const [index, name] of names.entries()) {
      const { beside } = crowd.begun.find((each) => each.name === name) ?? {};
      const ready = names.slice(0, index).filter((each) => beside?.has(each) === false).length;
      const hasTurn = COUNTED.some((of) => index < (endsOf(STAGES, of).find((end) => end > ready) ?? 0));
      assert.ok(hasTurn, `${name} began when ${ready} were ready`);
    }
    assert.deepEqual(needless(), []);
    t.diagnostic(`had begun as leaders ended: ${ends.map(({ had }) => had).join()}`);
  });

  test('a halt stays over an undo and a take-over; once a person lets the content go on, the next one halts it', async () => {
    const former = tokenIn((await halted())['bad']);
    // A kill may have repeated its rollout: the revision before has the same content.
    await stage.kubectl(['rollout', 'undo', `deployment/${CANARY}`, '--to-revision=1']);
    await stage.until('the canary is well', () => !crowd.inProgress.has(CANARY));
    await endLeader('stop');
    await stage.markBeside();
    await stage.until('three are halted', async () => Object.keys(await halted()).length === 3);
    assert.equal(tokenIn((await halted())['bad']), former);
    assert.deepEqual(crowd.begunWith(digestIn('bad')), [CANARY]);
    await resume('bad');
    await stage.until('the next one halts it', async () => {
      const { bad } = await halted();
      return bad !== undefined && tokenIn(bad) !== former;
    });
    assert.equal(crowd.begunWith(digestIn('bad')).length, 2);
  });

  test('people end what is halted: in the end only those wait that they hold', async (t) => {
    await Promise.all([put('bad', 'C'), resume('flapping'), resume('silent')]);
    await stage.until('all have come', () => {
      const isDone = carry('flapping', followersOf('flapping')) && carry('silent', followersOf('silent'));
      return isDone && carry('bad', followersOf('bad'), 'C') && carry('good', SHARED);
    });
    await stage.until('only those wait', async () => Object.keys(await waiting()).join() === 'hold');
    assert.deepEqual(await waiting(), { hold: HELD });
    assert.deepEqual(await halted(), {});
    assert.equal(crowd.begunWith(digestIn('bad')).length, 2);
    assert.deepEqual(needless(), []);
    const requests = cluster instanceof ControlPlane ? await cluster.audit() : [];
    const isOurs = (user: string): boolean => user.endsWith(`${stage.namespace}:reloader`);
    const patches = requests.filter(({ user, verb, resource }) => {
      return isOurs(user) && verb === 'patch' && resource === 'deployments';
    });
    // The server answers 504 to those of a leader that is gone.
    const answered = patches.filter(({ code }) => code !== 504).length;
    t.diagnostic(`${crowd.begun.length} rollouts, ${patches.length} patches, ${answered} answered`);
    assert.ok(answered <= crowd.begun.length, 'no patch is tried in vain');
  });
});
