/** Warnings at the start: what has no effect, and why; what wins; what is dangerous. Never the text that was given. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { DEAD_FLAGS } from '../../../lib/options/flags.ts';
import { running } from './given.ts';

const ON = 'ALERT_ON_RELOAD=true ALERT_WEBHOOK_URL=http://hush';
const OF_ALL = 'it needs --all-namespaces';
const OF_LIST = 'has no effect with --ignored-workload-types: take';

const NOTICES: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'what is watched': {
    '-A --namespace=a': ['--namespace wins over --all-namespaces'],
    'RELOADER_OPT_ALL_NAMESPACES=true --namespaces=a': ['--namespaces wins over RELOADER_OPT_ALL_NAMESPACES'],
    'RELOADER_OPT_NAMESPACE=a -A': [],
    '--namespace=a --namespaces-to-ignore=b': [
      `--namespaces-to-ignore has no effect with --namespace: ${OF_ALL}`,
    ],
    'KUBERNETES_NAMESPACE=a --namespaces-to-ignore=b': [
      `--namespaces-to-ignore has no effect with KUBERNETES_NAMESPACE: ${OF_ALL}`,
    ],
    'RELOADER_OPT_NAMESPACE_SELECTOR=team': [`RELOADER_OPT_NAMESPACE_SELECTOR has no effect: ${OF_ALL}`],
    '--namespace=a --namespace-annotations': [
      `--namespace-annotations has no effect with --namespace: ${OF_ALL}`,
    ],
    '--namespaces-to-ignore=a --namespace-selector=team': [],
    'RELOADER_OPT_RELOAD_ON_DELETE=true --resource-label-selector=app': [
      'RELOADER_OPT_RELOAD_ON_DELETE has no effect with --resource-label-selector: a lost label looks like a deletion',
    ],
    '--reload-on-delete=false --resource-label-selector=app': [],
  },
  'kinds of workload': {
    '--ignored-workload-types=cronjobs --cronjob-reload=run-now': [
      `--cronjob-reload ${OF_LIST} cronjobs out of that list`,
    ],
    'RELOADER_OPT_JOB_RELOAD=recreate-running RELOADER_OPT_CRONJOB_RELOAD=run-now --ignored-workload-types=jobs,cronjobs':
      [
        `RELOADER_OPT_CRONJOB_RELOAD ${OF_LIST} cronjobs out of that list`,
        `RELOADER_OPT_JOB_RELOAD ${OF_LIST} jobs out of that list`,
      ],
    '--ignored-workload-types=jobs --job-reload=none': [],
    '--ignored-workload-types=jobs --cronjob-reload=run-now': [],
  },
  alerts: {
    [ON]: [],
    [`${ON} ALERT_ON_RELOAD=false`]: [],
    'ALERT_ON_RELOAD=true': [
      'ALERT_ON_RELOAD has no effect: no alert is sent, since neither --alert-webhook-url nor ALERT_WEBHOOK_URL says where to',
    ],
    [`${ON} RELOADER_OPT_WEBHOOK_URL=http://hush`]: [
      'ALERT_ON_RELOAD has no effect with RELOADER_OPT_WEBHOOK_URL: nothing is rolled here',
    ],
    'ALERT_WEBHOOK_URL=http://hush --alert-sink=slack': [
      '--alert-sink has no effect: it needs --alert-on-reload',
      'ALERT_WEBHOOK_URL has no effect: it needs --alert-on-reload',
    ],
    'ALERT_ADDITIONAL_INFO=prod --alert-webhook-proxy=http://hush': [
      '--alert-webhook-proxy has no effect: it needs --alert-on-reload',
      'ALERT_ADDITIONAL_INFO has no effect: it needs --alert-on-reload',
    ],
    '--alert-webhook-proxy=': [],
  },
  'the connection': {
    '--webhook-secret-file=/key': ['--webhook-secret-file has no effect: it needs --webhook-url'],
    '--webhook-secret-file=/key --webhook-url=http://a': [],
    '--insecure-skip-tls-verify': [
      '--insecure-skip-tls-verify: any program on the way to the API server can take its place, read Secrets and the token',
    ],
    'RELOADER_OPT_INSECURE_SKIP_TLS_VERIFY=true': [
      'RELOADER_OPT_INSECURE_SKIP_TLS_VERIFY: any program on the way to the API server can take its place, read Secrets and the token',
    ],
    '--insecure-skip-tls-verify=false': [],
    '--token=hush': [
      '--token: the command line shows it to every user of this machine; use RELOADER_OPT_TOKEN or --token-file',
    ],
    'RELOADER_OPT_TOKEN=hush': [],
    '--token-file=/token': [],
  },
  variables: {
    'RELOADER_OPT_DRYRUN=true': [
      'RELOADER_OPT_DRYRUN is ignored: no flag has that name; did you mean RELOADER_OPT_DRY_RUN?',
    ],
    'RELOADER_OPT_RESOURCE_TO_IGNORE=secrets': [
      'RELOADER_OPT_RESOURCE_TO_IGNORE is ignored: no flag has that name; did you mean RELOADER_OPT_RESOURCES_TO_IGNORE?',
    ],
    'RELOADER_OPT_XYZZY=1 RELOADER_OPT_HELP=true': [
      'RELOADER_OPT_HELP is ignored: no flag has that name',
      'RELOADER_OPT_XYZZY is ignored: no flag has that name',
    ],
  },
};

for (const [what, cases] of Object.entries(NOTICES)) {
  describe(`${what}:`, () => {
    for (const [command, want] of Object.entries(cases)) {
      test(command, () => {
        const { notices } = running(command);
        assert.deepEqual(notices, want);
        assert.doesNotMatch(notices.join(), /hush/);
      });
    }
  });
}

/** By vocabulary: the flags that mean nothing without it. */
const OF_ONE_VOCABULARY: Readonly<Record<string, readonly string[]>> = {
  collaborne: ['alternative-configmap-annotation', 'alternative-secret-annotation'],
  stakater: [
    'auto-annotation',
    'configmap-auto-annotation',
    'secret-auto-annotation',
    'auto-search-annotation',
    'search-match-annotation',
    'ignore-annotation',
    'configmap-annotation',
    'secret-annotation',
    'pause-deployment-annotation',
    'pause-deployment-time-annotation',
  ],
};

for (const [vocabulary, flags] of Object.entries(OF_ONE_VOCABULARY)) {
  const others = VOCABULARY_NAMES.filter((name) => name !== vocabulary).join();
  describe(`without ${vocabulary} in --dialects no effect has`, () => {
    for (const flag of flags) {
      test(`--${flag}`, () => {
        const why = `has no effect with RELOADER_OPT_DIALECTS: it needs ${vocabulary} in that list`;
        const { notices } = running(`RELOADER_OPT_DIALECTS=${others} --${flag}=a/x`);
        assert.deepEqual(notices, [`--${flag} ${why}`]);
        for (const more of ['', `--dialects=${vocabulary}`])
          assert.deepEqual(running(`--${flag}=a/x ${more}`).notices, []);
      });
    }
  });
}

describe('a flag without a meaning here is taken in each form of Go’s pflag, and one warning says why:', () => {
  /** With a value that counts, for those that take one. */
  const why: Readonly<Record<string, RegExp>> = {
    'resource-type': /: Deployments, StatefulSets and DaemonSets are served/,
    username: /no basic authentication/,
    password: /no basic authentication/,
    'sync-after-restart': /while no reloader ran is always/,
    'enable-pprof': /nothing is profiled/,
    'pprof-addr': /nothing is profiled/,
    'configmap-exclude-annotation': /configmaps\.exclude\.reloader\.stakater\.com\/reload/,
    'secret-exclude-annotation': /secrets\.exclude\.reloader\.stakater\.com\/reload/,
  };
  for (const { name, value } of DEAD_FLAGS) {
    const text = 'hush:6060';
    const forms = value === undefined ? ['', '=true', '=1'] : [`=${text}`, ` ${text}`];
    for (const form of forms) {
      test(`--${name}${form}`, () => {
        const { notices, options } = running(`--${name}${form} --port=9090`);
        const [notice = '', ...others] = notices;
        assert.deepEqual(others, []);
        assert.ok(notice.startsWith(`--${name} has no effect: `), notice);
        assert.match(notice, why[name] ?? /never/);
        assert.doesNotMatch(notice, /hush/);
        assert.equal(options.port, 9090);
      });
    }
  }

  test('by a variable too', () =>
    assert.match(
      running('RELOADER_OPT_USERNAME=me').notices.join(),
      /^RELOADER_OPT_USERNAME has no effect: /,
    ));

  test('but not where it asks for nothing', () => {
    const off =
      '--sync-after-restart=false --enable-ha=false --enable-pprof=f --is-Argo-Rollouts=false --webhook-url=';
    assert.deepEqual(running(off).notices, []);
  });
});
