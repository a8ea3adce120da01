/** What is written to the terminal in place of a run. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DEAD_FLAGS, FLAGS } from '../../../lib/options/flags.ts';
import { wrongOfNode } from '../../../lib/options/version.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { given } from './given.ts';

/** How the help shows the value of a flag. */
function wordOf({ value, alone }: Pick<(typeof FLAGS)[number], 'value' | 'alone'>): string {
  if (value === undefined) return '';
  return alone === undefined ? `<${value}>` : `[${value}]`;
}

function isOneWord(line: string): boolean {
  return !line.trim().includes(' ');
}

describe('the help', () => {
  for (const command of ['--help', '-h', '--port x --help']) {
    test(`is shown for ${command}: every flag that has an effect, examples, no line beyond 80 columns that can be broken`, () => {
      const printed = given(command);
      assert.ok(printed.type === 'print');
      const { text } = printed;
      for (const flag of FLAGS) {
        const shown = `${` --${flag.name} ${wordOf(flag)}`.trimEnd()}\n`;
        assert.ok(text.includes(shown) && text.includes(`\n${flag.group}\n`), flag.name);
      }
      for (const { name } of DEAD_FLAGS) assert.ok(!text.includes(`--${name} `), name);
      assert.match(text, /Examples:/);
      assert.ok(text.split('\n').every((line) => line.length <= 80 || isOneWord(line)));
    });
  }

  test('says what the table has beside a sentence', () => {
    const printed = given('--help');
    const text = printed.type === 'print' ? printed.text.replaceAll(/\s+/g, ' ') : '';
    for (const words of [
      '-s, --server <url> address of the API server',
      'a plain number is milliseconds (default: 5s)',
      '--ignore-annotation <key> read this annotation in place of reloader.stakater.com/ignore',
      '--absorb-owner-rollouts do not roll',
      '--cacert, --certificate-authority <file> CA certificate',
    ])
      assert.ok(text.includes(words), words);
  });
});

test('the version is that of the package', () =>
  assert.deepEqual(given('--version'), { type: 'print', text: `${manifest.version}\n` }));

const WRONGS: Readonly<Record<string, string | undefined>> = {
  '20.20.2': 'needs Node 24 or later, this is 20.20.2',
  '9.9.9': 'needs Node 24 or later, this is 9.9.9',
  '24.0.0': undefined,
  '100.0.0': undefined,
};
for (const [version, wrong] of Object.entries(WRONGS))
  test(`Node ${version} is ${wrong === undefined ? 'new enough' : 'too old'}`, () =>
    assert.equal(wrongOfNode(version), wrong));
