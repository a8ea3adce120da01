/** Random histories of one Rollout with a small controller of its own: in the end every pod has read the content in force. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RawWorkload } from '../../../lib/model/raw-objects.ts';
import { isBroughtByExternalRollout } from '../../../lib/tracking/external-rollout.ts';
import { fc } from '../../laws.ts';
import {
  ASKS_RESTART,
  aborted,
  between,
  healthy,
  momentAt,
  type RolloutWorld,
  settledRollout,
} from './rollout-world.ts';

const ACTIONS = [
  'change',
  'revert',
  'reload',
  'step',
  'promote',
  'abort',
  'retry',
  'undo',
  'image',
  'crash',
  'commit',
  'strategy',
  'take-back',
  'undo-while-down',
] as const;
type Action = (typeof ACTIONS)[number];

interface Pod {
  readonly hash: string;
  readonly read: string;
  readonly born: number;
}

/** The cluster: a canary of two pods that stops after the first one until it is promoted. */
class Stage {
  world: RolloutWorld = settledRollout();
  readonly isBlueGreen: boolean;
  readonly log: string[] = [];
  #hashes = new Map<string, string>();
  #stable: string;
  #current: string;
  #pods: Pod[];
  #isAborted = false;
  #isPromoted = false;
  #restartedAt: string | undefined;
  #former: { readonly image: string; readonly stamps: Readonly<Record<string, string>> } | undefined;
  #images = 0;

  constructor(isBlueGreen: boolean) {
    this.isBlueGreen = isBlueGreen;
    this.#stable = this.#current = this.#hash();
    this.#pods = [this.#pod(this.#stable), this.#pod(this.#stable)];
    this.#tell();
  }

  /** Something happens, and the stream tells of it. */
  act(action: Action): void {
    this.log.push(action);
    this.#actions[action]();
  }

  readonly #actions: Readonly<Record<Action, () => void>> = {
    change: () => this.world.config('cfg', 'bcdef'[this.world.now % 5] ?? 'b'),
    revert: () => this.world.config('cfg', 'a'),
    reload: () => this.#reload(),
    step: () => this.#step(),
    promote: () => {
      this.#isPromoted = true;
      this.#step();
    },
    abort: () => {
      if (this.#current === this.#stable) return;
      this.#isAborted = true;
      this.#step();
    },
    retry: () => {
      if (!this.#isAborted) return;
      this.#isAborted = false;
      this.#isPromoted = false;
      this.#tell();
    },
    undo: () => {
      if (this.#former !== undefined) this.world.workload('web', { ...this.#former, isRolledOut: false });
    },
    image: () => {
      this.#images += 1;
      this.#former = this.#live;
      this.world.workload('web', { image: `v${this.#images + 1}`, isRolledOut: false });
    },
    crash: () => {
      // Doubts that no write has recorded yet die with a process, of any kind of workload.
      this.world.write();
      this.world = this.world.restart();
      this.world.settings.absorbsExternalRollouts = () => true;
    },
    commit: () => this.world.write(),
    strategy: () => {
      const { [Object.keys(ASKS_RESTART)[0] ?? '']: has, ...others } = this.#live.asks;
      this.world.workload('web', { asks: has === undefined ? { ...others, ...ASKS_RESTART } : others });
    },
    'take-back': () => this.world.restartAt(undefined),
    'undo-while-down': () => {
      if (this.#former === undefined) return;
      this.world.write();
      this.world.edit('web', { ...this.#former, isRolledOut: false });
      this.#actions.crash();
    },
  };

  /** The people let everything go on; then the world comes to rest. */
  rest(): void {
    for (let round = 0; round < 12; round += 1) {
      this.#isAborted = false;
      this.act('promote');
      this.act('step');
      this.act('reload');
      this.act('commit');
    }
  }

  verdict(): void {
    const { content } = this.world.contents.get('cfg') ?? assert.fail();
    const read = this.#pods.map((pod) => pod.read);
    assert.deepEqual(read, [content, content], this.log.join(' '));
    assert.equal(this.world.needsRollout('web'), false, this.log.join(' '));
  }

  get #live() {
    return this.world.live.get('web') ?? assert.fail('there is no Rollout');
  }

  #reload(): void {
    const { world } = this;
    const record = world.record('web');
    if (!world.needsRollout('web')) return;
    const isRestart = world.store.settings.vocabularies.restarts(record.workload);
    if (record.workload.hold?.type === 'aborted' && !isRestart) return;
    if (isBroughtByExternalRollout(world.store, record)) return;
    const live = world.live.get('web');
    const plan = world.send('web');
    if (plan.isRestart !== true) this.#former = live;
    world.land(plan);
    world.answer(plan);
  }

  #step(): void {
    const seen = this.#hash();
    if (seen !== this.#current) {
      this.#current = seen;
      this.#isAborted = false;
      this.#isPromoted = false;
      this.#tell();
    }
    this.#replace();
    this.#restart();
    this.#tell();
  }

  #replace(): void {
    const news = this.#pods.filter(({ hash }) => hash === this.#current);
    const olds = this.#pods.filter(({ hash }) => hash !== this.#current);
    if (this.#current === this.#stable || this.#isAborted) {
      const kept = this.#pods.filter(({ hash }) => hash === this.#stable).slice(0, 2);
      this.#pods = [...kept, ...Array.from({ length: 2 - kept.length }, () => this.#pod(this.#stable))];
    } else if (this.#isPromoted) {
      this.#pods = [
        ...news,
        ...Array.from({ length: 2 - news.length }, () => this.#pod(this.#current)),
      ].slice(0, 2);
      if (this.isBlueGreen) this.#tell(olds.length);
      this.#stable = this.#current;
    } else if (news.length === 0) {
      this.#pods = [
        this.#pod(this.#current),
        ...olds.filter(({ hash }) => hash === this.#stable).slice(0, 1),
      ];
    }
  }

  #restart(): void {
    const { asksRestartAt } = this.world;
    if (asksRestartAt === undefined || asksRestartAt === this.#restartedAt) return;
    this.#tell();
    this.#pods = this.#pods.map((pod) => (momentAt(pod.born) <= asksRestartAt ? this.#pod(pod.hash) : pod));
    this.#restartedAt = asksRestartAt;
  }

  #pod(hash: string): Pod {
    const read = this.world.contents.get('cfg')?.content ?? '';
    this.world.now += 1;
    return { hash, read, born: this.world.now };
  }

  #hash(): string {
    const text = JSON.stringify(this.world.raw('web').spec?.template);
    const known = this.#hashes.get(text) ?? `h${this.#hashes.size}`;
    this.#hashes.set(text, known);
    return known;
  }

  #tell(further = 0): void {
    const updatedReplicas = this.#pods.filter(({ hash }) => hash === this.#current).length;
    const counts = { replicas: this.#pods.length + further, updatedReplicas };
    const restartedAt = this.#restartedAt === undefined ? {} : { restartedAt: this.#restartedAt };
    this.world.is({ ...this.#status(), ...counts, ...restartedAt }, this.#hash() === this.#current);
  }

  #status(): NonNullable<RawWorkload['status']> {
    if (this.#isAborted) return aborted(this.#stable, this.#current);
    const isWhole = this.#pods?.every(({ hash }) => hash === this.#current);
    if (this.#current === this.#stable && isWhole) return healthy(this.#current);
    const pause = { phase: 'Paused', pauseConditions: [{ reason: 'BlueGreenPause' }] };
    return between(this.#stable, this.#current, this.#isPromoted ? {} : pause);
  }
}

test('whatever happens to a Rollout, its pods read the content in force once people let it go on', () => {
  const histories = fc.array(fc.constantFrom(...ACTIONS), { maxLength: 25 });
  const runs = Number(process.env['ROLLOUT_HISTORIES'] ?? 300);
  fc.assert(
    fc.property(fc.boolean(), histories, (isBlueGreen, actions) => {
      const stage = new Stage(isBlueGreen);
      for (const action of actions) stage.act(action);
      stage.rest();
      stage.verdict();
    }),
    { numRuns: runs },
  );
});
