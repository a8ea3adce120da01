/**
 * A Job that is created anew on the sandbox: at every request the answer is lost, refused, or the process dies; before every
 * request somebody else does something. The Job is never lost, and who comes after finishes it.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiRequest, Send } from '../../lib/kubernetes/transport.ts';
import { JobRecreator } from '../../lib/kubernetes/workloads/job-recreator.ts';
import { copyOf, isCopyOf } from '../../lib/model/kinds/jobs.ts';
import type { RollResult } from '../../lib/model/outcome.ts';
import type { RawWorkload } from '../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../lib/model/rollout-plan.ts';
import { objectsOf, pick } from '../sandbox/json.ts';
import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';

/** More than there are requests in any history. */
const MOST_REQUESTS = 12;
const WORK = { kind: 'Job', namespace: 'default', name: 'work' };
const COPY = { ...WORK, name: 'work-reload' };

/** What becomes of one request, and of the process that made it. */
const FAULTS = ['refused', 'lost', 'dies before', 'dies after'] as const;
/** What somebody else does just before one. */
const INTRUSIONS: Readonly<Record<string, (sandbox: Sandbox) => void>> = {
  'deletes the Job': (sandbox) => sandbox.remove('jobs', 'default', 'work'),
  'changes the Job': (sandbox) =>
    sandbox.patch('jobs', 'default', 'work', { metadata: { labels: { theirs: '1' } } }),
  'creates the Job': (sandbox) => {
    if (sandbox.get('jobs', 'default', 'work') !== undefined) sandbox.remove('jobs', 'default', 'work');
    createJob(sandbox, { theirs: '1' });
  },
  'deletes the copy': (sandbox) => sandbox.remove('jobs', 'default', 'work-reload'),
  'resumes the copy': (sandbox) =>
    sandbox.patch('jobs', 'default', 'work-reload', { spec: { suspend: false } }),
  'finishes what is begun': () => {},
};

interface At<T> {
  readonly at: number;
  readonly what: T;
}

/** What goes wrong in one history. */
interface History {
  readonly fault?: At<(typeof FAULTS)[number]> | undefined;
  readonly second?: At<(typeof FAULTS)[number]> | undefined;
  readonly intrusion?: At<string> | undefined;
}

function createJob(sandbox: Sandbox, labels: Readonly<Record<string, string>>): void {
  const containers = [{ name: 'app', image: 'app:1' }];
  const template = { spec: { restartPolicy: 'Never', containers } };
  sandbox.create('jobs', { metadata: { namespace: 'default', name: 'work', labels }, spec: { template } });
}

/** A process of its own, which knows no copy but by what it says. */
function recreator(send: Send): JobRecreator {
  const words = { isStampVariable: (name: string) => name === 'STAMP', isMarkAnnotation: () => false };
  return new JobRecreator(send, (copy, job) => job === undefined || isCopyOf(copy, job, words));
}

/** One world: what is there, who did what to it. */
class World {
  readonly sandbox = createSandbox();
  requests = 0;
  /** Somebody deleted the Job or its copy: then it may be gone. */
  mayBeGone = false;
  /** Somebody wrote to the Job. */
  isTheirs = false;

  constructor() {
    createJob(this.sandbox, { own: '1' });
  }

  has(name: string): boolean {
    return this.sandbox.get('jobs', 'default', name) !== undefined;
  }

  /** The requests of one process. */
  sender(fault: At<(typeof FAULTS)[number]> | undefined, intrusion?: At<string>): Send {
    let count = 0;
    let isDead = false;
    return async (request: ApiRequest) => {
      const at = count;
      count += 1;
      this.requests += 1;
      if (intrusion?.at === at) await this.#intrude(intrusion.what);
      const what = fault?.at === at ? fault.what : undefined;
      if (isDead || what === 'refused' || what === 'dies before') {
        isDead ||= what === 'dies before';
        throw new Error('refused');
      }
      const response = await this.sandbox.handle(request);
      assert.ok(this.mayBeGone || this.has('work') || this.has('work-reload'), 'it is there at each moment');
      isDead = what === 'dies after';
      if (what !== undefined) throw new Error('lost');
      return response;
    };
  }

  /** Also in vain: what is not there cannot be deleted. */
  async #intrude(what: string): Promise<void> {
    const isGone = what === 'deletes the Job' || what === 'deletes the copy';
    try {
      INTRUSIONS[what]?.(this.sandbox);
      this.mayBeGone ||= isGone;
      this.isTheirs ||= what === 'changes the Job' || what === 'creates the Job';
    } catch {
      // Nothing was there to do it to.
    }
    if (what === 'finishes what is begun') await recreator(this.sandbox.handle).finish(COPY);
  }

  plan(): RolloutPlan {
    const variables = [{ container: 'app', variable: 'STAMP', value: 'b.2' }];
    return {
      workload: WORK,
      resourceVersion: this.sandbox.get('jobs', 'default', 'work')?.metadata.resourceVersion ?? '',
      operations: [],
      template: { annotations: {}, variables },
      stamps: [],
      versions: new Map(),
    };
  }
}

/** Plays a history to its end; answers what the first process was told. */
async function play({ fault, second, intrusion }: History): Promise<[World, RollResult<unknown>]> {
  const world = new World();
  const result = await recreator(world.sender(fault, intrusion)).roll(world.plan());
  await recreator(world.sender(second)).finish(COPY);
  const third = await recreator(world.sender(undefined)).finish(COPY);
  assert.equal(third.kind, 'accepted', 'whoever comes after can finish it');
  return [world, result];
}

function judge(history: History, world: World, result: RollResult<unknown>): void {
  const { sandbox } = world;
  const job = sandbox.get('jobs', 'default', 'work');
  const [container] = objectsOf(pick(job, 'spec', 'template', 'spec', 'containers'));
  const isStamped = container?.['env'] !== undefined;
  const labels = job?.metadata.labels;
  assert.equal(world.has('work-reload'), false, 'no copy is left');
  assert.ok(world.mayBeGone || job !== undefined, 'it is not lost');
  if (history.intrusion === undefined) assert.equal(labels?.['own'], '1', 'it is the same');
  if (history.intrusion === undefined && result.kind === 'accepted') assert.ok(isStamped, 'it has its stamp');
  if (world.isTheirs) assert.equal(labels?.['theirs'], '1', 'what somebody else wrote is not overwritten');
  assert.equal(job === undefined ? false : pick(job, 'spec', 'suspend'), false, 'it is not suspended');
}

const EVERYWHERE = Array.from({ length: MOST_REQUESTS }, (_, at) => at);
const EVERY_FAULT = [undefined, ...EVERYWHERE.flatMap((at) => FAULTS.map((what) => ({ at, what })))];
const EVERY_INTRUSION = EVERYWHERE.flatMap((at) => Object.keys(INTRUSIONS).map((what) => ({ at, what })));

async function playAll(histories: readonly History[]): Promise<void> {
  for (const history of histories) {
    try {
      const [world, result] = await play(history);
      judge(history, world, result);
      world.sandbox.close();
    } catch (error) {
      throw new Error(`in the history ${JSON.stringify(history)}`, { cause: error });
    }
  }
}

/** Copies that somebody forged of a Job of theirs, which stays what it is. */
const FORGERIES: Readonly<Record<string, (copy: RawWorkload) => RawWorkload>> = {
  'of another image': (copy) => withContainer(copy, { image: 'another:1' }),
  'with a variable more': (copy) => withContainer(copy, { env: [{ name: 'MORE', value: '1' }] }),
  'that runs more often': (copy) => ({ ...copy, spec: { ...copy.spec, completions: 9 } }),
  'of another owner': (copy) => ({
    ...copy,
    metadata: {
      ...copy.metadata,
      ownerReferences: [{ kind: 'Release', name: 'r', uid: 'r', apiVersion: 'v1' }],
    },
  }),
};

function withContainer(copy: RawWorkload, change: object): RawWorkload {
  const template = copy.spec?.template;
  const containers = template?.spec?.containers?.map((container) => ({ ...container, ...change }));
  return {
    ...copy,
    spec: {
      ...copy.spec,
      template: { ...template, spec: { ...template?.spec, ...(containers && { containers }) } },
    },
  };
}

for (const [which, forge] of Object.entries(FORGERIES))
  test(`a forged copy ${which} costs no Job and makes none, at no request of two processes`, async () => {
    for (const fault of EVERY_FAULT) {
      const world = new World();
      const { sandbox } = world;
      const job = sandbox.get('jobs', 'default', 'work') as unknown as RawWorkload;
      sandbox.create('jobs', forge(copyOf(job, world.plan())));
      await recreator(world.sender(fault)).finish(COPY);
      const rolled = await recreator(world.sender(fault)).roll(world.plan());
      assert.notEqual(rolled.kind, 'accepted');
      const refused = await recreator(sandbox.handle).finish(COPY);
      assert.equal(refused.kind, 'rejected', 'it is said');
      assert.equal(sandbox.get('jobs', 'default', 'work')?.metadata.uid, job.metadata.uid);
      assert.deepEqual(sandbox.list('jobs').length, 2);
      sandbox.close();
    }
  });

describe('a Job is created anew and never lost', () => {
  test('if nothing goes wrong, in five requests', async () => {
    const [world, result] = await play({});
    assert.equal(result.kind, 'accepted');
    assert.equal(world.requests, 5 + 2);
    judge({}, world, result);
  });

  test('whatever becomes of any two requests of two processes', () =>
    playAll(EVERY_FAULT.flatMap((fault) => EVERY_FAULT.map((second) => ({ fault, second })))));

  test('whatever becomes of a request and whatever somebody else does before another', () =>
    playAll(EVERY_FAULT.flatMap((fault) => EVERY_INTRUSION.map((intrusion) => ({ fault, intrusion })))));
});
