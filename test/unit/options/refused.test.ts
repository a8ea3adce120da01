/** What cannot be understood: one line says where, what was expected, and what was given unless it may be secret. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { errorOf } from './given.ts';

const SELECTOR =
  '--namespace-selector: expected a label selector: key, !key, key=value, key!=value, key in (a,b) or key notin (a,b), several joined by commas that some labels meet, got ';
const URL_EXPECTED = 'expected an http:// or https:// URL, with %25 for each % of a user name or password';
const NO_STAMPS = 'not both: nothing is stamped';
const WEBHOOK = '--webhook-port=9443 --webhook-tls-directory=/tls';

/** A text that ends with a space is the beginning of the complaint. */
const COMPLAINTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a flag': {
    '--namespce=a': 'unknown flag "--namespce": expected --namespace',
    '--namespacess=a': 'unknown flag "--namespacess": expected --namespaces',
    '--frobnicate': 'unknown flag "--frobnicate": expected one of those that --help lists',
    '--port': '--port: expected a value, as in --port <number>',
    '--cacert': '--cacert: expected a value, as in --cacert <file>',
    '--port 1 start': 'expected only flags, but argument 3 belongs to none; see --help',
  },
  'a value': {
    '--dry-run=yes': '--dry-run: expected true or false, got "yes"',
    'ALERT_ON_RELOAD=yes': 'ALERT_ON_RELOAD: expected true or false, got "yes"',
    '--port=65536': '--port: expected a whole number from 0 to 65535, got "65536"',
    "--port='1\n2'": '--port: expected a whole number from 0 to 65535, got "1\\n2"',
    '--health-port=-1': '--health-port: expected a whole number from 0 to 65535, got "-1"',
    'RELOADER_OPT_PORT=x': 'RELOADER_OPT_PORT: expected a whole number from 0 to 65535, got "x"',
    'PORT=tcp://10.0.0.1:80': 'PORT: expected a whole number from 0 to 65535, got "tcp://10.0.0.1:80"',
    '--max-concurrent-patches=0': '--max-concurrent-patches: expected a whole number from 1 to 1000, got "0"',
    "--coalesce-period='5 apples'":
      '--coalesce-period: expected a duration such as 5000 (milliseconds), 500ms, 10s, 2m or 1h, at most 24 days, got "5 apples"',
    '--pause-period=-5m': '--pause-period: expected a duration such as 5000 (milliseconds), ',
    '--leader-election-lease-duration=1500ms':
      '--leader-election-lease-duration: expected a duration of whole seconds such as 15s or 1m, got "1500ms"',
    '--leader-election-lease-duration=0':
      '--leader-election-lease-duration: expected a duration of whole seconds ',
    '--leader-election-retry-period=0':
      '--leader-election-retry-period: expected a duration such as 500ms, 2s or 1m, longer than 0, got "0"',
    '--rollout-limit=20':
      '--rollout-limit: expected a number of rollouts and a duration such as 20/1h, or off, got "20"',
    '--reload-window=soon':
      '--reload-window: expected a window, and this is no window; write such as Mon-Fri 09:00-17:00 Europe/Berlin, ',
    '--stages=1,110%':
      '--stages: expected at most 20 numbers of workloads or percentages such as 1,10%,50%,100%, got "1,110%"',
    '--stage-soak=soon':
      '--stage-soak: expected a duration such as 5000 (milliseconds), 500ms, 10s, 2m or 1h, at most 24 days, got "soon"',
    '--rollout-rate=-1': '--rollout-rate: expected a number such as 0.1 or 5, at most 1000, got "-1"',
    '--update-rate=1001': '--update-rate: expected a number such as 0.1 or 5, at most 1000, got "1001"',
    '--rollout-burst=0': '--rollout-burst: expected a whole number from 1 to 1000, got "0"',
    '--max-concurrent-rollouts=-5':
      '--max-concurrent-rollouts: expected a whole number from 0 to 10000, got "-5"',
    '--namespace=Web':
      '--namespace: expected the name of a namespace (lower-case letters, digits and -, at most 63 characters), got "Web"',
    '--namespaces=A': '--namespaces: expected the name of a namespace ',
    '--namespace=': '--namespace: expected the name of a namespace ',
    'KUBERNETES_NAMESPACE=a_b': 'KUBERNETES_NAMESPACE: expected the name of a namespace ',
    '-A --namespaces-to-ignore=kube-*': '--namespaces-to-ignore: expected the name of a namespace ',
    '--leader-election-namespace=a.b': '--leader-election-namespace: expected the name of a namespace ',
    [`--state-namespace=${'a'.repeat(64)}`]: '--state-namespace: expected the name of a namespace ',
    '--leader-election-id=No':
      '--leader-election-id: expected the name of an object (lower-case letters, digits, - and ., at most 253 characters), got "No"',
    '--configmap=a..b': '--configmap: expected the name of a ConfigMap ',
    // Room is left for -1 to -9.
    [`--configmap=${'a'.repeat(250)}`]:
      '--configmap: expected the name of a ConfigMap (lower-case letters, digits, - and ., at most 249 characters), ',
    '--alternative-secret-annotation=a/b/c':
      '--alternative-secret-annotation: expected an annotation key such as configmap.example.com/reload, got "a/b/c"',
    '--alternative-secret-annotation=/b': '--alternative-secret-annotation: expected an annotation key ',
    "--auto-annotation='a b'": '--auto-annotation: expected an annotation key ',
    '--resources-to-ignore=pods':
      '--resources-to-ignore: expected v1.ConfigMap (configmaps) or v1.Secret (secrets), got "pods"',
    '--ignored-workload-types=pods':
      '--ignored-workload-types: expected one of deployments, statefulsets, daemonsets, cronjobs, jobs, rollouts, deploymentconfigs, got "pods"',
    '--is-Argo-Rollouts=yes': '--is-Argo-Rollouts: expected one of auto, true, false, got "yes"',
    '--cronjob-reload=always': '--cronjob-reload: expected one of none, run-now, got "always"',
    '--job-reload=run-now': '--job-reload: expected one of none, recreate, recreate-running, got "run-now"',
    '--dialects=klingon': '--dialects: expected one of collaborne, stakater, sap, wave, got "klingon"',
    '--reload-strategy=restart':
      '--reload-strategy: expected one of env-vars, annotations, evict, got "restart"',
    '--log-level=loud': '--log-level: expected one of debug, info, warn, error, got "loud"',
    '--log-level=constructor': '--log-level: expected one of debug, info, warn, error, got "constructor"',
    '--log-format=xml': '--log-format: expected one of text, json, got "xml"',
    'ALERT_SINK=webex': 'ALERT_SINK: expected one of slack, teams, gchat, raw, got "webex"',
    '--kubeconfig=': '--kubeconfig: expected a value, got ""',
    '--bind-address=localhost':
      '--bind-address: expected an IP address such as 127.0.0.1, 0.0.0.0 or ::, got "localhost"',
  },
  'a text that may be secret': {
    '--pasword=hunter2': 'unknown flag "--pasword": expected --password',
    '--token a hunter2': 'expected only flags, but argument 3 belongs to none; see --help',
    '--server=hunter2': '--server: expected an http:// or https:// URL without user name and password',
    '--server=https://me:hunter2@10.0.0.1':
      '--server: expected an http:// or https:// URL without user name and password',
    '--token=': '--token: expected a value',
    '--alert-webhook-url hunter2': `--alert-webhook-url: ${URL_EXPECTED}`,
    'ALERT_WEBHOOK_URL=https://me:hunter2%@a': `ALERT_WEBHOOK_URL: ${URL_EXPECTED}`,
    // Neither half may be mended by the other.
    'ALERT_WEBHOOK_URL=https://a%2:5hunter2@a': `ALERT_WEBHOOK_URL: ${URL_EXPECTED}`,
    'ALERT_WEBHOOK_PROXY=socks5://me:hunter2@a': `ALERT_WEBHOOK_PROXY: ${URL_EXPECTED}`,
    'ALERT_WEBHOOK_PROXY=http://hunter2%zz@a:3128': `ALERT_WEBHOOK_PROXY: ${URL_EXPECTED}`,
    '--webhook-url ftp://hunter2': `--webhook-url: ${URL_EXPECTED}`,
  },
  'nothing to watch': {
    '--resources-to-ignore=secrets,configmaps':
      '--resources-to-ignore: expected v1.ConfigMap or v1.Secret, not both: nothing would be watched',
    '--ignored-workload-types=deployments,statefulsets,daemonsets':
      '--ignored-workload-types: expected not all kinds of workload: nothing would be watched',
  },
  'times that contradict each other': {
    '--coalesce-max-wait=1s': '--coalesce-max-wait: expected at least the period of 5000 ms, got 1000 ms',
    '--leader-election-lease-duration=10s':
      '--leader-election-renew-deadline: expected less than the 10s of --leader-election-lease-duration, got 10s',
    'RELOADER_OPT_LEADER_ELECTION_RENEW_DEADLINE=15s':
      'RELOADER_OPT_LEADER_ELECTION_RENEW_DEADLINE: expected less than the 15s of --leader-election-lease-duration, got 15s',
    '--leader-election-renew-deadline=2400ms':
      '--leader-election-retry-period: expected less than the 2s400ms of --leader-election-renew-deadline by a fifth and more, got 2s',
    '--leader-election-retry-period=9s':
      '--leader-election-retry-period: expected less than the 10s of --leader-election-renew-deadline by a fifth and more, got 9s',
  },
  'two flags of which one counts': {
    '--token=a --token-file=b': 'expected --token or --token-file, not both',
    'RELOADER_OPT_TOKEN=a --token-file=b': 'expected RELOADER_OPT_TOKEN or --token-file, not both',
    '--cacert=a --insecure-skip-tls-verify': 'expected --cacert or --insecure-skip-tls-verify, not both',
    'RELOADER_OPT_CERTIFICATE_AUTHORITY=a --insecure-skip-tls-verify':
      'expected RELOADER_OPT_CERTIFICATE_AUTHORITY or --insecure-skip-tls-verify, not both',
    [`${WEBHOOK} --dry-run`]: `expected --webhook-port or --dry-run, ${NO_STAMPS}`,
    '--webhook-port=0 --webhook-tls-directory=/tls --webhook-url=http://a': `expected --webhook-port or --webhook-url, ${NO_STAMPS}`,
  },
  'a flag without the one beside it': {
    '--cert=a': 'expected --client-key beside --cert',
    'RELOADER_OPT_KEY=a': 'expected --client-certificate beside RELOADER_OPT_KEY',
    '--webhook-port=9443': 'expected --webhook-tls-directory beside --webhook-port',
    '--webhook-tls-directory=/tls': 'expected --webhook-port beside --webhook-tls-directory',
    '--secure-metrics': 'expected --metrics-tls-directory beside --secure-metrics',
    '--metrics-tls-directory=/tls': 'expected --secure-metrics beside --metrics-tls-directory',
    '--webhook-client-ca=/ca.pem': 'expected --webhook-port beside --webhook-client-ca',
  },
  'one port or key for two things': {
    '--port=9000 --health-port=9000': 'expected --health-port other than --port, got 9000 for both',
    'RELOADER_OPT_HEALTH_PORT=8080': 'expected RELOADER_OPT_HEALTH_PORT other than --port, got 8080 for both',
    'KUBERNETES_SERVICE_HOST=10.0.0.1 PORT=8081': 'expected --health-port other than PORT, got 8081 for both',
    [`${WEBHOOK} --port=9443`]: 'expected --webhook-port other than --port, got 9443 for both',
    [`${WEBHOOK} --health-port=9443`]: 'expected --webhook-port other than --health-port, got 9443 for both',
    'RELOADER_OPT_WEBHOOK_PORT=8080 --webhook-tls-directory=/tls':
      'expected RELOADER_OPT_WEBHOOK_PORT other than --port, got 8080 for both',
    '--auto-annotation=reloader.stakater.com/search':
      'expected --auto-annotation other than --auto-search-annotation, got reloader.stakater.com/search for both',
    '--search-match-annotation=a/b --ignore-annotation=a/b':
      'expected --search-match-annotation other than --ignore-annotation, got a/b for both',
    '--secret-annotation=a/b RELOADER_OPT_PAUSE_DEPLOYMENT_ANNOTATION=a/b':
      'expected --secret-annotation other than RELOADER_OPT_PAUSE_DEPLOYMENT_ANNOTATION, got a/b for both',
  },
};

for (const [what, complaints] of Object.entries(COMPLAINTS)) {
  describe(`${what}:`, () => {
    for (const [command, complaint] of Object.entries(complaints)) {
      test(JSON.stringify(command), () => {
        const error = errorOf(command);
        assert.equal(complaint.endsWith(' ') ? error.slice(0, complaint.length) : error, complaint);
        assert.doesNotMatch(error, /hunter2/);
      });
    }
  });
}

describe('a selector that is none:', () => {
  const texts =
    '|,|team in a|team in (a|team in (a))|team (a)|te am|team=a b|team!=*|team=-a|team>1|a/b/c=d|!|=a|team=a=b|good,!';
  for (const text of [...texts.split('|'), `team=${'a'.repeat(64)}`]) {
    test(JSON.stringify(text), () =>
      assert.equal(
        errorOf(`-A '--namespace-selector=${text}'`),
        SELECTOR + JSON.stringify(text.slice(0, 60)),
      ),
    );
  }
});
