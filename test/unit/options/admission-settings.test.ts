/** The admission webhook: flags, their variables, and what does not go together. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Options } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

const FILES = { port: 9443, certificate: { type: 'files', directory: '/tls' }, checksHashes: false } as const;
const BOTH = ['--webhook-port=9443', '--webhook-tls-directory=/tls'];

describe('the admission webhook is served', () => {
  const cases: Record<string, [argv: string[], env: Record<string, string>, Options['admission']]> = {
    'not at all where nothing is said': [[], {}, undefined],
    'with a certificate from files': [BOTH, {}, FILES],
    'with a certificate of its own': [
      ['--webhook-port=9443', '--webhook-tls-secret=tls'],
      {},
      {
        port: 9443,
        certificate: { type: 'secret', secret: 'tls', configuration: 'kubernetes-reloader' },
        checksHashes: false,
      },
    ],
    'as variables say': [
      [],
      { RELOADER_OPT_WEBHOOK_PORT: '9443', RELOADER_OPT_WEBHOOK_TLS_DIRECTORY: '/tls' },
      FILES,
    ],
    'with a check of hashes where SAP’s words are in use': [
      [...BOTH, '--dialects=collaborne,sap', '--sap-hash-check'],
      {},
      { ...FILES, checksHashes: true },
    ],
    'not for a check of hashes that is not wanted': [[], { RELOADER_OPT_SAP_HASH_CHECK: 'false' }, undefined],
    'at any free port, as the pages may be': [
      ['--webhook-port=0', '--webhook-tls-directory=/tls', '--port=0'],
      {},
      { ...FILES, port: 0 },
    ],
    'beside an ordinary run that is said to be one': [
      [...BOTH, '--dry-run=false', '--webhook-url='],
      {},
      FILES,
    ],
  };
  for (const [name, [argv, env, admission]] of Object.entries(cases)) {
    test(name, () => {
      const command = parseOptions(argv, env);
      assert.ok(command.type === 'run', JSON.stringify(command));
      assert.deepEqual(command.options.admission, admission);
    });
  }
});

describe('it is refused', () => {
  const cases: Record<string, [argv: string[], message: RegExp, env?: Record<string, string>]> = {
    'at the port of the pages': [
      ['--webhook-port=9090', '--webhook-tls-directory=/tls', '--port=9090'],
      /^expected --webhook-port other than --port, got 9090 for both$/,
    ],
    'at the port that the pages have where nobody says it': [
      ['--webhook-tls-directory=/tls'],
      /^expected RELOADER_OPT_WEBHOOK_PORT other than --port, got 8080 for both$/,
      { RELOADER_OPT_WEBHOOK_PORT: '8080' },
    ],
    'without a certificate': [
      ['--webhook-port=9443'],
      /^expected --webhook-tls-directory or --webhook-tls-secret beside --webhook-port$/,
    ],
    'without a port': [
      ['--webhook-tls-directory=/tls'],
      /expected --webhook-port beside --webhook-tls-directory/,
    ],
    'with two certificates': [
      BOTH,
      /^expected --webhook-tls-directory or RELOADER_OPT_WEBHOOK_TLS_SECRET, not both$/,
      { RELOADER_OPT_WEBHOOK_TLS_SECRET: 'tls' },
    ],
    'with a configuration that nobody asks to be changed': [
      BOTH,
      /^expected RELOADER_OPT_WEBHOOK_CONFIGURATION only beside --webhook-tls-secret$/,
      { RELOADER_OPT_WEBHOOK_CONFIGURATION: 'x' },
    ],
    'without a port for the check of hashes': [
      ['--dialects=sap', '--sap-hash-check'],
      /expected --webhook-port beside --sap-hash-check/,
    ],
    'with a check of hashes in words that are not in use': [
      [...BOTH, '--sap-hash-check'],
      /expected --dialects with sap beside --sap-hash-check/,
    ],
    'in a dry run': [[...BOTH, '--dry-run'], /expected --webhook-port or --dry-run, not both/],
    'where somebody is told instead': [
      [...BOTH, '--webhook-url=http://a'],
      /expected --webhook-port or --webhook-url, not both/,
    ],
  };
  for (const [name, [argv, message, env = {}]] of Object.entries(cases)) {
    test(name, () => {
      const command = parseOptions(argv, env);
      assert.ok(command.type === 'usage-error', JSON.stringify(command));
      assert.match(command.message, message);
    });
  }
});
