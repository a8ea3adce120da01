import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FLAGS } from '../../../lib/options/flags.ts';
import { type Options, stateNamespaceOf } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import manifest from '../../../package.json' with { type: 'json' };
import { DEFAULT_ELECTION, DEFAULT_SERVING, DEFAULT_VOCABULARIES } from './default-vocabularies.ts';

type Env = Readonly<Record<string, string>>;

function parsed(argv: readonly string[], env: Env = {}): { options: Options; notices: readonly string[] } {
  const command = parseOptions(argv, env);
  assert.equal(command.type, 'run', JSON.stringify(command));
  return command;
}

function optionsOf(argv: readonly string[], env: Env = {}): Options {
  return parsed(argv, env).options;
}

function errorOf(argv: readonly string[], env: Env = {}): string {
  const command = parseOptions(argv, env);
  assert.equal(command.type, 'usage-error', JSON.stringify(command));
  assert.ok(!command.message.includes('\n'), 'one line');
  return command.message;
}

test('the bare command runs with the documented defaults', () => {
  assert.deepEqual(parsed([]), {
    type: 'run',
    options: {
      scope: { type: 'default' },
      stateConfigMap: 'reloader-state',
      coalescePeriodMs: 5000,
      coalesceMaxWaitMs: 30_000,
      alternativeAnnotations: { ConfigMap: [], Secret: [] },
      ...DEFAULT_VOCABULARIES,
      ignoredNamespaces: [],
      ignoredConfigKinds: [],
      ...DEFAULT_SERVING,
      countsByNamespace: false,
      connection: { insecureSkipTlsVerify: false },
      maxConcurrentPatches: 32,
      dryRun: false,
      leaderElection: DEFAULT_ELECTION,
      logLevel: 'info',
      logFormat: 'text',
    },
    notices: [],
  });
});

describe('the scope', () => {
  const cases: Record<string, { argv?: string[]; env?: Env; want: Options['scope'] }> = {
    'is the namespaces of repeated flags and comma lists, trimmed, each once': {
      argv: ['--namespace', 'a, b', '--namespace=c,a'],
      want: { type: 'namespaces', names: ['a', 'b', 'c'], source: '--namespace' },
    },
    'is everything with -A': { argv: ['-A'], want: { type: 'all', source: '--all-namespaces' } },
    'is the namespaces although -A is given': {
      argv: ['-A', '--namespace', 'a'],
      want: { type: 'namespaces', names: ['a'], source: '--namespace' },
    },
    'is everything although KUBERNETES_NAMESPACE is set': {
      argv: ['-A'],
      env: { KUBERNETES_NAMESPACE: 'k' },
      want: { type: 'all', source: '--all-namespaces' },
    },
    'is KUBERNETES_NAMESPACE, a list too': {
      env: { KUBERNETES_NAMESPACE: 'k, l' },
      want: { type: 'namespaces', names: ['k', 'l'], source: 'KUBERNETES_NAMESPACE' },
    },
    'is the default when KUBERNETES_NAMESPACE is empty': {
      env: { KUBERNETES_NAMESPACE: ' ' },
      want: { type: 'default' },
    },
    'is KUBERNETES_NAMESPACE after --all-namespaces=false': {
      argv: ['--all-namespaces=false'],
      env: { KUBERNETES_NAMESPACE: 'k', RELOADER_OPT_ALL_NAMESPACES: 'true' },
      want: { type: 'namespaces', names: ['k'], source: 'KUBERNETES_NAMESPACE' },
    },
    'is the variable with its name as the source': {
      env: { RELOADER_OPT_NAMESPACE: 'a,b', RELOADER_OPT_ALL_NAMESPACES: 'true' },
      want: { type: 'namespaces', names: ['a', 'b'], source: 'RELOADER_OPT_NAMESPACE' },
    },
    'is everything when -A stands on the command line and names only in a variable': {
      argv: ['-A'],
      env: { RELOADER_OPT_NAMESPACE: 'a' },
      want: { type: 'all', source: '--all-namespaces' },
    },
    'is not touched by what Kubernetes injects': {
      env: {
        RELOADER_PORT: 'tcp://10.0.0.1:8080',
        RELOADER_SERVICE_HOST: 'x',
      },
      want: { type: 'default' },
    },
  };
  for (const [name, { argv = [], env = {}, want }] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(optionsOf(argv, env).scope, want));
  }
});

describe('a value', () => {
  const cases: Record<string, { argv?: string[]; env?: Env; want: Partial<Options> }> = {
    'may be milliseconds, as the original took them': {
      argv: ['--coalesce-period', '2500'],
      want: { coalescePeriodMs: 2500, coalesceMaxWaitMs: 15_000 },
    },
    'may have a unit': {
      argv: ['--coalesce-period=10s', '--coalesce-max-wait=2m'],
      want: { coalescePeriodMs: 10_000, coalesceMaxWaitMs: 120_000 },
    },
    'may be 0: roll at once': {
      argv: ['--coalesce-period=0'],
      want: { coalescePeriodMs: 0, coalesceMaxWaitMs: 0 },
    },
    'never lets the default maximum wait exceed what a timer can wait': {
      argv: ['--coalesce-period=500h'],
      want: { coalescePeriodMs: 1_800_000_000, coalesceMaxWaitMs: 2 ** 31 - 1 },
    },
    'comes from the flag before the variable': {
      argv: ['--configmap', 'flag'],
      env: { RELOADER_OPT_CONFIGMAP: 'variable', RELOADER_OPT_LOG_LEVEL: 'DEBUG' },
      want: { stateConfigMap: 'flag', logLevel: 'debug' },
    },
    'of a switch may be a no': { argv: ['--no-status-page'], want: { statusPage: false } },
    'of an empty variable is the default': { env: { RELOADER_OPT_PORT: '', PORT: '' }, want: { port: 8080 } },
    'of the port comes from PORT': { env: { PORT: '9000' }, want: { port: 9000 } },
    'of the port comes from the variable before PORT': {
      env: { PORT: '9000', RELOADER_OPT_PORT: '0' },
      want: { port: 0 },
    },
    'is the last one where one is wanted': { argv: ['--port=1', '--port=2'], want: { port: 2 } },
    'of both kinds of annotation is a list': {
      argv: [
        '--alternative-configmap-annotation=a/x,b.example.com/Y_1',
        '--alternative-configmap-annotation=z',
        '--alternative-secret-annotation=a/x',
      ],
      want: { alternativeAnnotations: { ConfigMap: ['a/x', 'b.example.com/Y_1', 'z'], Secret: ['a/x'] } },
    },
    'of the state names an object': {
      argv: ['--state-namespace=here', '--configmap=my.state'],
      want: { stateNamespace: 'here', stateConfigMap: 'my.state' },
    },
    'of the output is a word': {
      argv: ['--log-format=json', '--log-level=warn', '--max-concurrent-patches=1'],
      want: { logFormat: 'json', logLevel: 'warn', maxConcurrentPatches: 1 },
    },
  };
  for (const [name, { argv = [], env = {}, want }] of Object.entries(cases)) {
    test(name, () => {
      const options = optionsOf(argv, env);
      assert.deepEqual({ ...options, ...want }, options);
    });
  }

  for (const form of ['v1.ConfigMap', 'ConfigMap', 'configmap', 'configmaps', 'v1.configmaps']) {
    test(`ignores ConfigMaps as ${form}`, () => {
      assert.deepEqual(optionsOf(['--ignored-config-resource-types', form]).ignoredConfigKinds, [
        'ConfigMap',
      ]);
    });
  }
  for (const form of ['v1.Secret', 'Secret', 'secrets']) {
    test(`ignores Secrets as ${form}`, () => {
      assert.deepEqual(optionsOf(['--ignored-config-resource-types', form]).ignoredConfigKinds, ['Secret']);
    });
  }
});

describe('a switch', () => {
  for (const text of ['1', 't', 'T', 'TRUE', 'true', 'True']) {
    test(`is on with =${text}`, () => assert.equal(optionsOf([`--dry-run=${text}`]).dryRun, true));
  }
  for (const text of ['0', 'f', 'F', 'FALSE', 'false', 'False']) {
    test(`is off with =${text}`, () => {
      assert.equal(optionsOf([`--dry-run=${text}`], { RELOADER_OPT_DRY_RUN: 'true' }).dryRun, false);
    });
  }
  test('is on when it stands alone, also before another flag', () => {
    const { dryRun, connection, port } = optionsOf([
      '--dry-run',
      '--insecure-skip-tls-verify',
      '--port',
      '1',
    ]);
    assert.deepEqual([dryRun, connection.insecureSkipTlsVerify, port], [true, true, 1]);
  });
});

describe('the connection', () => {
  test('has a long and a short form for each flag that the original had', () => {
    const want = {
      server: 'https://10.0.0.1:6443',
      certificateAuthority: 'ca.pem',
      clientCertificate: 'cert.pem',
      clientKey: 'key.pem',
      insecureSkipTlsVerify: false,
    };
    const short = ['-s', want.server, '--cacert', 'ca.pem', '--cert', 'cert.pem', '--key', 'key.pem'];
    const long = [
      '--server',
      want.server,
      '--certificate-authority=ca.pem',
      '--client-certificate=cert.pem',
      '--client-key=key.pem',
    ];
    assert.deepEqual(optionsOf(short).connection, want);
    assert.deepEqual(optionsOf(long).connection, want);
  });

  test('takes a kubeconfig, a context and a token file', () => {
    const argv = ['--kubeconfig=a', '--context=b', '--token-file=c'];
    const want = { kubeconfig: 'a', context: 'b', tokenFile: 'c', insecureSkipTlsVerify: false };
    assert.deepEqual(optionsOf(argv).connection, want);
  });

  test('takes a token from a variable', () => {
    assert.equal(optionsOf([], { RELOADER_OPT_TOKEN: 'abc' }).connection.token, 'abc');
  });
});

describe('a usage error says what was expected:', () => {
  const cases: Record<string, { argv?: string[]; env?: Env; want: RegExp }> = {
    'the nearest flag': { argv: ['--namespce=a'], want: /^unknown flag "--namespce": expected --namespace$/ },
    'the help for a flag that is like none': {
      argv: ['--frobnicate'],
      want: /expected one of those that --help/,
    },
    'a value': { argv: ['--port'], want: /^--port: expected a value, as in --port <number>$/ },
    'a value of an alias': {
      argv: ['--cacert'],
      want: /^--cacert: expected a value, as in --cacert <file>$/,
    },
    'flags only': {
      argv: ['--port', '1', 'start'],
      want: /^expected only flags, but argument 3 belongs to none/,
    },
    'a port': {
      argv: ['--port=65536'],
      want: /^--port: expected a whole number from 0 to 65535, got "65536"$/,
    },
    'a port in the variable': {
      env: { RELOADER_OPT_PORT: 'x' },
      want: /^RELOADER_OPT_PORT: expected a whole/,
    },
    'a port in PORT': { env: { PORT: 'tcp://10.0.0.1:80' }, want: /^PORT: expected a whole number/ },
    'a duration': {
      argv: ['--coalesce-period=5 apples'],
      want: /expected a duration such as .*, got "5 apples"$/,
    },
    'a duration that is not negative': { argv: ['--coalesce-period=-5'], want: /expected a duration/ },
    'a maximum wait of at least the period': {
      argv: ['--coalesce-max-wait=1s'],
      want: /^--coalesce-max-wait: expected at least the period of 5000 ms, got 1000 ms$/,
    },
    'true or false': { argv: ['--dry-run=yes'], want: /^--dry-run: expected true or false, got "yes"$/ },
    'a namespace': { argv: ['--namespace=Web'], want: /^--namespace: expected the name of a namespace/ },
    'a namespace that is not empty': { argv: ['--namespace='], want: /^--namespace: expected .*, got ""$/ },
    'a namespace in KUBERNETES_NAMESPACE': {
      env: { KUBERNETES_NAMESPACE: 'a_b' },
      want: /^KUBERNETES_NAMESPACE: /,
    },
    'a namespace of at most 63 characters': {
      argv: [`--state-namespace=${'a'.repeat(64)}`],
      want: /at most 63/,
    },
    'the name of a ConfigMap': { argv: ['--configmap=a..b'], want: /expected the name of a ConfigMap/ },
    'a name that leaves no room for -1 to -9': {
      argv: [`--configmap=${'a'.repeat(252)}`],
      want: /at most 251 characters/,
    },
    'an annotation key': {
      argv: ['--alternative-secret-annotation=a/b/c'],
      want: /expected an annotation key/,
    },
    'an annotation key with a prefix': {
      argv: ['--alternative-secret-annotation=/b'],
      want: /annotation key/,
    },
    'a kind': {
      argv: ['--ignored-config-resource-types=Pod'],
      want: /expected v1.ConfigMap \(configmaps\) or v1.Secret \(secrets\), got/,
    },
    'a kind that is left': {
      argv: ['--ignored-config-resource-types=v1.ConfigMap,v1.Secret'],
      want: /not both/,
    },
    'at least one patch': {
      argv: ['--max-concurrent-patches=0'],
      want: /expected a whole number from 1 to 1000/,
    },
    'a log level': {
      argv: ['--log-level=loud'],
      want: /expected one of debug, info, warn, error, got "loud"$/,
    },
    'a log format': { argv: ['--log-format=xml'], want: /expected one of text, json/ },
    'a URL': { argv: ['--server=10.0.0.1'], want: /^--server: expected an http:\/\/ or https:\/\/ URL/ },
    'one token': {
      argv: ['--token=a', '--token-file=b'],
      want: /^expected --token or --token-file, not both$/,
    },
    'a certificate with its key': {
      argv: ['--cert=a'],
      want: /^expected --client-certificate and --client-key together, got only --cert$/,
    },
    'verification or none': {
      argv: ['--cacert=a', '--insecure-skip-tls-verify'],
      want: /^expected --cacert or --insecure-skip-tls-verify, not both$/,
    },
    'without the lines of a value': { argv: ['--port=1\n2'], want: /got "1\\n2"$/ },
  };
  for (const [name, { argv = [], env = {}, want }] of Object.entries(cases)) {
    test(name, () => assert.match(errorOf(argv, env), want));
  }
});

describe('a secret is never repeated', () => {
  const cases: Record<string, string[]> = {
    'in the error of a mistyped flag': ['--pasword=hunter2'],
    'in the error of the rest of a token that was not quoted': ['--token', 'a', 'hunter2'],
    'in the error of a URL with credentials': ['--server=https://me:hunter2@10.0.0.1'],
  };
  for (const [name, argv] of Object.entries(cases)) {
    test(name, () => assert.doesNotMatch(errorOf(argv), /hunter2/));
  }
  test('in the notice of a password', () => {
    const { notices } = parsed(['--password', 'hunter2', '--username=hunter2']);
    assert.equal(notices.length, 2);
    assert.doesNotMatch(notices.join(), /hunter2/);
  });
});

describe('a notice', () => {
  const cases: Record<string, { argv?: string[]; env?: Env; want: RegExp }> = {
    'tells of a flag that the original never read': {
      argv: ['--resource-type', 'apps/v1.Deployment'],
      want: /^--resource-type has no effect: Deployments/,
    },
    'tells of such a flag as a variable': {
      env: { RELOADER_OPT_USERNAME: 'me' },
      want: /^RELOADER_OPT_USERNAME has/,
    },
    'tells of an unknown variable and the nearest': {
      env: { RELOADER_OPT_DRYRUN: 'true' },
      want: /^RELOADER_OPT_DRYRUN is ignored: .*; did you mean RELOADER_OPT_DRY_RUN\?$/,
    },
    'tells which of two flags wins': { argv: ['-A', '--namespace=a'], want: /^--namespace wins over/ },
  };
  for (const [name, { argv = [], env = {}, want }] of Object.entries(cases)) {
    test(name, () => {
      const { notices } = parsed(argv, env);
      assert.equal(notices.length, 1);
      assert.match(notices[0] ?? '', want);
    });
  }
});

describe('what is printed', () => {
  test('is the help with every flag that has a meaning, examples, and no line beyond 120 columns', () => {
    for (const argv of [['--help'], ['-h'], ['--port', 'x', '--help']]) {
      const command = parseOptions(argv, {});
      assert.equal(command.type, 'print');
      for (const { name, help } of FLAGS)
        assert.equal(command.text.includes(`--${name} `), help !== undefined, name);
      assert.match(command.text, /Examples:/);
      assert.ok(command.text.split('\n').every((line) => line.length <= 120));
    }
  });

  test('is the version of the package', () => {
    assert.deepEqual(parseOptions(['--version'], {}), {
      type: 'print',
      text: `${manifest.version}\n`,
      exitCode: 0,
    });
  });
});

test('the options are deeply frozen', () => {
  const options = optionsOf(['--namespace=a', '--alternative-secret-annotation=a/x']);
  for (const part of [options, options.scope, options.connection, options.alternativeAnnotations.Secret]) {
    assert.ok(Object.isFrozen(part));
  }
});

describe('the state namespace', () => {
  const cases: Record<string, { argv: string[]; want: string }> = {
    'is the one asked for': { argv: ['--state-namespace=s', '--namespace=a'], want: 's' },
    'is the only namespace that is watched': { argv: ['--namespace=a'], want: 'a' },
    'is our own beside several': { argv: ['--namespace=a,b'], want: 'own' },
    'is our own beside all': { argv: ['-A'], want: 'own' },
    'is our own by default': { argv: [], want: 'own' },
  };
  for (const [name, { argv, want }] of Object.entries(cases)) {
    test(name, () => assert.equal(stateNamespaceOf(optionsOf(argv), 'own'), want));
  }
});
