/** What only the running reloader knows of a workload that is out of date: it is asked, or that is unknown. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { WorkloadExplanation } from '../../../lib/commands/explain/explanation.ts';
import { rolledOut, staged, well } from './named-causes.ts';
import { configMap, onCluster } from './plans.ts';
import { follows, type Words, World } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';

async function explained(make: (world: World) => unknown): Promise<WorkloadExplanation> {
  const world = new World();
  await make(world);
  await rolledOut(world);
  const explanation = await world.explained();
  world.sandbox.close();
  return explanation;
}

const outdated =
  (words: Words = {}) =>
  (world: World) =>
    well({ ...follows('web'), ...words })(world).change();

/** A Deployment that is out of date, with annotations of ours, beside a reloader with these flags. */
function paced(world: World, flags: readonly string[], words: Words = {}, marks: Words = {}): World {
  const own = Object.entries(words).map(([word, value]) => [`${NATIVE}/${word}`, value]);
  world.install(['-A', ...flags]).configMap('web', { annotations: marks });
  return world.deployment({ annotations: { ...follows('web'), ...Object.fromEntries(own) } }).change();
}

describe('explain', () => {
  /** What is out of date, and what of its time only the running reloader knows. */
  const remembered: Readonly<Record<string, readonly [make: (world: World) => unknown, names: string]>> = {
    'without a limit': [
      (world) => paced(world, [], { 'rollout-limit': 'off' }),
      'failed attempts, recent rollouts',
    ],
    'with a least interval': [
      (world) => paced(world, [], { 'rollout-limit': 'off', 'min-rollout-interval': '1h' }),
      'failed attempts, recent rollouts, min-rollout-interval',
    ],
    'with the usual limit and a budget': [
      (world) => paced(world, ['--max-concurrent-rollouts=3']),
      'failed attempts, recent rollouts, budget',
    ],
    'an urgent change': [
      (world) => paced(world, ['--max-concurrent-rollouts=3'], {}, { [`${NATIVE}/urgent`]: 'true' }),
      'failed attempts, recent rollouts, budget',
    ],
    'in a later stage': [
      (world) => rolledOut(staged(world)).then(() => world.change()),
      'failed attempts, recent rollouts, stage',
    ],
  };
  for (const [what, [make, names]] of Object.entries(remembered))
    test(`does not know when the running reloader rolls: ${what}`, async () => {
      const { causes, unknown } = await explained(make);
      const why =
        '/status.json of Pod/reloader-7f-x in reloader may not be read with your rights (get pods/proxy)';
      const says = `whether and when what is out of date is rolled: the running reloader alone knows ${names}, and ${why}`;
      assert.deepEqual([unknown, causes.map(({ rule }) => rule)], [[says], ['needs-rollout']]);
    });

  /** What the leader says of the workload, and the causes. */
  const told: Readonly<
    Record<
      string,
      readonly [words: Words, waiting: object | undefined, rules: readonly string[], unknown: RegExp]
    >
  > = {
    'a failed attempt': [{}, { reason: 'refused', message: 'policy "no"' }, ['refused policy "no"'], /^$/],
    'a turn': [
      {},
      { reason: 'budget', message: 'of 1 slot none is free' },
      ['budget of 1 slot none is free'],
      /^$/,
    ],
    'a block that is known as well': [
      { [`${NATIVE}/hold`]: 'true' },
      { reason: 'hold', message: 'it is held' },
      ['hold it is held'],
      /^$/,
    ],
    'a block before one that is known': [
      { [`${NATIVE}/notify-only`]: 'true' },
      { reason: 'reverted', message: 'ten times' },
      ['reverted ten times', 'notify-only it is notify-only'],
      /^$/,
    ],
    'nothing of it': [
      {},
      undefined,
      ['needs-rollout it is out of date'],
      /Pod\/reloader-7f-x in reloader does not say that it waits$/,
    ],
  };
  for (const [what, [words, waiting, rules, unknown]] of Object.entries(told))
    test(`has what the leader says: ${what}`, async () => {
      const answer = await explained((world) => {
        world.report = { workloads: [{ namespace: 'default', workload: 'Deployment/web', waiting }] };
        outdated(words)(world);
      });
      const says = answer.causes.map((cause) => `${cause.rule} ${cause.says.split(',', 1).join()}`);
      assert.deepEqual(says, rules);
      assert.match(answer.unknown.join(), unknown);
    });

  test('asks no leader where none is known, or nothing is out of date', async () => {
    const makes = [well(), (world: World) => outdated()(world).unlease()];
    for (const make of makes) {
      const asked: string[] = [];
      await explained((world) => {
        make(world);
        world.refuses = ({ path }) => path.includes('/proxy/') && asked.push(path) > 0;
      });
      assert.deepEqual(asked, []);
    }
  });
});

describe('plan', () => {
  test('does not know whether a further change of what is out of date waits', async () => {
    for (const [flags, reasons] of [
      [[], 'failed attempts'],
      [['--max-concurrent-rollouts=1'], 'failed attempts, budget'],
    ] as const) {
      const { unknown, rollouts } = await onCluster(paced(new World(), flags), [configMap({ value: 'C' })]);
      const says = `the running reloader alone knows whether Deployment/web in default waits (${reasons})`;
      assert.deepEqual([unknown, rollouts.length], [[says], 1]);
    }
  });
});
