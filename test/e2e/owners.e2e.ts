/** What the owners of workloads do to our stamp, and what follows; and what our rollouts leave to the owners. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { digestIn, type ReloaderProcess } from '../integration/reloader-process.ts';
import { objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { endsAt, restsAt } from './endings.ts';
import { fieldsByManager } from './managed-fields.ts';
import { hasWritten } from './programs.ts';
import { type ReloaderOptions, Stage } from './stage.ts';
import { annotationsFor, KINDS, manifestOf, type WorkloadName, web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());

const WEB = web();
const US = 'kubernetes-reloader';
const STAMP_OF_WEB = '_RELOADER_CONFIGMAP_WEB';
/** All that a rollout of ours takes possession of, by strategy. */
const OUR_FIELDS = {
  'env-vars': ['', '.name', '.value'].map(
    (field) => `spec.template.spec.containers.app.env.${STAMP_OF_WEB}${field}`,
  ),
  annotations: ['spec.template.metadata.annotations.reloader.k8s.collaborne.com/last-reloaded-from'],
};

/** Who writes a whole manifest. */
interface Owner {
  readonly how: string;
  /** The command of kubectl that makes the Deployment, and the one that writes it later. */
  readonly creates: readonly string[];
  readonly writes: readonly string[];
  /** As whom the API server knows the writer. */
  readonly manager: string;
  /** Whether a variable of others outlives the write of a manifest with variables of its own. */
  readonly keepsStamp: boolean;
  /** The same, where the manifest has lost its last variable. */
  readonly keepsStampAlone: boolean;
}

const OWNERS: readonly Owner[] = [
  {
    how: 'client-side apply',
    creates: ['apply'],
    writes: ['apply'],
    manager: 'kubectl-client-side-apply',
    keepsStamp: true,
    keepsStampAlone: false,
  },
  {
    how: 'server-side apply',
    creates: ['apply', '--server-side'],
    writes: ['apply', '--server-side'],
    manager: 'kubectl',
    keepsStamp: true,
    keepsStampAlone: true,
  },
  {
    how: 'replace',
    creates: ['create'],
    writes: ['replace'],
    manager: 'kubectl-replace',
    keepsStamp: false,
    keepsStampAlone: false,
  },
];

/** Writes WEB's manifest; `mode` is the value of its own variable and annotation, undefined for none. */
async function write(stage: Stage, command: readonly string[], mode: string | undefined): Promise<void> {
  const own = mode === undefined ? {} : { variables: { MODE: mode }, templateAnnotations: { mode } };
  const input = JSON.stringify(manifestOf(web('web', own)));
  await stage.kubectl([...command, '-f', '-'], { input });
}

/** WEB and what it follows, made by its owner, and a reloader. */
async function begin(
  stage: Stage,
  { creates }: Pick<Owner, 'creates'>,
  options: ReloaderOptions = {},
): Promise<ReloaderProcess> {
  await stage.createMarker();
  await stage.put('web', 'A');
  await write(stage, creates, 'one');
  await stage.rolledOut(WEB);
  return await stage.reloader(options);
}

/** Changes the content; resolves while the window is open. */
async function changeWithin(stage: Stage, reloader: ReloaderProcess, content: string): Promise<void> {
  await stage.put('web', content);
  await stage.until('the change is seen', async () => !(await reloader.isSettled()));
}

/** The value of the template's own variable and annotation; undefined where there is none. Others there are not. */
async function ownMode(stage: Stage): Promise<string | undefined> {
  const template = objectOf(pick(await stage.live(WEB), 'spec', 'template'));
  const [container] = objectsOf(pick(template, 'spec', 'containers'));
  const [variable, ...more] = objectsOf(container?.['env']).filter(({ name }) => name !== STAMP_OF_WEB);
  const annotations = objectOf(pick(template, 'metadata', 'annotations'));
  assert.deepEqual([more, annotations['mode']], [[], variable?.['value']]);
  return stringOf(variable?.['value']);
}

async function fieldsOfWeb(stage: Stage): Promise<Record<string, readonly string[]>> {
  return fieldsByManager(await stage.live(WEB));
}

for (const [owner, [strategy, ourFields]] of OWNERS.flatMap((each) =>
  Object.entries(OUR_FIELDS).map((way) => [each, way] as const),
)) {
  const { how, writes, manager, keepsStamp, keepsStampAlone } = owner;
  const flags = ['--reload-strategy', strategy];
  describe(`${how}, with stamps in ${strategy}`, { concurrency: 3 }, () => {
    test(`${keepsStamp ? 'keeps' : 'drops'} the stamp, nothing is rolled for that, and what we roll leaves the owner's fields alone`, async () => {
      await using stage = await Stage.open(cluster);
      const reloader = await begin(stage, owner, { flags });
      await stage.changeAndRoll(WEB, 'B');
      const stamps = await restsAt(stage, reloader, WEB, 2);
      const kept = keepsStamp ? stamps : {};
      // The manifest that is there already is a new template only where it drops the stamp.
      const again = keepsStamp ? 2 : 3;
      await write(stage, writes, 'one');
      assert.deepEqual(await restsAt(stage, reloader, WEB, again), kept);
      await write(stage, writes, 'two');
      assert.deepEqual(await restsAt(stage, reloader, WEB, again + 1), kept);
      const owned = (await fieldsOfWeb(stage))[manager];
      await stage.changeAndRoll(WEB, 'C');
      await endsAt(stage, reloader, WEB, again + 2);
      assert.equal(await ownMode(stage), 'two');
      const fields = await fieldsOfWeb(stage);
      assert.deepEqual(fields[manager], owned);
      assert.deepEqual(fields[US], ourFields);
    });

    test('in the middle of a change is rolled once, by its owner, whose pods have read the change', async () => {
      await using stage = await Stage.open(cluster);
      const reloader = await begin(stage, owner, { flags, periodMs: 15_000 });
      await changeWithin(stage, reloader, 'B');
      await write(stage, writes, 'two');
      await stage.until('the owner has rolled', () => reloader.says(/"external-rollout-done"/));
      assert.deepEqual(await restsAt(stage, reloader, WEB, 2), {});
      assert.equal(await ownMode(stage), 'two');
    });

    test(`that takes its last variable and annotation away ${keepsStampAlone ? 'keeps' : 'drops'} the stamp; the next change is rolled`, async () => {
      await using stage = await Stage.open(cluster);
      const reloader = await begin(stage, owner, { flags });
      await stage.changeAndRoll(WEB, 'B');
      const stamps = await restsAt(stage, reloader, WEB, 2);
      const kept = keepsStampAlone ? stamps : {};
      await write(stage, writes, undefined);
      assert.deepEqual(await restsAt(stage, reloader, WEB, 3), kept);
      await stage.changeAndRoll(WEB, 'C');
      await endsAt(stage, reloader, WEB, 4);
      assert.equal(await ownMode(stage), undefined);
    });
  });
}

/** How often a stamp is given back before that counts as a refusal. */
const GIVEN_BACK = 3;

/** Replaces WEB, again if its controller wrote the status just then. */
async function replace(stage: Stage, input: string): Promise<void> {
  await stage.until('it is replaced', () =>
    hasWritten(() => stage.kubectl(['replace', '-f', '-'], { input })),
  );
}

test('a stamp that is replaced before its pods are there is given back; whoever goes on with it is named and refused', async () => {
  await using stage = await Stage.open(cluster);
  const reloader = await begin(stage, { creates: ['create'] });
  await stage.patch(WEB, { spec: { minReadySeconds: 500 } });
  const { metadata, ...saved } = await stage.live(WEB);
  const input = JSON.stringify({ ...saved, metadata: { ...objectOf(metadata), resourceVersion: undefined } });
  await stage.put('web', 'B');
  const stamps = [(await stage.stampedAfter(WEB, {}))[STAMP_OF_WEB]];
  for (let time = 1; time <= GIVEN_BACK; time += 1) {
    await replace(stage, input);
    stamps.push((await stage.stampedAfter(WEB, {}))[STAMP_OF_WEB]);
  }
  assert.deepEqual([new Set(stamps).size, new Set(stamps.map(digestIn)).size], [1 + GIVEN_BACK, 1]);
  assert.ok(!reloader.says(/"refused"/));
  await replace(stage, input);
  await stage.until('that is a refusal', () => reloader.says(/"refused"/));
  await stage.until('the Warning is there', async () => {
    const events = await stage.list('events');
    return events.some(
      ({ reason, message }) => reason === 'StampReverted' && String(message).includes('kubectl-replace'),
    );
  });
  await stage.stampedAfter(WEB, {});
  await stage.patch(WEB, { spec: { minReadySeconds: 0 } });
  await stage.mark(reloader);
  await stage.rolledOut(WEB);
  for (const each of await stage.podStamps(WEB)) assert.deepEqual(each, await stage.stamps(WEB));
});

describe('rollout undo', { concurrency: 3 }, () => {
  for (const kind of KINDS.filter((each) => each !== 'Deployment')) {
    test(`of a ${kind} brings an old stamp back, which proves nothing`, async () => {
      await using stage = await Stage.open(cluster);
      const pair = await stage.createPair(web('web', { kind }));
      const reloader = await stage.reloader();
      await stage.changeAndRoll(pair, 'B');
      const old = await restsAt(stage, reloader, pair, 2);
      await stage.changeAndRoll(pair, 'C');
      await restsAt(stage, reloader, pair, 3);
      await stage.kubectl(['rollout', 'undo', `${kind.toLowerCase()}/web`]);
      assert.deepEqual(await restsAt(stage, reloader, pair, 4), old);
      await stage.changeAndRoll(pair, 'B');
      await endsAt(stage, reloader, pair, 5);
    });
  }

  test('of a Deployment also restores the annotations of its time, and with them that nothing is rolled', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createPair({ ...WEB, follows: {} });
    await stage.put('web', 'A');
    const reloader = await stage.reloader();
    const metadata = { annotations: annotationsFor(WEB.follows) };
    const template = { metadata: { annotations: { release: 'two' } } };
    await stage.patch(WEB, { metadata, spec: { template } });
    await restsAt(stage, reloader, WEB, 2);
    await stage.changeAndRoll(WEB, 'B');
    await restsAt(stage, reloader, WEB, 3);
    await stage.kubectl(['rollout', 'undo', 'deployment/web', '--to-revision=1']);
    await stage.put('web', 'C');
    assert.deepEqual(await restsAt(stage, reloader, WEB, 4), {});
    await stage.patch(WEB, { metadata });
    await restsAt(stage, reloader, WEB, 4);
    await stage.changeAndRoll(WEB, 'D');
    await endsAt(stage, reloader, WEB, 5);
  });
});

describe('a change of scale', { concurrency: 3 }, () => {
  for (const kind of ['Deployment', 'StatefulSet'] as const) {
    const pair = web('web', { kind });

    test(`of a ${kind} rolls nothing, and its new pods have the stamp`, async () => {
      await using stage = await Stage.open(cluster);
      await stage.createPair(pair);
      const reloader = await stage.reloader();
      await stage.changeAndRoll(pair, 'B');
      const stamps = await restsAt(stage, reloader, pair, 2);
      await scale(stage, pair, 4);
      assert.deepEqual(await restsAt(stage, reloader, pair, 2), stamps);
      assert.equal((await stage.podStamps(pair)).length, 4);
      await stage.changeAndRoll(pair, 'C');
      await endsAt(stage, reloader, pair, 3);
    });
  }
});

async function scale(stage: Stage, { kind, name }: WorkloadName, replicas: number): Promise<void> {
  await stage.kubectl(['scale', `${kind.toLowerCase()}/${name}`, `--replicas=${replicas}`]);
}

const AUTOSCALER = 'autoscaler';
/** How often it scales at least. */
const OFTEN = 10;

/** Scales WEB up and down by its subresource, each time its controller has seen the last one. */
async function autoscale(stage: Stage, signal: AbortSignal): Promise<void> {
  let times = 0;
  while (!signal.aborted || times < OFTEN) {
    times += 1;
    const subresource = `/scale?fieldManager=${AUTOSCALER}`;
    await stage.patch(WEB, { spec: { replicas: 2 + (times % 4) } }, subresource);
    await stage.revision(WEB);
  }
}

/** Does something while an autoscaler is at work. */
async function whileScaled(stage: Stage, act: () => Promise<void>): Promise<void> {
  const end = new AbortController();
  const acting = act().finally(() => end.abort());
  await Promise.all([autoscale(stage, end.signal), acting]);
}

test('an autoscaler that writes all the while neither holds up a rollout nor causes one, and keeps its field', async () => {
  await using stage = await Stage.open(cluster);
  await stage.createMarker();
  await stage.put('web', 'A');
  const { spec, ...rest } = manifestOf(web('web', { variables: { MODE: 'one' } }));
  const apply = ['apply', '--server-side', '-f', '-'];
  await stage.kubectl(apply, { input: JSON.stringify({ ...rest, spec }) });
  await stage.rolledOut(WEB);
  const reloader = await stage.reloader({ periodMs: 1000 });
  await whileScaled(stage, async () => {
    await stage.mark(reloader);
    assert.equal(await stage.revision(WEB), 1);
    await stage.put('web', 'B');
    const stamps = await stage.stampedAfter(WEB, {});
    // The controller scales first, and makes what is new by and by.
    await stage.until('it has a new template', async () => (await stage.revision(WEB)) === 2);
    await stage.put('web', 'C');
    await stage.stampedAfter(WEB, stamps);
  });
  await endsAt(stage, reloader, WEB, 3);
  const replicas = pick(await stage.live(WEB), 'spec', 'replicas');
  const fields = await fieldsOfWeb(stage);
  assert.deepEqual([fields[AUTOSCALER], fields[US]], [['spec.replicas'], OUR_FIELDS['env-vars']]);
  // As Kubernetes advises for what an autoscaler scales.
  const withoutReplicas = { ...rest, spec: { ...objectOf(spec), replicas: undefined } };
  await stage.kubectl(apply, { input: JSON.stringify(withoutReplicas) });
  await endsAt(stage, reloader, WEB, 3);
  assert.equal(pick(await stage.live(WEB), 'spec', 'replicas'), replicas);
  assert.deepEqual(await fieldsOfWeb(stage), fields);
});
