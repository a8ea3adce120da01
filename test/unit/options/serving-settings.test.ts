/** The pages and the probes: ports, the address, the hosts that requests may name; and warnings of the connection. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Options } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

type Env = Readonly<Record<string, string>>;
type Serving = Pick<Options, 'port' | 'healthPort' | 'bindAddress' | 'allowedHosts'>;

/** What the kubelet sets in each container. */
const POD: Env = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const LOCAL = { bindAddress: '127.0.0.1', allowedHosts: [] };

function servingOf(argv: readonly string[], env: Env): Serving & { readonly notices: readonly string[] } {
  const command = parseOptions(argv, env);
  assert.ok(command.type === 'run', JSON.stringify(command));
  const { port, healthPort, bindAddress, allowedHosts } = command.options;
  const said = Object.entries({ healthPort, bindAddress, allowedHosts }).filter(
    ([, value]) => value !== undefined,
  );
  return { port, ...Object.fromEntries(said), notices: command.notices };
}

describe('what is served', () => {
  const cases: Record<string, readonly [argv: readonly string[], env: Env, want: Serving]> = {
    'is for this machine alone outside a pod, without a port for probes': [[], {}, { port: 8080, ...LOCAL }],
    'is for all in a pod, with a port for probes': [[], POD, { port: 8080, healthPort: 8081 }],
    'has a port for probes outside a pod too, where it is asked for': [
      ['--health-port=9000'],
      {},
      { port: 8080, healthPort: 9000, ...LOCAL },
    ],
    'may have any free ports': [['--port=0', '--health-port=0'], {}, { port: 0, healthPort: 0, ...LOCAL }],
    'may be for all outside a pod': [
      ['--bind-address', '0.0.0.0'],
      {},
      { port: 8080, bindAddress: '0.0.0.0' },
    ],
    'may be for all of IPv6': [['--bind-address=::'], {}, { port: 8080, bindAddress: '::' }],
    'may be for this machine alone in a pod': [
      ['--bind-address=::1'],
      POD,
      { port: 8080, healthPort: 8081, bindAddress: '::1', allowedHosts: [] },
    ],
    'is for this machine alone at any address of the loopback': [
      ['--bind-address=127.1.2.3'],
      {},
      { port: 8080, bindAddress: '127.1.2.3', allowedHosts: [] },
    ],
    'has the hosts that are allowed, in lower case': [
      ['--allowed-hosts', 'Reloader.example.com,a.test', '--allowed-hosts=b.test'],
      {},
      {
        port: 8080,
        bindAddress: '127.0.0.1',
        allowedHosts: ['reloader.example.com', 'a.test', 'b.test'],
      },
    ],
    'is as variables say': [
      [],
      {
        ...POD,
        RELOADER_OPT_HEALTH_PORT: '9000',
        RELOADER_OPT_BIND_ADDRESS: '127.0.0.1',
        RELOADER_OPT_ALLOWED_HOSTS: 'a.test',
      },
      { port: 8080, healthPort: 9000, bindAddress: '127.0.0.1', allowedHosts: ['a.test'] },
    ],
    'is no pod where the variable is empty': [[], { KUBERNETES_SERVICE_HOST: ' ' }, { port: 8080, ...LOCAL }],
  };
  for (const [name, [argv, env, want]] of Object.entries(cases))
    test(name, () => assert.deepEqual(servingOf(argv, env), { ...want, notices: [] }));
});

describe('it is refused', () => {
  const WEBHOOK = ['--webhook-tls-directory=/tls', '--webhook-port=8081'];
  const cases: Record<string, readonly [argv: readonly string[], env: Env, message: RegExp]> = {
    'to have probes at the port of the pages': [
      ['--port=9000', '--health-port=9000'],
      {},
      /^expected --health-port other than --port, got 9000 for both$/,
    ],
    'to have probes at the port that the pages have where nothing is said': [
      [],
      { RELOADER_OPT_HEALTH_PORT: '8080' },
      /^expected RELOADER_OPT_HEALTH_PORT other than --port, got 8080 for both$/,
    ],
    'to have pages at the port that probes have in a pod': [
      [],
      { ...POD, PORT: '8081' },
      /^expected --health-port other than PORT, got 8081 for both$/,
    ],
    'to have the admission webhook at the port of the probes': [
      [...WEBHOOK],
      POD,
      /^expected --webhook-port other than --health-port, got 8081 for both$/,
    ],
    'to listen at what is no address': [
      ['--bind-address=localhost'],
      {},
      /^--bind-address: expected an IP address such as 127\.0\.0\.1, 0\.0\.0\.0 or ::, got "localhost"$/,
    ],
    'to allow what is no host': [
      ['--allowed-hosts=a.test:8080'],
      {},
      /^--allowed-hosts: expected the name of a host such as .*, got "a\.test:8080"$/,
    ],
    'to have a port that is none': [['--health-port=65536'], {}, /^--health-port: expected a whole number/],
  };
  for (const [name, [argv, env, message]] of Object.entries(cases)) {
    test(name, () => {
      const command = parseOptions(argv, env);
      assert.ok(command.type === 'usage-error', JSON.stringify(command));
      assert.match(command.message, message);
    });
  }
});

describe('a warning at the start', () => {
  const cases: Record<string, readonly [argv: readonly string[], env: Env, want: readonly RegExp[]]> = {
    'tells of hosts that are compared with nothing': [
      ['--allowed-hosts=a.test'],
      POD,
      [/^--allowed-hosts has no effect: it needs a loopback address as --bind-address$/],
    ],
    'tells of an API server whose certificate is not verified': [
      ['--insecure-skip-tls-verify'],
      {},
      [/^--insecure-skip-tls-verify: any program on the way to the API server can take its place/],
    ],
    'tells of it too where a variable says so': [
      [],
      { RELOADER_OPT_INSECURE_SKIP_TLS_VERIFY: 'true' },
      [/^RELOADER_OPT_INSECURE_SKIP_TLS_VERIFY: /],
    ],
    'does not tell of a certificate that is verified': [['--insecure-skip-tls-verify=false'], {}, []],
    'tells of a token on the command line, and not which': [
      ['--token=hush-hush'],
      {},
      [
        /^--token: the command line shows it to every user of this machine; use RELOADER_OPT_TOKEN or --token-file$/,
      ],
    ],
    'does not tell of a token in a variable': [[], { RELOADER_OPT_TOKEN: 'hush-hush' }, []],
    'does not tell of a token in a file': [['--token-file=/token'], {}, []],
  };
  for (const [name, [argv, env, want]] of Object.entries(cases)) {
    test(name, () => {
      const { notices } = servingOf(argv, env);
      assert.equal(notices.length, want.length, notices.join('\n'));
      for (const [i, words] of want.entries()) assert.match(notices[i] ?? '', words);
      assert.ok(!notices.join().includes('hush'));
    });
  }
});
