/** The sabotages take long to try; that they still fit is seen at once. */

import assert from 'node:assert/strict';
import { mkdirSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ALL_MUTANTS, misfits } from './mutants/all.ts';
import { change, drop, type Edit, Places } from './mutants/edit.ts';

const PLACES = new Places(path.join(import.meta.dirname, '..'));

test('every sabotage finds its place in the source, once', () => {
  assert.deepEqual(misfits(PLACES, ALL_MUTANTS), []);
});

test('an edit finds its code whatever the local variables are called, and says what it does not find', () => {
  using place = mkdtempDisposableSync(path.join(tmpdir(), 'places-'));
  mkdirSync(path.join(place.path, 'lib'));
  const source = `export class Pace {
    #next(many: number, wait: number): number {
      if (many === 0 || this.limits.has(wait)) return wait;
      if (wait > 9) { return many; }
      return many > wait ? Math.max(wait, { wait, many }.many) : many;
    }
  }`;
  writeFileSync(path.join(place.path, 'lib/pace.ts'), source);
  const places = new Places(place.path);
  const cases: readonly (readonly [edit: Edit, now: string, then: string])[] = [
    [drop('Pace.#next', 'has()'), '(many === 0 || this.limits.has(wait))', '(many === 0)'],
    [drop('Pace.#next', 'n === 0'), 'many === 0 || this.limits.has(wait)', 'this.limits.has(wait)'],
    [drop('pace/Pace.#next', 'ms > 9'), 'if (wait > 9) { return many; }', ';'],
    [drop('Pace.#next', 'many,'), '{ wait, many }', '{ wait,  }'],
    [drop('Pace.#next', 'return many;'), 'return many;', ';'],
    [change('Pace.#next', 'n > ms', 'n >= ms'), 'many > wait', '(many >= wait)'],
    [change('Pace.#next', 'max()', '0'), 'Math.max(wait, { wait, many }.many)', '(0)'],
  ];
  for (const [edit, now, then] of cases) {
    assert.deepEqual(places.find(edit), { file: 'lib/pace.ts', text: source.replace(now, then) }, edit.code);
  }
  const where = 'Pace.#next in lib/pace.ts has';
  assert.equal(places.find(drop('Pace.#next', 'size()')), `${where} 0 times, not once: size()`);
  assert.equal(places.find(drop('Pace.#next', 'many')), `${where} 7 times, not once: many`);
  assert.equal(
    places.find(drop('Pace.next', 'has()')),
    'Pace.next is declared in 0 places of lib, not one: ',
  );
});
