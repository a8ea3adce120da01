/** The command line of `npm run simulate`: what is not understood is no run of nothing that ends well. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FLAVOURS } from './flavours.ts';

const PROGRAM = fileURLToPath(new URL('run.ts', import.meta.url));

function simulate(...argv: readonly string[]) {
  return spawnSync(process.execPath, [PROGRAM, ...argv], { encoding: 'utf8' });
}

const MISTAKES: Readonly<Record<string, { readonly argv: readonly string[]; readonly says: string }>> = {
  'an unknown flavour': {
    argv: ['--flavour', 'sour'],
    says: `--flavour: expected one of ${FLAVOURS.join(', ')}, got "sour"`,
  },
  'no histories': {
    argv: ['--histories', '0'],
    says: '--histories: expected a whole number from 1, got "0"',
  },
  'many histories': {
    argv: ['--histories', 'many'],
    says: '--histories: expected a whole number from 1, got "many"',
  },
  'no seed': { argv: ['--seed='], says: '--seed: expected a whole number from 0, got ""' },
};

for (const [name, { argv, says }] of Object.entries(MISTAKES)) {
  test(`${name}: it says in one line what was expected, and ends with 64`, () => {
    const { status, stdout, stderr } = simulate(...argv);
    assert.deepEqual([status, stdout, stderr], [64, '', `simulate: ${says}\n`]);
  });
}

test('an unknown option ends with 64 too', () => {
  assert.equal(simulate('--flavor', 'calm').status, 64);
});

test('what is understood is tried', () => {
  const { status, stdout } = simulate('--histories', '3', '--flavour', 'calm');
  assert.equal(status, 0);
  assert.match(stdout, /^3 histories from seed 1 .*\nno law was broken\n$/m);
});
