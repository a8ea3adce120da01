/**
 * The rules where the state and the templates have digests under another algorithm than the process. The process digests in plain
 * SHA-1, where the content `a` has the digest `aaa…`; under the key FORMER it has `k00000001:aaa…`. The key LOST is not known.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { SHA1, UNKEYED } from '../../../lib/model/digest.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import { isOpen } from '../../../lib/tracking/edge-policy.ts';
import { liveStampOf } from '../../../lib/tracking/live-stamps.ts';
import { namedAlgorithms } from '../../../lib/tracking/named-algorithms.ts';
import { observeConfig } from '../../../lib/tracking/observe-config.ts';
import { d } from './sketch.ts';
import { World } from './world.ts';

const FORMER = 'k00000001';
const LOST = 'k00000009';

const CFG = 'v1.ConfigMap_cfg';

interface Given {
  /** The state, values in short form. */
  readonly state?: Readonly<Record<string, string>>;
  /** The stamp of the workload `web`, in short form. @default none */
  readonly stamp?: string;
  /** The content of `cfg`; null: it is absent. @default a */
  readonly content?: string | null;
  /** The keys under which the content was digested too. @default the one that is known */
  readonly also?: readonly string[];
  /** Whether the workload is there. @default true */
  readonly isFollowed?: boolean;
  /** Whether older pods of it are there, and stay. @default false */
  readonly isHeld?: boolean;
}

/** A start over this state, where `web` follows `cfg`. */
function started({ state = {}, stamp, content = 'a', also = [FORMER], ...given }: Given): World {
  const { isFollowed = true, isHeld = false } = given;
  const world = new World();
  const { settings, store } = world;
  settings.algorithms = {
    own: SHA1,
    named: (name) => UNKEYED.named(name) ?? (name === FORMER ? { ...SHA1, name } : undefined),
    keys: [FORMER],
  };
  settings.knows = (name) => settings.algorithms.named(name) !== undefined;
  world.state(Object.fromEntries(Object.entries(state).map(([key, value]) => [key, long(value)])));
  if (content !== null) {
    world.now += 1;
    const resourceVersion = String(world.now);
    const otherDigests = also.map((key) => `${key}:${d(content)}`);
    const [ref, span] = [world.configRef('cfg'), { from: 0, to: world.now }];
    const digests = { digest: d(content), otherDigests, keyDigests: '' };
    const object = { ref, uid: 'u', resourceVersion, ...digests, annotations: {} };
    const news = { span, isInInitialList: true, isRelisted: false };
    observeConfig(store, { type: 'present', key: keyOf(ref), object, ...news });
  } else world.tellConfig('cfg', { initial: true });
  const stamps = stamp === undefined ? {} : { cfg: stamp };
  if (isFollowed)
    world.workload(
      'web',
      { follows: ['cfg'], stamps, paused: isHeld, isRolledOut: !isHeld },
      { initial: true },
    );
  return world;
}

/** An entry, or marks, in short form, as the state has it. */
function long(value: string): string {
  return value.replace(/(?<=:|^)[a-f](?=\.)/, d);
}

const MARK = '?Deployment/web';

describe('the algorithms under which an object is digested beside the own one', () => {
  const rows: Record<string, readonly [Given, readonly string[]]> = {
    'none where the state is empty': [{ isFollowed: false }, []],
    'none where all entries are under the own one, or under a key that is lost': [
      { state: { [CFG]: 'a.1', 'v1.ConfigMap_x': `${LOST}:a.1` } },
      [],
    ],
    'that of an entry of some keys': [{ state: { [`${CFG}_key`]: `${FORMER}:a.1` } }, [FORMER]],
    'those of all entries': [
      { state: { [CFG]: `${FORMER}:a.1`, 'v1.ConfigMap_x': 'collaborne:a.1' } },
      [FORMER, 'collaborne'],
    ],
  };
  for (const [sentence, [given, expected]] of Object.entries(rows))
    test(sentence, () => {
      const { store } = started({ isFollowed: false, ...given });
      assert.deepEqual(namedAlgorithms(store).toSorted(), expected.toSorted());
    });
});

test('a marked workload without a stamp is in no rollout of ours, be it that the key of its entry is lost', () => {
  const world = started({ state: { [CFG]: `${LOST}:a.1${MARK}` }, isHeld: true });
  const { runningDigest, rolloutInProgress } = world.edge('web');
  assert.deepEqual([runningDigest, rolloutInProgress], ['?', false]);
});

describe('a stamp in a template', () => {
  const rows: Record<string, readonly [stamp: string, digest: string]> = {
    'is read under the own algorithm': ['a.2', d('a')],
    'is read under another one that is known': [`${FORMER}:a.2`, `${FORMER}:${d('a')}`],
    'is kept under a key that is lost: it equals no digest': [`${LOST}:a.2`, `${LOST}:${d('a')}`],
  };
  for (const [sentence, [stamp, digest]] of Object.entries(rows))
    test(sentence, () => {
      const world = started({ state: { [CFG]: 'a.1' }, stamp });
      const live = liveStampOf(world.record('web'), world.configKey('cfg'));
      assert.deepEqual(live, { digest, id: 2 });
    });
});

describe('at a start a workload', () => {
  const rows: Record<string, readonly [Given, owes: boolean, forgets?: boolean]> = {
    'owes nothing where the entry is of the content under a former key': [
      { state: { [CFG]: `${FORMER}:a.1` } },
      false,
    ],
    'owes a rollout where the entry is of another content': [{ state: { [CFG]: `${FORMER}:b.1` } }, true],
    'owes nothing where the key of the entry is lost: the content is the baseline, to be written at once': [
      { state: { [CFG]: `${LOST}:b.1` } },
      false,
      true,
    ],
    'owes a rollout where it is marked': [{ state: { [CFG]: `${FORMER}:a.1${MARK}` } }, true, false],
    'owes a rollout where its mark is for a stamp under another key than the entry': [
      { state: { [CFG]: `a.1${MARK}=2` }, stamp: `${LOST}:a.2` },
      true,
      false,
    ],
  };
  for (const [sentence, [given, owes, forgets = owes]] of Object.entries(rows))
    test(sentence, () => {
      const world = started(given);
      assert.equal(world.needsRollout('web'), owes);
      assert.equal(world.plan()?.due === 'now', forgets);
    });
});

describe('a change is open', () => {
  const rows: Record<string, readonly [Given, open: boolean]> = {
    'not where the entry is of the content under a former key': [
      { state: { [CFG]: `${FORMER}:a.1` } },
      false,
    ],
    'where the entry is of another content': [{ state: { [CFG]: `${FORMER}:b.1` } }, true],
    'not where the object is absent, and its pods run what the entry says': [
      { state: { [CFG]: `${FORMER}:a.1` }, content: null },
      false,
    ],
    'not where the object is absent, and the key of its entry is lost': [
      { state: { [CFG]: `${LOST}:a.1` }, content: null },
      false,
    ],
    'nor where its pods run what is not known, too': [
      { state: { [CFG]: `${LOST}:a.1${MARK}` }, content: null },
      false,
    ],
  };
  for (const [sentence, [given, open]] of Object.entries(rows))
    test(sentence, () => {
      const world = started(given);
      assert.equal(isOpen(world.store, world.configKey('cfg')), open);
    });
});

test('an entry under another algorithm stays while a rollout with its stamp is incomplete', () => {
  const state = { [CFG]: `${FORMER}:a.1${MARK}=7` };
  assert.equal(started({ state, stamp: `${FORMER}:a.7`, isHeld: true }).plan(), undefined);
});

test('an entry under another algorithm is written again with the next batch', () => {
  const write = started({ state: { [CFG]: `${FORMER}:a.1` } }).plan();
  assert.deepEqual([write?.due, write?.data], ['soon', { [CFG]: `${d('a')}.1` }]);
});
