/** `reloader check`: each mistake is made, and found at its line. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import { CommandError } from '../../../lib/commands/connect.ts';
import { check, ERRORS, type Problem } from '../../../lib/commands/manifests/check.ts';
import { readManifests } from '../../../lib/commands/manifests/manifests.ts';
import { podOf, type Words } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const STAKATER = 'reloader.stakater.com';

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-check-'));
});
after(() => rmSync(folder, { recursive: true }));

interface Parts {
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly labels?: Words;
  readonly onTemplate?: Words;
  readonly kind?: string;
  readonly reads?: readonly string[];
}

function workload({ annotations, labels, onTemplate, kind = 'Deployment', reads = ['web'] }: Parts): object {
  const template = { metadata: { annotations: onTemplate }, spec: podOf(reads) };
  const [apiVersion, spec] =
    kind === 'CronJob' ? ['batch/v1', { jobTemplate: { spec: { template } } }] : ['apps/v1', { template }];
  return { apiVersion, kind, metadata: { name: 'web', labels, annotations }, spec };
}

function configMap(annotations?: Words, name = 'web'): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, annotations }, data: { a: 'b' } };
}

let files = 0;
function fileWith(text: string): string {
  files += 1;
  const file = path.join(folder, `${files}.yaml`);
  writeFileSync(file, text);
  return file;
}

async function problemsOf(
  objects: readonly object[],
  { isStrict = false, settings = [] as readonly string[] } = {},
): Promise<readonly Problem[]> {
  return await problemsIn(fileWith(objects.map((object) => stringify(object)).join('---\n')), {
    isStrict,
    settings,
  });
}

async function problemsIn(
  file: string,
  { isStrict = false, settings = [] as readonly string[] } = {},
): Promise<readonly Problem[]> {
  return (await check([file], { namespace: 'default', settings, isStrict })).problems;
}

interface Row {
  readonly objects: readonly object[];
  readonly rule: string;
  readonly says: RegExp;
  /** What the line of the problem has. */
  readonly line: RegExp;
  readonly isStrict?: boolean;
  readonly settings?: readonly string[];
}

const ROWS: Readonly<Record<string, Row>> = {
  'a value that cannot be a name': {
    objects: [workload({ annotations: { [`${NATIVE}/configmap`]: 'Web App' } }), configMap()],
    rule: 'malformed',
    says: /"Web App"/,
    line: /configmap: Web App/,
  },
  'an annotation that nobody reads': {
    objects: [workload({ annotations: { [`${NATIVE}/confgmap`]: 'web' } }), configMap()],
    rule: 'mistyped',
    says: /write reloader\.k8s\.collaborne\.com\/configmap/,
    line: /confgmap/,
  },
  'a word on the pod template': {
    objects: [workload({ onTemplate: { [`${NATIVE}/configmap`]: 'web' } }), configMap()],
    rule: 'misplaced',
    says: /is on the pod template/,
    line: /configmap: web/,
  },
  'a word for workloads on an object': {
    objects: [configMap({ [`${NATIVE}/auto`]: 'true' })],
    rule: 'misplaced',
    says: /no effect on ConfigMap\/web/,
    line: /auto: "true"/,
  },
  'a word for objects on a workload': {
    objects: [workload({ annotations: { [`${STAKATER}/match`]: 'true' } }), configMap()],
    rule: 'misplaced',
    says: /no effect on a workload/,
    line: /match: "true"/,
  },
  'an annotation among the labels': {
    objects: [workload({ labels: { app: 'web', [`${STAKATER}/auto`]: 'true' } }), configMap()],
    rule: 'misplaced',
    says: /is among the labels/,
    line: /auto: "true"/,
  },
  'a mistyped domain of another vocabulary': {
    objects: [workload({ annotations: { 'reloader.stackater.com/auto': 'true' } }), configMap()],
    rule: 'mistyped',
    says: /write reloader\.stakater\.com\/auto/,
    line: /stackater/,
  },
  'a mistyped word on an object': {
    objects: [configMap({ [`${NATIVE}/urgentt`]: 'true' })],
    rule: 'mistyped',
    says: /write reloader\.k8s\.collaborne\.com\/urgent/,
    line: /urgentt/,
  },
  'a value of an object that cannot be read, once': {
    objects: [
      workload({ annotations: { [`${NATIVE}/auto`]: 'true' } }),
      configMap({ [`${NATIVE}/stages`]: '10,5' }),
    ],
    rule: 'malformed',
    says: /"10,5" of reloader\.k8s\.collaborne\.com\/stages of ConfigMap\/web/,
    line: /stages: 10,5/,
  },
  'a mark of an object that cannot be read': {
    objects: [configMap({ [`${STAKATER}/match`]: 'yep' })],
    rule: 'malformed',
    says: /"yep" of reloader\.stakater\.com\/match/,
    line: /match: yep/,
  },
  'a value of a namespace that cannot be read': {
    objects: [
      {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: 'shop', annotations: { [`${NATIVE}/hold`]: 'yep' } },
      },
    ],
    rule: 'malformed',
    says: /"yep" of reloader\.k8s\.collaborne\.com\/hold of Namespace\/shop/,
    line: /hold: yep/,
  },
  'a switch without quotes': {
    objects: [workload({ annotations: { [`${STAKATER}/auto`]: true } }), configMap()],
    rule: 'not-text',
    says: /metadata\.annotations\.reloader\.stakater\.com\/auto is a boolean, not a string: the API server refuses/,
    line: /auto: true/,
  },
  'a search without an object that has the mark': {
    objects: [workload({ annotations: { [`${STAKATER}/search`]: 'true' } }), configMap()],
    rule: 'not-matched',
    says: /ConfigMap\/web rolls nothing.*write reloader\.stakater\.com\/match: "true"/,
    line: /search: "true"/,
  },
  'an item that no name matches': {
    objects: [workload({ annotations: { [`configmap.${STAKATER}/reload`]: 'my_app' } }), configMap()],
    rule: 'malformed',
    says: /"my_app" of .* cannot be the name of an object; list names/,
    line: /my_app/,
  },
  'a name that is not in the set': {
    objects: [workload({ annotations: { [`${NATIVE}/configmap`]: 'webb' } }), configMap()],
    rule: 'missing',
    says: /^ConfigMap\/webb not found; create/,
    line: /configmap: webb/,
  },
  'an object of another namespace': {
    objects: [workload({ annotations: { [`${NATIVE}/configmap`]: 'shared/ca' } })],
    rule: 'malformed',
    says: /"shared\/ca" .* only objects of the own namespace/,
    line: /configmap: shared\/ca/,
  },
  'a vocabulary that is off': {
    objects: [workload({ annotations: { 'wave.pusher.com/update-on-config-change': 'true' } }), configMap()],
    rule: 'vocabulary-off',
    says: /--dialects=|does not read/,
    line: /wave\.pusher\.com/,
  },
  'a kind that is not rolled': {
    objects: [workload({ kind: 'CronJob', annotations: { [`${NATIVE}/auto`]: 'true' } }), configMap()],
    rule: 'kind-not-served',
    says: /does not roll CronJobs/,
    line: /CronJob|batch/,
  },
  'a switch without a reference': {
    objects: [workload({ annotations: { [`${NATIVE}/auto`]: 'true' }, reads: [] })],
    rule: 'no-reference',
    says: /refer to no object/,
    line: /auto: "true"/,
  },
  'a workload that asks for nothing, if that is strict': {
    objects: [workload({}), configMap()],
    rule: 'not-asked',
    says: /no annotation asks/,
    line: /apps\/v1/,
    isStrict: true,
  },
};

describe('check finds', () => {
  for (const [name, { objects, rule, says, line, ...options }] of Object.entries(ROWS))
    test(name, async () => {
      const problems = await problemsOf(objects, options);
      const found = problems.filter((problem) => problem.rule === rule);
      assert.equal(found.length, 1, JSON.stringify(problems));
      const [problem] = found;
      assert.match(`${problem?.says} ${problem?.todo}`, says);
      const text = readFileSync(problem?.file ?? '', 'utf8').split('\n')[(problem?.line ?? 0) - 1];
      assert.match(text ?? '', line);
      assert.equal(problem?.level, ERRORS.includes(rule) ? 'error' : 'warning');
    });
});

test('an annotation of the pod template is not taken for a label with its key', async () => {
  const key = `${NATIVE}/configmap`;
  const parts = { onTemplate: { [key]: 'on-template' }, labels: { [key]: 'on-label' } };
  const found = (await problemsOf([workload(parts)])).filter(({ rule }) => rule === 'misplaced');
  const lines = readFileSync(found[0]?.file ?? '', 'utf8').split('\n');
  const shown = found.map(({ says, line }) => [/on the pod template|among/.exec(says)?.[0], lines[line - 1]]);
  assert.deepEqual(shown.map(([on, line]) => [on, line?.trim()]).sort(), [
    ['among', `${key}: on-label`],
    ['on the pod template', `${key}: on-template`],
  ]);
});

describe('check finds nothing in', () => {
  const asking = { annotations: { [`${NATIVE}/auto`]: 'true' } };
  const good: Readonly<Record<string, readonly object[]>> = {
    'a workload that follows what its pods read': [workload(asking), configMap()],
    'a workload without annotations': [workload({}), configMap()],
    'a kind that it does not know': [{ apiVersion: 'x/v1', kind: 'Thing', metadata: { name: 'a' } }],
    'a list': [{ apiVersion: 'v1', kind: 'List', items: [workload(asking), configMap()] }],
    'a list of one kind': [
      { apiVersion: 'v1', kind: 'ConfigMapList', items: [{ metadata: { name: 'web' } }] },
    ],
    'a name that the API server makes': [
      { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: 'web-' }, spec: { template: {} } },
    ],
    'a file of kustomize': [
      { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', metadata: {} },
    ],
    'a patch of kustomize': [
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        metadata: { name: 'web' },
        spec: { template: { spec: { containers: [{ $patch: 'replace' }, { name: 'app', env: null }] } } },
      },
    ],
    'a bare Pod': [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'test' }, spec: podOf(['web']) }],
    'a search that finds one of two': [
      workload({ annotations: { [`${STAKATER}/search`]: 'true' }, reads: ['web', 'api'] }),
      configMap({ [`${STAKATER}/match`]: 'true' }),
      configMap(undefined, 'api'),
    ],
    'a value without content': [workload({ annotations: { note: null } }), configMap()],
  };
  for (const [name, objects] of Object.entries(good))
    test(name, async () => assert.deepEqual(await problemsOf(objects), []));
});

test('flags of the reloader count, and so do those of one in the set', async () => {
  const objects = [
    workload({ annotations: { 'wave.pusher.com/update-on-config-change': 'true' } }),
    configMap(),
  ];
  assert.deepEqual(await problemsOf(objects, { settings: ['--dialects=wave'] }), []);
  const labels = { 'app.kubernetes.io/part-of': 'kubernetes-reloader' };
  const containers = [{ name: 'reloader', args: ['-A', '--dialects=wave'] }];
  const reloader = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'reloader', labels },
    spec: { template: { spec: { containers } } },
  };
  assert.deepEqual(await problemsOf([...objects, reloader]), []);
  const mistyped = workload({ annotations: { 'reloader.stackater.com/auto': 'true' } });
  const elsewhere = await problemsOf([mistyped, configMap()], { settings: ['--namespace=shop'] });
  assert.deepEqual(elsewhere.map(({ rule }) => rule).sort(), ['mistyped', 'namespace-not-watched']);
});

test('a problem in a list has the line of its item', async () => {
  const items = [configMap(), workload({ annotations: { [`${NATIVE}/confgmap`]: 'web' } })];
  const [problem] = await problemsOf([{ apiVersion: 'v1', kind: 'List', items }]);
  assert.ok((problem?.line ?? 0) > 8);
});

test('fields without a value count as absent', async () => {
  const file = fileWith(
    `apiVersion: apps/v1\nkind: StatefulSet\nmetadata:\n  name: web\n  annotations:\n    ${NATIVE}/confgmap: web\n  labels:\nspec:`,
  );
  const found = await problemsIn(file);
  assert.ok(found.some(({ rule, line }) => rule === 'mistyped' && line === 6));
});

test('a problem is on the line of the key that it is about, also beside the key that it suggests', async () => {
  const stakater = 'deployment.reloader.stakater.com';
  const file = fileWith(
    `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n    ${stakater}/pause-period: 5m\n    ${stakater}/paused: x`,
  );
  const found = await problemsIn(file);
  assert.deepEqual(
    found.filter(({ rule }) => rule === 'mistyped').map(({ line }) => line),
    [7],
  );
});

test('a text that is no YAML is named by its place, and not quoted', async () => {
  const file = fileWith('a: 1\n{{ .Values.hush }}: "x"\n  hush-hush: [');
  await assert.rejects(readManifests([file]), (error) => {
    assert.ok(error instanceof CommandError);
    assert.match(error.message, /\.yaml:\d+ is not valid YAML/);
    return !error.message.includes('hush');
  });
  const object = { ...configMap(), metadata: { name: 'web', labels: [1] } };
  await assert.rejects(
    readManifests([fileWith(stringify(object))]),
    /\.yaml:5: ConfigMap\/web: metadata\.labels is a list, not a map: the API server refuses/,
  );
  await assert.rejects(readManifests([fileWith('a: *nope')]), /\.yaml:1 is not valid YAML \(an alias/);
  await assert.rejects(
    readManifests([path.join(folder, 'none.yaml')]),
    /none\.yaml cannot be read \(ENOENT\)/,
  );
});

test('dates and times of the day are texts, as for kubectl', async () => {
  const file = fileWith(
    `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: web\n  annotations:\n    ${NATIVE}/hold: 2099-01-31T18:00:00Z\ndata: {at: 22:00}`,
  );
  assert.deepEqual(await problemsIn(file), []);
});
