/** The arguments and variables of a Deployment of Stakater Reloader whose place this program takes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FLAGS } from '../../../lib/options/flags.ts';
import { type Options, stateNamespaceOf } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

type Env = Readonly<Record<string, string>>;

/** What the manifests of Stakater Reloader set. */
const MANIFEST: Env = { RELOADER_NAMESPACE: 'reloader', RELOADER_DEPLOYMENT_NAME: 'reloader-reloader' };

function parsed(argv: readonly string[], env: Env = {}): { options: Options; notices: readonly string[] } {
  const command = parseOptions(argv, env);
  assert.equal(command.type, 'run', JSON.stringify(command));
  return command;
}

/** How each dead flag is given, in every form that Go's pflag has for it, and what its warning must say. */
const DEAD: Record<string, { forms: string[][]; says: RegExp }> = {
  'sync-after-restart': { forms: switchForms('sync-after-restart'), says: /while no reloader ran is always/ },
  'is-openshift': { forms: valueForms('is-openshift', 'auto'), says: /DeploymentConfigs .* NOT rolled/ },
  'configmap-exclude-annotation': {
    forms: valueForms('configmap-exclude-annotation', 'a/b'),
    says: /configmaps\.exclude\.reloader\.stakater\.com\/reload/,
  },
  'secret-exclude-annotation': {
    forms: valueForms('secret-exclude-annotation', 'a/b'),
    says: /secrets\.exclude\.reloader\.stakater\.com\/reload/,
  },
  'secretproviderclass-annotation': {
    forms: valueForms('secretproviderclass-annotation', 'a/b'),
    says: /NOT rolled .* CSI driver/,
  },
  'secretproviderclass-auto-annotation': {
    forms: valueForms('secretproviderclass-auto-annotation', 'a/b'),
    says: /NOT rolled .* CSI driver/,
  },
  'secretproviderclass-exclude-annotation': {
    forms: valueForms('secretproviderclass-exclude-annotation', 'a/b'),
    says: /NOT rolled .* CSI driver/,
  },
  'enable-pprof': { forms: switchForms('enable-pprof'), says: /nothing is profiled/ },
  'pprof-addr': { forms: valueForms('pprof-addr', ':6060'), says: /nothing is profiled/ },
  'is-Argo-Rollouts': { forms: valueForms('is-Argo-Rollouts', 'true'), says: /Argo .* NOT rolled/ },
  'enable-csi-integration': {
    forms: switchForms('enable-csi-integration'),
    says: /NOT rolled .* CSI driver/,
  },
};

function switchForms(flag: string): string[][] {
  return [[`--${flag}`], [`--${flag}=true`], [`--${flag}=1`]];
}

function valueForms(flag: string, value: string): string[][] {
  return [[`--${flag}=${value}`], [`--${flag}`, value]];
}

describe('a flag without a meaning here is taken with one warning, which says what is different:', () => {
  for (const [flag, { forms, says }] of Object.entries(DEAD)) {
    for (const form of forms) {
      test(form.join(' '), () => {
        const { notices, options } = parsed([...form, '--port=9090']);
        assert.equal(notices.length, 1);
        const [notice = ''] = notices;
        assert.ok(notice.startsWith(`--${flag} has no effect: `), notice);
        assert.match(notice, says);
        assert.equal(options.port, 9090);
      });
    }
  }
});

test('a flag that is switched off or empty asks for nothing, and nothing is said', () => {
  const argv = [
    '--sync-after-restart=false',
    '--enable-ha=false',
    '--enable-pprof=f',
    '--is-Argo-Rollouts=false',
    '--webhook-url=',
  ];
  assert.deepEqual(parsed(argv).notices, []);
});

test('what such a flag is given is never repeated: it may hold a secret', () => {
  const { notices } = parsed(['--pprof-addr', 'me:hunter2@example.com']);
  assert.doesNotMatch(notices.join(), /hunter2/);
});

describe('a level of the log may be a word of logrus:', () => {
  const levels: Record<string, Options['logLevel']> = {
    trace: 'debug',
    Warning: 'warn',
    fatal: 'error',
    panic: 'error',
    info: 'info',
  };
  for (const [word, level] of Object.entries(levels))
    test(word, () => assert.equal(parsed([`--log-level=${word}`]).options.logLevel, level));

  test('and no format is text', () => assert.equal(parsed(['--log-format=']).options.logFormat, 'text'));
});

for (const [word, counts] of Object.entries({ enabled: true, true: false, '': false })) {
  test(`METRICS_COUNT_BY_NAMESPACE=${word} ${counts ? 'counts' : 'does not count'} by namespace`, () => {
    assert.equal(parsed([], { METRICS_COUNT_BY_NAMESPACE: word }).options.countsByNamespace, counts);
  });
}

describe('an item of a list may stand in double quotes, as pflag takes them off:', () => {
  const selectors: Record<string, string | undefined> = {
    '"team=a"': 'team=a',
    '"team=a,app!=b"': 'team=a,app!=b',
    '"team in (a,b)",app': 'team in (a,b),app',
    ' "team=a" , app=b': 'team=a,app=b',
    '"team=a': undefined,
    'team="a"': undefined,
    '"team=""a"""': undefined,
  };
  for (const [text, want] of Object.entries(selectors)) {
    test(`--namespace-selector=${text} is ${want ?? 'refused'}`, () => {
      const command = parseOptions(['-A', `--namespace-selector=${text}`], {});
      const got = command.type === 'run' ? command.options.namespaceSelector : undefined;
      assert.equal(got, want);
      assert.equal(command.type, want === undefined ? 'usage-error' : 'run');
    });
  }

  test('names and label selectors too', () => {
    const { scope, resourceLabelSelector } = parsed([
      '--namespaces="a","b"',
      '--resource-label-selector="x=y"',
    ]).options;
    assert.deepEqual(scope, { type: 'namespaces', names: ['a', 'b'], source: '--namespaces' });
    assert.equal(resourceLabelSelector, 'x=y');
  });
});

describe('the port is', () => {
  const cases: Record<string, { argv?: string[]; env: Env; want: number }> = {
    'that of Stakater Reloader where its manifest names the Deployment': { env: MANIFEST, want: 9090 },
    'what PORT says all the same': { env: { ...MANIFEST, PORT: '8000' }, want: 8000 },
    'what --port says all the same': { argv: ['--port=8001'], env: MANIFEST, want: 8001 },
    'ours where that variable is the address of a Service': {
      env: { RELOADER_DEPLOYMENT_NAME: 'tcp://10.0.0.1:80' },
      want: 8080,
    },
  };
  for (const [name, { argv = [], env, want }] of Object.entries(cases))
    test(name, () => assert.equal(parsed(argv, env).options.port, want));
});

describe('the scope is all namespaces, and says why, with', () => {
  const cases: Record<string, { argv?: string[]; env?: Env; setting: string }> = {
    'both variables of its manifests': { env: MANIFEST, setting: 'RELOADER_DEPLOYMENT_NAME' },
    'its namespace': { env: { RELOADER_NAMESPACE: 'reloader' }, setting: 'RELOADER_NAMESPACE' },
    'its name': { env: { RELOADER_DEPLOYMENT_NAME: 'r' }, setting: 'RELOADER_DEPLOYMENT_NAME' },
    'a flag that renames its annotations': { argv: ['--auto-annotation=a/b'], setting: '--auto-annotation' },
    'its variables, although KUBERNETES_NAMESPACE is empty': {
      env: { ...MANIFEST, KUBERNETES_NAMESPACE: '' },
      setting: 'RELOADER_DEPLOYMENT_NAME',
    },
    'a flag that leaves namespaces out': {
      argv: ['--namespaces-to-ignore=kube-system'],
      setting: '--namespaces-to-ignore',
    },
    'a flag that selects them': {
      argv: ['--namespace-selector=team:web'],
      setting: '--namespace-selector',
    },
    'a flag that selects objects': {
      argv: ['--resource-label-selector=team:web'],
      setting: '--resource-label-selector',
    },
    'a flag of ours under its name': {
      argv: ['--resources-to-ignore=secrets'],
      setting: '--resources-to-ignore',
    },
    'a flag of it that is switched off': { argv: ['--enable-ha=false'], setting: '--enable-ha' },
  };
  for (const [flag, { forms }] of Object.entries(DEAD))
    cases[`--${flag}`] = { argv: forms[0] ?? [], setting: `--${flag}` };
  for (const [name, { argv = [], env = {}, setting }] of Object.entries(cases)) {
    test(name, () => {
      const { scope } = parsed(argv, env).options;
      const source = `the default of Stakater Reloader, whose ${setting} is set`;
      assert.deepEqual(scope, { type: 'all', source });
    });
  }

  test('the state in our own namespace', () => {
    assert.equal(stateNamespaceOf(parsed([], MANIFEST).options, 'own'), 'own');
  });
});

describe('the scope is not that of Stakater Reloader', () => {
  const cases: Record<string, { argv?: string[]; env?: Env; want: Options['scope'] }> = {
    'where --namespace says another': {
      argv: ['--enable-ha', '--namespace=a'],
      env: MANIFEST,
      want: { type: 'namespaces', names: ['a'], source: '--namespace' },
    },
    'where --all-namespaces says the same': {
      argv: ['-A'],
      env: MANIFEST,
      want: { type: 'all', source: '--all-namespaces' },
    },
    'where KUBERNETES_NAMESPACE says one, as its chart does': {
      argv: ['--enable-ha'],
      env: { ...MANIFEST, KUBERNETES_NAMESPACE: 'k' },
      want: { type: 'namespaces', names: ['k'], source: 'KUBERNETES_NAMESPACE' },
    },
    'where the variables are addresses of a Service': {
      env: { RELOADER_NAMESPACE: 'tcp://10.0.0.1:80', RELOADER_DEPLOYMENT_NAME: 'udp://10.0.0.1:53' },
      want: { type: 'default' },
    },
    'where they are empty': {
      env: { RELOADER_NAMESPACE: '', RELOADER_DEPLOYMENT_NAME: ' ' },
      want: { type: 'default' },
    },
    'where a flag serves both vocabularies': {
      argv: ['--auto-reload-all', '--reload-strategy=annotations', '--log-level=warning'],
      want: { type: 'default' },
    },
    'where a flag stands under our name': {
      argv: ['--ignored-config-resource-types=secrets'],
      want: { type: 'default' },
    },
    'where its flag is a variable for this program': {
      env: { RELOADER_OPT_ENABLE_HA: 'true' },
      want: { type: 'default' },
    },
  };
  for (const [name, { argv = [], env = {}, want }] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(parsed(argv, env).options.scope, want));
  }
});

test('every flag that only Stakater Reloader has is in the table as such', () => {
  const marked = FLAGS.filter(({ isStakaters }) => isStakaters).map(({ name }) => String(name));
  const missing = [...Object.keys(DEAD), 'ignore-annotation'].filter((name) => !marked.includes(name));
  assert.deepEqual(missing, []);
});
