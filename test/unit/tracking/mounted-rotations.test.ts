/** Rotations by chance, over kills of the process, of what the pods of a class have mounted. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pods, running, Stage } from './mounted-stage.ts';

/** What may happen to three pods: the store rotates, the driver polls, a pod is replaced, the process is killed. */
const ACTS = ['rotate', 'poll', 'poll', 'replace', 'kill'] as const;

/** The statuses of three pods, in the order in which they were written, and the processes that follow them, one after the other. */
class Rotations {
  /** The contents in force, one after the other. */
  readonly inForce: string[] = [];
  readonly #statuses = new Map(pods(3).map((name) => [name, { content: 'A', generation: 1 }]));
  #process = running(3);
  #store = 'A';
  #replaced = 0;

  act(act: (typeof ACTS)[number], pod: number): void {
    const [name = '', status] = [...this.#statuses].toSorted().at(pod) ?? [];
    if (act === 'rotate') this.#store = 'BCDEFGHIJ'['ABCDEFGHI'.indexOf(this.#store)] ?? this.#store;
    else if (act === 'kill') this.#startAgain();
    else if (act === 'replace') this.#replace(name);
    else if (status?.content !== this.#store) this.#write(name, (status?.generation ?? 0) + 1);
    const { current } = this.#process;
    if (current !== undefined && current !== this.inForce.at(-1)) this.inForce.push(current);
  }

  /** The driver reaches all pods. Returns the store's content. */
  end(): string {
    for (const pod of [0, 1, 2]) this.act('poll', pod);
    return this.#store;
  }

  #write(name: string, generation: number): void {
    this.#statuses.delete(name);
    this.#statuses.set(name, { content: this.#store, generation });
    this.#process.set(name, this.#store, { generation });
  }

  #replace(name: string): void {
    this.#replaced += 1;
    this.#statuses.delete(name);
    this.#process.drop(name);
    this.#write(`new-${this.#replaced}`, 1);
  }

  /** Not while all pods have contents of before the one in force: no record says that they are older. */
  #startAgain(): void {
    const last = this.inForce.at(-1);
    if ([...this.#statuses.values()].every(({ content }) => content < (last ?? ''))) return;
    const next = new Stage(last);
    for (const [name, { content, generation }] of this.#statuses) next.set(name, content, { generation });
    this.#process = next.listed();
  }
}

test('law: no content comes into force twice, and the last one does, over kills and replaced pods', () => {
  const step = fc.tuple(fc.constantFrom(...ACTS), fc.nat(2));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
      const rotations = new Rotations();
      for (const [act, pod] of steps) rotations.act(act, pod);
      const last = rotations.end();
      assert.equal(rotations.inForce.at(-1), last);
      assert.deepEqual(rotations.inForce, [...new Set(rotations.inForce)].toSorted());
    }),
  );
});
