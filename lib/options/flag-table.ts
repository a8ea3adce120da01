/** The one table of flags. Parsing, types, variables, the help and docs/reference are derived from it. */

/**
 * The flags by heading of the help. A key is `[alias, ]...name[ <type of value[=default]>]`. `...` after the type means a list: the
 * flag may be repeated, and each value may be a comma list. The default is the text that is parsed if none is given. A flag without
 * a type is a switch. A row is the sentence for the help, or an object with other properties, see `Row` in flags.ts.
 */
export const TABLE = {
  'Scope:': {
    '--namespaces, --namespace <namespace...>': 'namespaces to watch; repeatable or a comma list',
    '-A, --all-namespaces': 'watch every namespace',
    '--namespaces-to-ignore <namespace...>':
      'namespaces to leave out where every one is watched; repeatable or a comma list',
    '--namespace-selector <selector>':
      'of all namespaces, roll only in those with these labels; of several all must hold',
    '--namespace-annotations':
      'of all namespaces, read the annotations too: hold, reload-window, approval and notify-only count for their workloads',
    '--resource-label-selector <selector>':
      'watch only ConfigMaps and Secrets with these labels; of several all must hold',
    '--resources-to-ignore, --ignored-config-resource-types <config-kind...>':
      'do not watch v1.ConfigMap or v1.Secret; configmaps and secrets mean the same',
    '--is-Argo-Rollouts <served-way=auto>':
      "roll Argo's Rollouts: true, false, or auto where the API server serves them and the rights are there",
    '--is-openshift <served-way=auto>':
      "roll OpenShift's DeploymentConfigs: true, false, or auto where the API server serves them and the rights are there",
    '--enable-csi-integration <served-way=auto>': {
      alone: 'true',
      help: 'watch SecretProviderClasses of the Secrets Store CSI driver: true, false, or auto where the API server serves them and the rights are there',
    },
    '--workload-kinds <further-kind...>':
      'roll further kinds of workload: group/version/plural:path of the pod template, e.g. serving.knative.dev/v1/services:spec.template; repeatable or a comma list',
    '--ignored-workload-types <workload-kind...>':
      'do not watch these kinds of workload, e.g. cronjobs or daemonsets; repeatable or a comma list',
  },
  'Selection:': {
    '--dialects <dialect...=collaborne,stakater>': 'vocabularies in use: collaborne, stakater, sap, wave',
    '--auto-reload-all':
      'roll every workload for all that it refers to, unless its auto annotation says otherwise',
    '--alternative-configmap-annotation <key...>':
      'further annotations that list ConfigMaps; repeatable or a comma list',
    '--alternative-secret-annotation <key...>':
      'further annotations that list Secrets; repeatable or a comma list',
    '--auto-annotation <key>': { renames: 'auto' },
    '--configmap-auto-annotation <key>': { renames: 'configMapAuto' },
    '--secret-auto-annotation <key>': { renames: 'secretAuto' },
    '--auto-search-annotation <key>': { renames: 'search' },
    '--search-match-annotation <key>': { renames: 'match' },
    '--ignore-annotation <key>': { renames: 'ignore' },
    '--configmap-annotation <key>': { renames: 'configMap' },
    '--secret-annotation <key>': { renames: 'secret' },
    '--secretproviderclass-auto-annotation <key>': { renames: 'secretProviderClassAuto' },
    '--secretproviderclass-annotation <key>': { renames: 'secretProviderClass' },
    '--secretproviderclass-exclude-annotation <key>': { renames: 'secretProviderClassExclude' },
    '--pause-deployment-annotation <key>': { renames: 'pausePeriod' },
    '--pause-deployment-time-annotation <key>': { renames: 'pausedAt' },
  },
  'Rollouts:': {
    '--reload-strategy <strategy=env-vars>':
      'env-vars stamps variables of the containers, annotations those of the pod template, evict evicts the older pods',
    '--max-evictions <number=1>':
      'how many pods of one workload may be not ready at a time for evict to evict the next one',
    '--key-scoped':
      'roll a workload only when the keys change that its pods read, unless its annotation says otherwise',
    '--absorb-owner-rollouts <switch=true>':
      'do not roll a workload whose owner rolls it after the change, as helm upgrade does',
    '--reload-on-create': 'roll workloads too when an object is created that they started without',
    '--reload-on-delete': 'roll workloads too when an object is deleted that they can start without',
    '--cronjob-reload <cronjob-way=none>':
      'none leaves CronJobs alone, run-now starts a run after each change',
    '--job-reload <job-way=none>':
      'none leaves Jobs alone, recreate creates them anew, recreate-running only those that have not finished',
    '--coalesce-period <duration=5s>':
      'quiet time after the last change before a workload is rolled; a plain number is milliseconds',
    '--coalesce-max-wait <duration>': 'how long changes can postpone a rollout (default: 6 times the period)',
    '--pause-period <duration=0>':
      'shortest time from the first change to its rollout, for workloads without a pause-period of their own',
    '--min-rollout-interval <duration=0>': 'least time between two rollouts of one workload',
    '--rollout-limit <limit=20/1h>':
      'rollouts of one workload within a time; each one beyond waits twice as long as the one before, at most 10m; off: no limit',
    '--reload-window <reload-window>':
      'when workloads are rolled, e.g. "Mon-Fri 09:00-17:00 Europe/Berlin" or "0 22 * * 6 4h"; joined by ;, ! denies (default: at any time)',
    '--max-concurrent-rollouts <slot-count=0>':
      'how many workloads may be in a rollout before the next one begins; 0: any number',
    '--update-rate, --rollout-rate <rate=0>':
      'rollouts that may begin in a second on average, e.g. 0.1; 0: any number',
    '--update-burst, --rollout-burst <number=1>':
      'with --rollout-rate: how many of them may begin at once after a pause',
    '--stages <stages>':
      'how a change of one object goes to its workloads, e.g. 1,10%,50%,100%: the next ones once those before stay ready (default: to all at once)',
    '--stage-soak <duration=30s>':
      'with stages: how long workloads have to stay ready before the next stage begins',
    '--max-concurrent-patches <number=32>':
      'workloads patched at once; of several namespaces, one gets at most half of them',
    '--configmap <state-name=reloader-state>':
      "ConfigMap that holds the reloader's state; a large one continues in <name>-1 to -9",
    '--digests <digests=keyed>':
      'keyed digests tell nothing without the key in the Secret <name>-key; sha1 is plain SHA-1 without a key',
    '--state-namespace <namespace>': 'namespace of the state (default: the only one watched, else its own)',
    '--dry-run': 'report what would be rolled; write nothing',
  },
  'Leader election:': {
    '--enable-ha, --leader-election, --leader-elect <switch=true>':
      'act only while holding a Lease, so that of several processes one acts',
    '--leader-election-id <name>': 'name of the Lease (default: that of the state ConfigMap)',
    '--leader-election-namespace <namespace>': 'its namespace (default: that of the state ConfigMap)',
    '--leader-election-lease-duration <whole-duration=15s>':
      'how long others wait for a leader that does not renew the Lease',
    '--leader-election-renew-deadline <duration=10s>':
      'how long after its last renewal a leader stops to act',
    '--leader-election-retry-period <lasting-duration=2s>':
      'time between two tries to take or renew the Lease',
  },
  'Admission webhook:': {
    '--webhook-port <port-number>':
      'port of the admission webhook, which keeps stamps through updates of their owners (default: no webhook)',
    '--webhook-tls-directory <folder>': 'where its tls.crt and tls.key are; read again when they change',
    '--webhook-client-ca <file>':
      'the webhook answers only clients with a certificate of a CA in this file, as PEM; read again when it changes (default: all)',
  },
  'Notifications:': {
    '--webhook-url <webhook-url>':
      'post to this address when a workload would be rolled, in place of rolling it',
    '--webhook-secret-file <file>':
      'a key that signs posts to --webhook-url, in the header x-reloader-signature; read for each (default: no signature)',
    '--alert-on-reload':
      'send an alert for each rollout, and for failures that need a person (also $ALERT_ON_RELOAD)',
    '--alert-sink <sink>':
      'what takes the alerts: slack, teams, gchat or raw (default: $ALERT_SINK, then raw)',
    '--alert-webhook-url <webhook-url>':
      'where alerts are sent; better the variable (default: $ALERT_WEBHOOK_URL)',
    '--alert-webhook-proxy <webhook-url>':
      'the HTTP proxy to it (default: $ALERT_WEBHOOK_PROXY, then what $HTTPS_PROXY and the like say)',
    '--alert-additional-info <text>': 'stands before each alert (default: $ALERT_ADDITIONAL_INFO)',
  },
  'Connection:': {
    '--kubeconfig <file>': "kubeconfig (default: $KUBECONFIG, the pod's account, then ~/.kube/config)",
    '--context <context-name>': 'context of the kubeconfig',
    '-s, --server <server-url>': 'address of the API server',
    '--cacert, --certificate-authority <file>': 'CA certificate of the API server, as PEM',
    '--cert, --client-certificate <file>': 'client certificate, as PEM',
    '--key, --client-key <file>': 'key of the client certificate, as PEM',
    '--insecure-skip-tls-verify': "do not verify the API server's certificate",
    '--token <token>': 'bearer token; better the variable or --token-file',
    '--token-file <file>': 'file with a token, read again once a minute and when the API server refuses it',
  },
  'Serving:': {
    '--port <port-number>':
      'port of the status page, /status.json, /metrics, /healthz and /readyz (default: $PORT, then 9090 in place of Stakater Reloader, else 8080)',
    '--health-port <port-number>':
      'port of /healthz, /live and /readyz alone, for probes (default: 8081 in a pod, else none)',
    '--bind-address <address>': 'the address that ports listen at (default: all in a pod, else 127.0.0.1)',
    '--secure-metrics':
      'serve --port over TLS with the certificate in --metrics-tls-directory, and only to bearer tokens that may get the path; probes need no token',
    '--metrics-tls-directory <folder>': 'with --secure-metrics: where its tls.crt and tls.key are',
    '--no-status-page': 'serve no page for browsers at /; /status.json stays',
  },
  'Output:': {
    '--cluster-name <text>': 'name of the cluster in the log, the status page and alerts',
    '--log-level <level=info>': 'debug, info, warn or error',
    '--log-format <format=text>': 'text or json',
    '-h, --help': 'show this help',
    '--version': 'show the version',
  },
} as const;

/**
 * Flags of other reloaders without an effect here. They are accepted, so that existing arguments need no change; a warning says
 * why the flag has no effect, which is the key of its group. The warning never repeats a value: it may be a secret.
 */
export const DEAD = {
  'Deployments, StatefulSets and DaemonSets are served, but for --ignored-workload-types': {
    '--resource-type <text>': '',
  },
  'API servers have no basic authentication any more; use a kubeconfig, --token-file or a client certificate':
    { '--username <text>': '', '--password <text>': '' },
  'what changed while no reloader ran is always rolled, and nothing else is': { '--sync-after-restart': '' },
  'nothing is profiled over HTTP': { '--enable-pprof': '', '--pprof-addr <text>': '' },
  'the annotation keeps its name, configmaps.exclude.reloader.stakater.com/reload; beside it exclude-configmap of the native vocabulary is read':
    { '--configmap-exclude-annotation <key>': '' },
  'the annotation keeps its name, secrets.exclude.reloader.stakater.com/reload; beside it exclude-secret of the native vocabulary is read':
    { '--secret-exclude-annotation <key>': '' },
} as const;
