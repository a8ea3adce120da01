/** The arguments and variables of a Deployment of Stakater Reloader whose place this program takes. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALL_FLAGS } from '../../../lib/options/flags.ts';
import type { Options } from '../../../lib/options/options.ts';
import { ITS_FORMS } from '../../../lib/options/stakater.ts';
import { given, running } from './given.ts';

/** What its manifests set. */
const MANIFEST = 'RELOADER_NAMESPACE=reloader RELOADER_DEPLOYMENT_NAME=reloader-reloader';
/** The flags that nothing but it has, in its own form. */
const ITS_FLAGS = [
  ...['--namespaces-to-ignore', '--namespace-selector', '--resource-label-selector', '--resources-to-ignore'],
  ...['--ignored-workload-types', '--webhook-url', '--enable-ha', '--sync-after-restart', '--enable-pprof'],
  ...['--auto-annotation', '--configmap-auto-annotation', '--secret-auto-annotation', '--ignore-annotation'],
  ...['--configmap-annotation', '--secret-annotation', '--auto-search-annotation'],
  ...['--search-match-annotation', '--pause-deployment-annotation', '--pause-deployment-time-annotation'],
  ...['--pprof-addr', '--is-openshift', '--is-Argo-Rollouts'],
  ...['--enable-csi-integration', '--secretproviderclass-annotation'],
  ...['--secretproviderclass-auto-annotation', '--secretproviderclass-exclude-annotation'],
  ...['--configmap-exclude-annotation', '--secret-exclude-annotation'],
];

describe('the scope is all namespaces, and says why, with', () => {
  const settings: Record<string, string> = {
    [MANIFEST]: 'RELOADER_DEPLOYMENT_NAME',
    [`${MANIFEST} KUBERNETES_NAMESPACE=`]: 'RELOADER_DEPLOYMENT_NAME',
    'RELOADER_NAMESPACE=reloader': 'RELOADER_NAMESPACE',
    '--enable-ha=false': '--enable-ha',
  };
  for (const flag of ITS_FLAGS) {
    const { type } = ALL_FLAGS.find(({ name, aliases }) => [`--${name}`, ...aliases].includes(flag)) ?? {};
    const texts: Record<string, string> = {
      switch: 'true',
      'config-kind': 'secrets',
      'workload-kind': 'jobs',
      'webhook-url': 'http://a',
      'served-way': 'true',
    };
    settings[`${flag}=${texts[type ?? ''] ?? 'a'}`] = flag;
  }
  for (const [command, setting] of Object.entries(settings)) {
    test(command, () => {
      const source = `the default of Stakater Reloader, whose ${setting} is set`;
      assert.deepEqual(running(command).options.scope, { type: 'all', source });
    });
  }
});

describe('the scope is not its own with', () => {
  const scopes: Record<string, Options['scope']> = {
    [`${MANIFEST} --enable-ha --namespace=a`]: { type: 'namespaces', names: ['a'], source: '--namespace' },
    [`${MANIFEST} -A`]: { type: 'all', source: '--all-namespaces' },
    [`${MANIFEST} KUBERNETES_NAMESPACE=k --enable-ha`]: {
      type: 'namespaces',
      names: ['k'],
      source: 'KUBERNETES_NAMESPACE',
    },
    // The addresses of a Service.
    'RELOADER_NAMESPACE=tcp://10.0.0.1:80 RELOADER_DEPLOYMENT_NAME=udp://10.0.0.1:53': { type: 'default' },
    "RELOADER_NAMESPACE= RELOADER_DEPLOYMENT_NAME=' '": { type: 'default' },
    // Flags of both, our name of one, and a variable for this program.
    '--auto-reload-all --reload-strategy=annotations --log-level=warning': { type: 'default' },
    '--ignored-config-resource-types=secrets': { type: 'default' },
    'RELOADER_OPT_ENABLE_HA=true': { type: 'default' },
  };
  for (const [command, scope] of Object.entries(scopes))
    test(command, () => assert.deepEqual(running(command).options.scope, scope));
});

describe('the port is', () => {
  const ports: Record<string, number> = {
    [MANIFEST]: 9090,
    [`${MANIFEST} PORT=8000`]: 8000,
    [`${MANIFEST} --port=8001`]: 8001,
    'RELOADER_DEPLOYMENT_NAME=tcp://10.0.0.1:80': 8080,
  };
  for (const [command, port] of Object.entries(ports))
    test(`${port} with ${command}`, () => assert.equal(running(command).options.port, port));
});

describe('a selector is asked of the API server:', () => {
  /** What is written, and what is asked; undefined: it is refused. Double quotes are those that pflag takes off. */
  const selectors: Record<string, string | undefined> = {
    team: 'team',
    '!team': '!team',
    '! team': '!team',
    'team=a': 'team=a',
    'team == a': 'team=a',
    'team!=a': 'team!=a',
    'team=': 'team=',
    'team:a': 'team=a',
    'team:*': 'team',
    'team=*': 'team',
    'example.com/team=a.b_c-d': 'example.com/team=a.b_c-d',
    'team in (a, b)': 'team in (a,b)',
    'team notin (a)': 'team notin (a)',
    'team in(a)': 'team in (a)',
    ' team in (a,b) , !old,, tier:front ': 'team in (a,b),!old,tier=front',
    'team=a,team=a': 'team=a',
    '"team=a"': 'team=a',
    '"team=a,app!=b"': 'team=a,app!=b',
    '"team in (a,b)",app': 'team in (a,b),app',
    ' "team=a" , app=b': 'team=a,app=b',
    'team=a,team!=b,!old,app in (a),app': 'team=a,team!=b,!old,app in (a),app',
    'team=a,team=b': undefined,
    'team=a,team!=a': undefined,
    'team=a,!team': undefined,
    '!team,team': undefined,
    '"team=a': undefined,
    'team="a"': undefined,
    '"team=""a"""': undefined,
  };
  for (const [text, want] of Object.entries(selectors)) {
    test(`${JSON.stringify(text)} as ${want}`, () => {
      const parsed = given(`-A '--namespace-selector=${text}' '--resource-label-selector=${text}'`);
      const { namespaceSelector, resourceLabelSelector }: Partial<Options> =
        parsed.type === 'run' ? parsed.options : {};
      assert.deepEqual([namespaceSelector, resourceLabelSelector], [want, want]);
      assert.equal(parsed.type, want === undefined ? 'usage-error' : 'run');
    });
  }

  test('and names stand in quotes too', () => {
    const { scope } = running('--namespaces="a","b"').options;
    assert.deepEqual(scope, { type: 'namespaces', names: ['a', 'b'], source: '--namespaces' });
  });
});

test('no other flag is taken for one that only it has', () => {
  assert.deepEqual([...ITS_FORMS].sort(), [...ITS_FLAGS].sort());
});
