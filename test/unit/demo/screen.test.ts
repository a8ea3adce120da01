/** Lines that fit, colours only where they are wanted, and a sign of life while something is awaited. */

import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Output, Screen, wrapped } from '../../demo/screen.ts';

function printedBy(output: Partial<Output>, use: (screen: Screen) => void): string {
  const pieces: string[] = [];
  use(new Screen({ write: (text) => pieces.push(text), ...output }));
  return pieces.join('');
}

describe('a long text', () => {
  const cases: Record<string, [text: string, width: number, lines: readonly string[]]> = {
    'is broken at spaces': ['one two three', 7, ['one two', 'three']],
    'keeps a word that is too long': ['a incomprehensible b', 5, ['a', 'incomprehensible', 'b']],
    'keeps its spaces within a line': ['INFO  one two', 10, ['INFO  one', 'two']],
    'does not count colours': ['\u001b[1mone\u001b[0m two', 7, ['\u001b[1mone\u001b[0m two']],
    'may be empty': ['', 7, ['']],
  };
  for (const [name, [text, width, lines]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(wrapped(text, width), lines));
  }

  const columns: Record<string, [columns: number | undefined, widest: number]> = {
    'fits 100 columns where the width is not known': [undefined, 100],
    'fits 100 columns on a terminal that does not know its size': [0, 100],
    'fits 100 columns on a wide terminal': [200, 100],
    'fits a narrow terminal': [40, 40],
  };
  for (const [name, [given, widest]] of Object.entries(columns)) {
    test(name, () => {
      const output = given === undefined ? {} : { columns: given };
      const text = 'a b '.repeat(100).trim();
      for (const print of [
        (screen: Screen) => screen.say(text),
        (screen: Screen) => screen.act(text),
        (screen: Screen) => screen.hanging(text),
      ]) {
        const lengths = printedBy(output, print)
          .split('\n')
          .map((line) => line.length);
        assert.ok(Math.max(...lengths) <= widest && Math.max(...lengths) > widest - 6, String(lengths));
      }
    });
  }
});

describe('colours', () => {
  const terminals: Record<string, [output: Partial<Output>, isColoured: boolean]> = {
    'are shown on a terminal that has them': [{ isTTY: true, hasColors: () => true }, true],
    'are not shown on one that has none, or where NO_COLOR is set': [
      { isTTY: true, hasColors: () => false },
      false,
    ],
    'are not shown in a file': [{ hasColors: () => true }, false],
  };
  for (const [name, [output, isColoured]] of Object.entries(terminals)) {
    test(name, () => {
      const text = printedBy(output, (screen) => screen.heading('one'));
      assert.equal(text, isColoured ? '\n\u001b[1mone\u001b[0m\n' : '\none\n');
    });
  }
});

describe('while something is awaited', () => {
  const pass = (t: TestContext, ms: number): void => {
    for (let passed = 0; passed < ms; passed += 100) t.mock.timers.tick(100);
  };
  const waiting = (t: TestContext, output: Partial<Output>): string[] => {
    t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
    const pieces: string[] = [];
    const screen = new Screen({ write: (text) => pieces.push(text), ...output });
    void screen.during('the pods run', new Promise(() => undefined));
    return pieces;
  };

  test('a file gets a line before two seconds have passed, and again', (t) => {
    const pieces = waiting(t, {});
    pass(t, 1900);
    assert.deepEqual(pieces, ['  … waiting until the pods run (1.5 s)\n']);
    pass(t, 1900);
    assert.equal(pieces.length, 2);
  });

  test('a terminal gets one line that moves, and that the next line replaces', (t) => {
    const pieces = waiting(t, { isTTY: true });
    pass(t, 200);
    assert.deepEqual(pieces, [
      '  ⠙ waiting until the pods run (0.1 s)',
      '\r\u001b[K',
      '  ⠹ waiting until the pods run (0.2 s)',
    ]);
  });

  test('a terminal is clean afterwards', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval', 'Date'] });
    const pieces: string[] = [];
    const screen = new Screen({ write: (text) => pieces.push(text), isTTY: true });
    const { promise, resolve } = Promise.withResolvers<number>();
    const awaited = screen.during('the pods run', promise);
    pass(t, 100);
    resolve(7);
    assert.equal(await awaited, 7);
    pass(t, 1000);
    assert.deepEqual(pieces.slice(1), ['\r\u001b[K']);
  });
});
