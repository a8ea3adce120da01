/** What is watched, in the words of Stakater Reloader. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Options } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

type Env = Readonly<Record<string, string>>;

function optionsOf(argv: readonly string[], env: Env = {}): Options {
  const command = parseOptions(argv, env);
  assert.equal(command.type, 'run', JSON.stringify(command));
  return command.options;
}

function errorOf(argv: readonly string[]): string {
  const command = parseOptions(argv, {});
  assert.equal(command.type, 'usage-error', JSON.stringify(command));
  return command.message;
}

describe('--namespaces', () => {
  test('is --namespace, and is named where it was written', () => {
    const { scope } = optionsOf(['--namespaces', 'a, b', '--namespaces=c']);
    assert.deepEqual(scope, { type: 'namespaces', names: ['a', 'b', 'c'], source: '--namespaces' });
  });

  test('adds to --namespace', () => {
    const { scope } = optionsOf(['--namespaces=a', '--namespace=b']);
    assert.deepEqual(scope, { type: 'namespaces', names: ['a', 'b'], source: '--namespace' });
  });

  test('is complained of under the name that was written', () => {
    assert.match(errorOf(['--namespaces=A']), /^--namespaces: expected the name of a namespace/);
    assert.equal(errorOf(['--namespacess=a']), 'unknown flag "--namespacess": expected --namespaces');
  });
});

describe('--resources-to-ignore', () => {
  const kinds = { configmaps: 'ConfigMap', ConfigMaps: 'ConfigMap', secrets: 'Secret' };
  for (const [word, kind] of Object.entries(kinds)) {
    test(`knows ${word}`, () => {
      assert.deepEqual(optionsOf(['--resources-to-ignore', word]).ignoredConfigKinds, [kind]);
    });
  }

  const errors: Record<string, RegExp> = {
    'secrets,configmaps': /^--resources-to-ignore: .*not both: nothing would be watched$/,
    pods: /^--resources-to-ignore: expected v1.ConfigMap \(configmaps\) or v1.Secret \(secrets\), got "pods"$/,
  };
  for (const [words, error] of Object.entries(errors)) {
    test(`refuses ${words}`, () => assert.match(errorOf([`--resources-to-ignore=${words}`]), error));
  }
});
