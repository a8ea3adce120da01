/** Shell completion: what bash completes, and that every shell gets every word. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { COMMAND_ROWS, SHELLS } from '../../../lib/options/command-table.ts';
import { completionScript } from '../../../lib/options/completion.ts';

for (const shell of SHELLS)
  test(`${shell} knows every command and every flag`, () => {
    const script = completionScript(shell);
    for (const [name, { flags }] of COMMAND_ROWS) {
      assert.ok(script.includes(name));
      for (const { forms } of flags) {
        const long = /--(\S+)/.exec(forms)?.[1] ?? '';
        assert.ok(script.includes(shell === 'fish' ? `-l ${long}` : `--${long}`), long);
      }
    }
  });

/** What bash answers to the words, of which the last one is to be completed. */
function completed(words: readonly string[]): readonly string[] {
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const line = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _reloader; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const text = execFileSync('bash', ['--norc', '-c', `${completionScript('bash')}\n${line}`], {
    encoding: 'utf8',
  });
  return text.split('\n').filter((word) => word !== '');
}

describe('bash completes', () => {
  test('a command', () => assert.deepEqual(completed(['reloader', 'pl']), ['plan']));
  test('the flags of a command', () => {
    assert.deepEqual(completed(['reloader', 'plan', '--ag']), ['--against']);
    assert.deepEqual(completed(['kubectl-reloader', 'graph', '--out']), ['--output', '--outdated'].sort());
  });
  test('the values of a flag', () =>
    assert.deepEqual(completed(['reloader', 'check', '-o', 's']), ['sarif']));
});
