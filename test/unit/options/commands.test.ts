/** The words of the commands beside the controller. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { COMMANDS } from '../../../lib/options/command-table.ts';
import { parseCommand } from '../../../lib/options/commands.ts';
import { VERSION } from '../../../lib/options/version.ts';
import { given } from './given.ts';

function parsed(line: string, isPlugin = false, isAlone = false): ReturnType<typeof parseCommand> {
  const words = line.split(' ').filter((word) => word !== '');
  return parseCommand(words, isPlugin, isAlone);
}

describe('the controller runs', () => {
  for (const line of [
    '',
    '--namespace web',
    '--namespace explain',
    'run',
    'run --namespace web',
    'run --help',
  ])
    test(`by reloader ${line}`, () => assert.equal(parsed(line), undefined));
  test('on a terminal too, if there is any flag', () => assert.equal(parsed('-A', false, true), undefined));
  test('by the flags behind run', () => {
    assert.deepEqual(given('run -A --port 1'), given('-A --port 1'));
    assert.equal(given('-A run').type, 'usage-error');
  });
});

test('reloader version writes the version of the package', () =>
  assert.deepEqual(parsed('version'), { type: 'print', text: `${VERSION}\n` }));

test('a command has its operands and flags, and what follows -- are flags of the reloader', () => {
  assert.deepEqual(parsed('explain deploy/web -n shop --context=x -o json -- --dialects=wave -A'), {
    type: 'command',
    name: 'explain',
    operands: ['deploy/web'],
    flags: { namespace: 'shop', context: 'x', output: 'json' },
    settings: ['--dialects=wave', '-A'],
  });
});

test('flags of the connection may stand before the command, as kubectl passes them to a plugin', () => {
  for (const isPlugin of [true, false])
    assert.deepEqual(parsed('-n explain --context=x explain deploy/web --kubeconfig f', isPlugin), {
      type: 'command',
      name: 'explain',
      operands: ['deploy/web'],
      flags: { namespace: 'explain', context: 'x', kubeconfig: 'f', output: 'text' },
      settings: [],
    });
  assert.deepEqual(parsed('-v', true), {
    type: 'usage-error',
    message: 'expected a command that reloader help lists before the flags',
  });
  assert.deepEqual(parsed('--version', true), parsed('version'));
});

describe('one line says what is wrong with', () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    explan: /^unknown command "explan": expected explain$/,
    'hush-hush':
      /^expected a flag, or one of the commands that reloader help lists, but argument 1 is neither$/,
    explain: /^explain: missing required argument 'kind\/name'$/,
    'explain deploy/web -o xml': /^explain: option '-o, --output <format>' argument 'xml' is invalid/,
    'explain deploy/web --nmespace x': /^explain: unknown option '--nmespace'/,
    'completion tcsh': /^completion: .*'tcsh' is invalid.*Allowed choices are bash, zsh, fish/,
    'completion bash zsh': /^completion: too many arguments/,
  };
  for (const [line, says] of Object.entries(wrong))
    test(line, () => {
      const result = parsed(line);
      assert.ok(result?.type === 'usage-error', JSON.stringify(result));
      assert.match([result.command ?? [], result.message].flat().join(': '), says);
    });
});

describe('the help', () => {
  for (const [name, { examples, flags }] of Object.entries(COMMANDS)) {
    test(`of ${name} has examples, every flag and the exit codes`, () => {
      const printed = parsed(`${name} --help`);
      assert.ok(printed?.type === 'print');
      assert.ok(examples.length > 0);
      for (const [line] of examples) assert.ok(printed.text.includes(line));
      for (const flag of flags) assert.ok(printed.text.includes(flag.flags), flag.flags);
      assert.match(printed.text, /Exit codes: 0/);
      assert.deepEqual(parsed(`help ${name}`), printed);
    });

    test(`of ${name} has examples that are understood`, () => {
      for (const [line] of examples) {
        const words = line.slice(line.indexOf('reloader ') + 'reloader '.length).replaceAll(/ [|>].*$/g, '');
        assert.equal(parsed(words)?.type, name === 'completion' ? 'print' : 'command', line);
      }
    });
  }

  test('of migrate says that --from is required', () => {
    const printed = parsed('migrate --help');
    assert.ok(printed?.type === 'print');
    assert.match(printed.text, /--from <reloader> +required/);
  });

  for (const [line, isPlugin, isAlone] of [
    ['help', false, false],
    ['-h', false, false],
    ['--help', false, true],
    ['', false, true],
    ['', true, false],
    ['--help', true, false],
  ] as const)
    test(`lists the commands on one screen for ${isPlugin ? 'kubectl ' : ''}reloader ${line}`, () => {
      const printed = parsed(line, isPlugin, isAlone);
      assert.ok(printed?.type === 'print');
      for (const name of Object.keys(COMMANDS)) assert.ok(printed.text.includes(`\n  ${name} `), name);
      assert.ok(printed.text.split('\n').length <= 40);
      assert.match(printed.text, /reloader run --help/);
    });

  test('of run has the flags by topic', () => {
    const printed = parsed('help run');
    assert.ok(printed?.type === 'print');
    assert.match(printed.text, /^Scope:\n {2}--namespaces, --namespace/m);
  });
});
