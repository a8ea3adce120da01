/** Shell completion: the words that may come next, and that the script for bash asks for them. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { COMMANDS } from '../../../lib/options/command-table.ts';
import { COMPLETION_SCRIPTS, completionsOf } from '../../../lib/options/commands.ts';
import { FLAGS } from '../../../lib/options/flags.ts';

const PROGRAM = fileURLToPath(import.meta.resolve('../../../bin/reloader.ts'));

describe('what may come next', () => {
  test('first: a command', () => {
    for (const name of [...Object.keys(COMMANDS), 'run'])
      assert.ok(completionsOf(['pl']).includes(name), name);
  });
  test('after a command: each of its flags', () => {
    for (const [name, { flags }] of Object.entries(COMMANDS))
      for (const { long } of flags) assert.ok(completionsOf([name, '']).includes(long ?? ''), long);
  });
  test('after run: each flag of the controller', () => {
    const words = completionsOf(['run', '-A', '']);
    for (const { name } of FLAGS) assert.ok(words.includes(`--${name}`), name);
  });
  test('after a flag with choices: these alone', () =>
    assert.deepEqual(completionsOf(['migrate', '--from', 's']), ['stakater', 'collaborne']));
  test('after a flag with any value, and after an unknown command: nothing, so that the shell offers files', () => {
    assert.deepEqual(completionsOf(['check', '-f', '']), []);
    assert.deepEqual(completionsOf(['constructor', '']), []);
    assert.deepEqual(completionsOf(['-n', '']), []);
    assert.deepEqual(
      completionsOf(['--namespace=shop', '-n', 'x', 'graph', '']),
      completionsOf(['graph', '']),
    );
  });
});

test('bash asks the program, and offers what begins with the word', () => {
  const program = `reloader() { '${process.execPath}' '${PROGRAM}' "$@"; }`;
  const line = `COMP_WORDS=(reloader graph --out); COMP_CWORD=2; _reloader; echo "\${COMPREPLY[@]}"`;
  const input = `${program}\n${COMPLETION_SCRIPTS.bash}\n${line}`;
  assert.equal(execFileSync('bash', ['--norc'], { input }).toString(), '--outdated --output\n');
});
