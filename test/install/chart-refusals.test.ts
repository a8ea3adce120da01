/** Values that cannot be followed are refused by a sentence that says which, why and what to do; others are told in NOTES. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { CHART, notesOf, objectionTo, render, skipWithoutHelm, type Values } from './chart.ts';
import { VALUE_SETS } from './chart-values.ts';

const skip = skipWithoutHelm();
const theirs = (reloader: JsonObject): Values => ({ reloader });

const NEEDED = ['image.repository', 'admission.port', 'ha.replicas', 'networkPolicy.enabled'];
const REFUSED: readonly (readonly [name: string, values: Values, sentence: RegExp])[] = [
  [
    'the image of Stakater Reloader',
    { image: { repository: 'ghcr.io/stakater/reloader' } },
    /image\.repository is ghcr\.io\/stakater\/reloader, the image of Stakater Reloader, .*: name that of this reloader, or remove the value$/m,
  ],
  [
    'it at a mirror',
    { image: { repository: 'mirror.example.com/a/stakater/reloader-ubi' } },
    /image\.repository is /,
  ],
  ['its name', { global: { imageRegistry: 'm' }, image: { name: 'stakater/reloader' } }, /image\.name is /],
  [
    'its version',
    { image: { tag: 'v1.4.21' } },
    /image\.tag is v1\.4\.21, .*, or remove the value, which then is \d/,
  ],
  ['an early version of it', { image: { tag: 'v0.0.119' } }, /image\.tag is v0\.0\.119, a version /],
  [
    'namespaces beside all',
    theirs({ namespaces: ['web'] }),
    /reloader\.namespaces has no meaning .*: set reloader\.watchGlobally=false, or remove it/,
  ],
  [
    'values at the top that other charts have there, when it is installed',
    { resources: {}, resourceLabelSelector: 'a=b', replicaCount: 2, imagePullSecrets: [] },
    /these values have no effect: imagePullSecrets \(set global\.imagePullSecrets\), replicaCount \(set ha\.enabled and ha\.replicas\), resourceLabelSelector \(set reloader\.resourceLabelSelector\), resources \(set reloader\.deployment\.resources\)/,
  ],
  [
    'an unknown level of the log',
    theirs({ logLevel: 'loud' }),
    /reloader\.logLevel is loud: set it to one of debug, info, warn, error/,
  ],
  [
    'an unknown format of the log',
    theirs({ logFormat: 'xml' }),
    /reloader\.logFormat is xml: set it to one of text, json/,
  ],
  [
    'no namespace',
    { watchOwnNamespace: false, ...theirs({ watchGlobally: false }) },
    /reloader\.namespaces is empty: .* Name the namespaces/,
  ],
  [
    'the account of other pods behind fences',
    { fences: { enabled: true }, ...theirs({ serviceAccount: { create: false } }) },
    /fences\.enabled would fence all pods .*: set reloader\.serviceAccount\.create=true/,
  ],
  [
    'neither kind of content',
    theirs({ ignoreSecrets: true, ignoreConfigMaps: true }),
    /Set one of them to false/,
  ],
  [
    'secure pages without a certificate',
    { config: { secureMetrics: true } },
    /config\.secureMetrics needs a certificate: .*set config\.metricsTlsDirectory/,
  ],
  [
    'two ways to stand by',
    { ha: { enabled: true }, reloader: { enableHA: true } },
    /ha\.enabled and reloader\.enableHA /,
  ],
  [
    'a pair without a leader',
    { config: { leaderElect: false }, reloader: { enableHA: true } },
    /config\.leaderElect is false, .* remove it, or reloader\.enableHA/,
  ],
  [
    'two network policies',
    { networkPolicy: { enabled: true }, reloader: { netpol: { enabled: true } } },
    /networkPolicy\.enabled and /,
  ],
  [
    'Jobs that are ignored and recreated',
    { config: { jobReload: 'recreate' }, reloader: { ignoreJobs: true } },
    /reloader\.ignoreJobs is true and config\.jobReload /,
  ],
  [
    'Jobs that are a kind left out',
    { config: { ignoredWorkloadTypes: ['Jobs'] } },
    /has Jobs: set reloader\.ignoreJobs=true/,
  ],
  [
    'CronJobs that are a kind left out',
    { config: { ignoredWorkloadTypes: ['cronjob'] } },
    /set reloader\.ignoreCronJobs=true/,
  ],
  [
    'a flag that is a value and an argument',
    { extraArgs: ['--log-level=debug'] },
    /extraArgs has --log-level, which another value sets/,
  ],
  [
    'a secret flag that is a value and an argument',
    { extraArgs: ['--alert-webhook-url', 'a'], config: { alertWebhookUrl: 'b' } },
    /extraArgs has --alert-webhook-url/,
  ],
  [
    'a flag that is a value and a variable',
    theirs({ deployment: { env: { open: { RELOADER_OPT_LOG_LEVEL: 'debug' } } } }),
    /reloader\.deployment\.env\.open\.RELOADER_OPT_LOG_LEVEL sets --log-level, which another value sets: remove one/,
  ],
  [
    'a flag with capitals that is a value and a variable',
    theirs({ deployment: { env: { open: { RELOADER_OPT_IS_ARGO_ROLLOUTS: 'true' } } } }),
    /RELOADER_OPT_IS_ARGO_ROLLOUTS sets --is-argo-rollouts, which another value sets: remove one/,
  ],
  [
    'Rollouts that are served automatically',
    theirs({ isArgoRollouts: 'auto' }),
    /at '\/reloader\/isArgoRollouts': got string/,
  ],
  [
    'an alert that is a value and a variable',
    { config: { alertSink: 'raw' }, reloader: { deployment: { env: { secret: { ALERT_SINK: 'slack' } } } } },
    /env\.secret\.ALERT_SINK sets --alert-sink/,
  ],
  [
    'an address that is a value and a variable',
    {
      config: { alertWebhookUrl: 'https://a.example.com' },
      reloader: { deployment: { env: { existing: { other: { ALERT_WEBHOOK_URL: 'key' } } } } },
    },
    /env\.existing\.other\.ALERT_WEBHOOK_URL sets --alert-webhook-url/,
  ],
  [
    'an admission webhook of a dry run',
    { admission: { enabled: true }, config: { dryRun: true } },
    /admission\.enabled has no meaning /,
  ],
  [
    'an admission webhook that only tells',
    { admission: { enabled: true }, reloader: { webhookUrl: 'http://a' } },
    /admission\.enabled has no meaning /,
  ],
  [
    'the name of a Secret that Helm makes',
    { admission: { enabled: true, secretName: 'tls' } },
    /remove admission\.secretName/,
  ],
  [
    'a certificate without a Secret',
    { admission: { enabled: true, certificate: 'secret' } },
    /say in admission\.secretName /,
  ],
  [
    'an unknown member of ours',
    { monitoring: { podMonitors: {} } },
    /at '\/monitoring': additional properties 'podMonitors' not allowed/,
  ],
  [
    'an unknown member, deeper',
    { monitoring: { dashboard: { enable: true } } },
    /at '\/monitoring\/dashboard': additional properties 'enable'/,
  ],
  [
    'a text for a switch of theirs',
    theirs({ autoReloadAll: 'false' }),
    /at '\/reloader\/autoReloadAll': got string/,
  ],
  ...NEEDED.map((path): (typeof REFUSED)[number] => {
    const [parent = '', member = ''] = path.split('.');
    return [
      `${path} that is null`,
      { [parent]: { [member]: null } },
      new RegExp(`at '/${parent}': missing property '${member}'`),
    ];
  }),
  ['no image', { image: { repository: '' } }, /at '\/image\/repository': minLength/],
  ['an unknown strategy', theirs({ reloadStrategy: 'rollout' }), /at '\/reloader\/reloadStrategy'/],
];

describe('the chart refuses', { skip }, () => {
  for (const [name, values, sentence] of REFUSED)
    test(name, () => assert.match(objectionTo(values) ?? 'nothing', sentence));

  test('policies that the cluster does not have', () => {
    const old = { kubeVersion: '1.29.9' };
    assert.match(objectionTo({ fences: { enabled: true } }, old) ?? '', /fences\.enabled needs .* 1\.30/);
  });
});

/** The paths of all values that may be null, by their schemas. */
function nullable(schema: JsonObject): JsonObject {
  const members = Object.entries(objectOf(schema['properties'])).flatMap(
    ([name, member]): [string, Json][] => {
      const below = objectOf(member);
      const isNeeded = [schema['required']].flat().includes(name);
      if (isNeeded) return below['properties'] === undefined ? [] : [[name, nullable(below)]];
      const takesNull = [below['type'], below['enum']].flat().some((one) => one === 'null' || one === null);
      return takesNull || Object.keys(below).length === 0 ? [[name, null]] : [];
    },
  );
  return Object.fromEntries(members);
}

describe('values that are null', { skip }, () => {
  test('are absent, as with any chart', () => {
    const schema = JSON.parse(readFileSync(path.join(CHART, 'values.schema.json'), 'utf8')) as JsonObject;
    const values = nullable(schema);
    assert.ok(Object.keys(objectOf(values['reloader'])).length > 30);
    const container = (given: Values): Json | undefined => {
      const deployment = render(given).find(({ kind }) => kind === 'Deployment');
      return objectsOf(pick(deployment, 'spec', 'template', 'spec', 'containers'))[0]?.['securityContext'];
    };
    assert.deepEqual(container(values), container({}));
  });
});

describe('NOTES', { skip }, () => {
  test('say what is watched, and how to try it', () => {
    const notes = notesOf({ reloader: { watchGlobally: false, ignoreSecrets: true } });
    assert.match(notes, /^ {2}- objects: configmaps$/m);
    assert.match(notes, /^ {2}- namespaces: tools$/m);
    assert.match(notes, /^ {2}- workloads: deployments, statefulsets, daemonsets, cronjobs, jobs$/m);
    assert.match(notesOf({}, { namespace: 'kube-system' }), /^ {2}helm -n kube-system test web /m);
    assert.match(notes, /^ {2}helm -n tools test web /m);
    assert.match(notes, /port-forward service\/kubernetes-reloader 8080 .* open http:\/\/localhost:8080\/$/m);
    const config = { secureMetrics: true, metricsTlsDirectory: '/tls' };
    assert.match(notesOf({ config }), / https:\/\/localhost:8080\/status\.json with a bearer token$/m);
    assert.match(notes, /^ {2}kubectl -n tools rollout status deployment\/web-reloader$/m);
  });

  const TOLD: readonly (readonly [reloader: JsonObject, line: RegExp])[] = [
    [{ custom_annotations: { secret_exclude: 'a/b' } }, /^- reloader\.custom_annotations\.secret_exclude: /m],
    [{ webhookUrl: 'http://a' }, /^- reloader\.webhookUrl: .* in place of every rollout/m],
    [{ syncAfterRestart: true }, /^- reloader\.syncAfterRestart: always on/m],
    [{ deployment: { replicas: 2 } }, /^- reloader\.deployment\.replicas: one pod runs/m],
    [{ podDisruptionBudget: { enabled: true } }, /^- reloader\.podDisruptionBudget: not created/m],
    [
      { deployment: { resources: { limits: { cpu: 1 } } } },
      /^- reloader\.deployment\.resources: .* another program/m,
    ],
    [{ enablePProf: true }, /^- reloader\.enablePProf/m],
    [{ deployment: { gomaxprocsOverride: '1' } }, /^- reloader\.deployment\.gomaxprocsOverride/m],
    [{ serviceMonitor: { enabled: true } }, /^- reloader\.serviceMonitor: not created/m],
    [{ verticalPodAutoscaler: { enabled: true } }, /^- reloader\.verticalPodAutoscaler: not created/m],
    [
      { volumeMounts: [], deployment: { image: { name: 'a' } } },
      /^- reloader\.deployment\.image\n- reloader\.volumeMounts: set reloader\.deployment\.volumeMounts$/m,
    ],
  ];
  for (const [reloader, line] of TOLD)
    test(`tell of ${JSON.stringify(reloader)}`, () => assert.match(notesOf({ reloader }), line));

  test('say that the own namespace is watched beside others, and who can use the rights in those', () => {
    const reloader = { watchGlobally: false, namespaces: ['web', 'api'] };
    const sentence = /^tools is watched too, .*\nreloader in api, web\. .* set watchOwnNamespace=false\.$/m;
    assert.match(notesOf({ reloader }), sentence);
    for (const values of [{ reloader: { watchGlobally: false } }, { reloader, watchOwnNamespace: false }])
      assert.doesNotMatch(notesOf(values), /is watched too/);
  });

  test('tell of no value where none is given', () => {
    assert.doesNotMatch(notesOf(), /These values/);
  });

  test('name no value of the sets that exists', () => {
    const lists = VALUE_SETS.filter((_, index) => index % 6 === 0).map(({ name, values }) => ({
      name,
      unknown: / do not exist, .*:\n([\s\S]*)/.exec(notesOf(values))?.[1] ?? '',
    }));
    assert.deepEqual(
      lists.filter(({ name, unknown }) => unknown !== '' && !name.includes('invent')),
      [],
    );
  });
});
