/** Flags as variables: by either long name, and named where they are complained of. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Options } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

type Env = Readonly<Record<string, string>>;

function optionsOf(env: Env, argv: readonly string[] = []): Options {
  const command = parseOptions(argv, env);
  assert.ok(command.type === 'run', JSON.stringify(command));
  return command.options;
}

describe('the other long name of a flag', () => {
  const scopes: Record<string, { env: Env; argv?: string[]; want: Options['scope'] }> = {
    'is a variable too': {
      env: { RELOADER_OPT_NAMESPACES: 'web, api' },
      want: { type: 'namespaces', names: ['web', 'api'], source: 'RELOADER_OPT_NAMESPACES' },
    },
    'adds to a list as on the command line': {
      env: { RELOADER_OPT_NAMESPACES: 'web', RELOADER_OPT_NAMESPACE: 'api' },
      want: { type: 'namespaces', names: ['web', 'api'], source: 'RELOADER_OPT_NAMESPACE' },
    },
    'stands behind the command line as a variable': {
      env: { RELOADER_OPT_NAMESPACES: 'web' },
      argv: ['--namespace=api'],
      want: { type: 'namespaces', names: ['api'], source: '--namespace' },
    },
  };
  for (const [name, { env, argv, want }] of Object.entries(scopes))
    test(name, () => assert.deepEqual(optionsOf(env, argv).scope, want));

  test('stands behind the own name where one value is wanted', () => {
    const env = { RELOADER_OPT_CERTIFICATE_AUTHORITY: 'own', RELOADER_OPT_CACERT: 'other' };
    assert.equal(optionsOf(env).connection.certificateAuthority, 'own');
  });

  test('is what a misspelt variable is taken for', () => {
    const command = parseOptions([], { RELOADER_OPT_RESOURCE_TO_IGNORE: 'secrets' });
    assert.ok(command.type === 'run');
    assert.match(command.notices.join(), /did you mean RELOADER_OPT_RESOURCES_TO_IGNORE\?$/);
    const env = { RELOADER_OPT_RESOURCES_TO_IGNORE: 'secrets' };
    assert.deepEqual(optionsOf(env).ignoredConfigKinds, ['Secret']);
  });
});

describe('a complaint names the variable in which it was given:', () => {
  const errors: Record<string, { argv?: string[]; env: Env; want: string }> = {
    'one of two tokens': {
      argv: ['--token-file=f'],
      env: { RELOADER_OPT_TOKEN: 'x' },
      want: 'expected RELOADER_OPT_TOKEN or --token-file, not both',
    },
    'a certificate without its key': {
      env: { RELOADER_OPT_CLIENT_CERTIFICATE: 'x' },
      want: 'expected --client-certificate and --client-key together, got only RELOADER_OPT_CLIENT_CERTIFICATE',
    },
    'a key without its certificate': {
      env: { RELOADER_OPT_KEY: 'x' },
      want: 'expected --client-certificate and --client-key together, got only RELOADER_OPT_KEY',
    },
    'verification or none': {
      argv: ['--insecure-skip-tls-verify'],
      env: { RELOADER_OPT_CERTIFICATE_AUTHORITY: 'x' },
      want: 'expected RELOADER_OPT_CERTIFICATE_AUTHORITY or --insecure-skip-tls-verify, not both',
    },
  };
  for (const [name, { argv = [], env, want }] of Object.entries(errors))
    test(name, () => assert.deepEqual(parseOptions(argv, env), { type: 'usage-error', message: want }));

  test('what wins over what, and what has no effect', () => {
    const command = parseOptions(['--namespaces=a'], {
      RELOADER_OPT_ALL_NAMESPACES: 'true',
      RELOADER_OPT_RELOAD_ON_DELETE: 'true',
      RELOADER_OPT_RESOURCE_LABEL_SELECTOR: 'app',
    });
    assert.ok(command.type === 'run');
    assert.deepEqual(command.notices, [
      '--namespaces wins over RELOADER_OPT_ALL_NAMESPACES',
      'RELOADER_OPT_RELOAD_ON_DELETE has no effect with RELOADER_OPT_RESOURCE_LABEL_SELECTOR: a lost label looks like a deletion',
    ]);
  });
});
