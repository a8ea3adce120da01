/** What `reloader check` finds in manifests that the API server would refuse, and what it leaves to it: no value of any type stops it. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import { CommandError } from '../../../lib/commands/connect.ts';
import { check, type Problem } from '../../../lib/commands/manifests/check.ts';
import { readManifests } from '../../../lib/commands/manifests/manifests.ts';
import type { RawConfigObject } from '../../../lib/model/raw-objects.ts';
import { fc } from '../../laws.ts';
import type { Words } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const STAKATER = 'reloader.stakater.com';

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-types-'));
});
after(() => rmSync(folder, { recursive: true }));

async function problemsIn(text: string, settings: readonly string[] = []): Promise<readonly Problem[]> {
  const file = path.join(folder, 'all.yaml');
  writeFileSync(file, text);
  return (await check([file], { namespace: 'default', settings, isStrict: true })).problems;
}

const metadata = { name: 'web', annotations: { [`${NATIVE}/auto`]: 'true' } };
const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' } };

function deployment(spec: object): object {
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec };
}

function pods(spec: object): object {
  return { template: { spec } };
}

/** Each is the only problem of its document, on the line that has this text. */
const ROWS: readonly (readonly [object: object, line: string, says: RegExp])[] = [
  [
    { ...config, metadata: { name: 'web', annotations: ['a'] } },
    'annotations',
    /^metadata\.annotations is a list/,
  ],
  [
    { ...config, metadata: { name: 'web', labels: { a: true } } },
    'a: true',
    /^metadata\.labels\.a is a boolean/,
  ],
  [
    deployment({ template: { metadata: { annotations: { a: 5 } } } }),
    'a: 5',
    /^spec\.template\.metadata\.annotations\.a is a number, not a string: the API server refuses/,
  ],
  ...[5, { labels: {} }, ...['Bad_Name', 'a/b', 'a*', 'a'.repeat(254)].map((name) => ({ name }))].map(
    (metadata) =>
      [{ ...config, metadata }, 'metadata', /^is a ConfigMap without a name that an object can/] as const,
  ),
  [
    { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a/b' } },
    'metadata',
    /^is a Thing without a name that an object can have/,
  ],
  [deployment(pods({ containers: { a: 'b' } })), 'containers', /containers is a map, not a list: the API/],
  [deployment({ template: 'x' }), 'template', /^spec\.template is a string, not a map/],
  [deployment({ replicas: '2', template: {} }), 'replicas', /^spec\.replicas is a string, not a number/],
  [{ ...config, data: { k: 10 } }, 'k: 10', /^data\.k is a number, not a string: the API server refuses/],
  [{ ...config, data: [1] }, 'data', /^data is a list, not a map/],
  [{ ...config, binaryData: { c: '?' } }, 'c: ', /^binaryData\.c is a string, not a base64 text/],
  [{ ...config, kind: 'Secret', data: { a: 'plain' } }, 'a: plain', /^data\.a is a string, not a base64/],
  [{ ...config, kind: 'Secret', stringData: { a: 5 } }, 'a: 5', /^stringData\.a is a number, not a string/],
  [{ ...config, metadata: { name: 123 } }, 'name: 123', /^metadata\.name is a number, not a string/],
  [{ ...config, metadata: { name: 'a', namespace: true } }, 'namespace', /^metadata\.namespace is a boolean/],
  [{ ...config, kind: 5 }, 'kind', /^is no manifest: kind is not a string/],
  [{ image: 'web' }, 'image', /^is no manifest: apiVersion is missing and kind is missing/],
  [{ apiVersion: 'v1', kind: 'List', items: [config, 5] }, '- 5', /^is no manifest/],
  [{ apiVersion: 'v1', kind: 'List', items: {} }, 'items', /^is a List without a list of items/],
];

/** What only the API server refuses, if it does. */
const LEFT_TO_IT: readonly object[] = [
  deployment(pods({ containers: [null, { env: [] }] })),
  deployment({ selector: { matchLabels: { a: 'b' } }, template: {} }),
  { ...config, data: { 'a b': '', k: null }, binaryData: { c: 'YQ==', d: 'Y\nQ==' } },
  { ...config, data: [1], kind: 'configmap' },
  { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata, spec: { replicas: '2' } },
];

for (const object of LEFT_TO_IT)
  test(`only the API server refuses ${JSON.stringify(object)}`, async () => {
    const found = await problemsIn(stringify(object));
    assert.deepEqual(
      found.filter(({ level }) => level === 'error'),
      [],
    );
  });

describe('check names the one problem of', () => {
  for (const [object, line, says] of ROWS)
    test(JSON.stringify(object), async () => {
      const others = [deployment({ template: {} }), config];
      const found = await problemsIn(
        [others[0], object, others[1]].map((each) => stringify(each)).join('---\n'),
      );
      const [problem, ...more] = found.filter(({ rule }) => ['invalid', 'not-text'].includes(rule));
      assert.deepEqual(more, []);
      assert.match(problem?.says ?? '', says);
      assert.equal(problem?.level, 'error');
      const lines = readFileSync(problem?.file ?? '', 'utf8').split('\n');
      assert.ok(lines[(problem?.line ?? 0) - 1]?.includes(line), String(problem?.line));
    });
});

test('a name of another kind, one that is generated and every valid key are right', async () => {
  const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'system:Web' } };
  const data = { '.a': '', 'A_b-c.d': '', ['a'.repeat(253)]: '' };
  const generated = { ...config, metadata: { generateName: 'web-' }, data };
  assert.deepEqual(await problemsIn(`${stringify(role)}---\n${stringify(generated)}`), []);
});

test('objects whose names are generated from one are each an object of its own', async () => {
  const files = ['a', 'b'].map((name) => path.join(folder, `${name}.yaml`));
  for (const file of files) {
    const annotations = { [`${NATIVE}/configmap`]: path.basename(file) };
    writeFileSync(
      file,
      stringify({ ...deployment({ template: {} }), metadata: { generateName: 'web-', annotations } }),
    );
  }
  const { problems } = await check(files, { namespace: 'default', settings: [], isStrict: false });
  assert.deepEqual(
    problems.map(({ says }) => /ConfigMap\/(\S+) not found/.exec(says)?.[1]),
    ['a.yaml', 'b.yaml'],
  );
});

test('a mark of an object among its labels has no effect', async () => {
  const key = `${STAKATER}/match`;
  const found = await problemsIn(
    stringify({ ...config, metadata: { name: 'web', labels: { [key]: 'true' } } }),
  );
  const shown = found.map(({ rule, about, line }) => [rule, about, line]);
  assert.deepEqual(shown, [['misplaced', key, 6]]);
});

for (const number of ['0o14', '-0o7', '0b11'])
  test(`${number} is a number to kubectl`, async () => {
    const text = stringify({ ...config, metadata: { name: 'web', annotations: { a: 'x' } } });
    const [{ rule } = {}] = await problemsIn(text.replace('a: x', `a: ${number}`));
    assert.equal(rule, 'not-text');
  });

for (const word of ['e1', '+e10', '.e3', '.'])
  test(`${word} is a text to kubectl`, async () => {
    const text = stringify({ ...config, metadata: { name: 'web', annotations: { a: 'x' } } });
    assert.deepEqual(await problemsIn(text.replace('a: x', `a: ${word}`)), []);
  });

for (const swaps of [false, true])
  test(`UTF-16 with a byte order mark is read, big-endian: ${swaps}`, async () => {
    const bytes = Buffer.from(`\uFEFF${stringify(config)}`, 'utf16le');
    writeFileSync(path.join(folder, 'all.yaml'), swaps ? bytes.swap16() : bytes);
    const [read] = await readManifests([path.join(folder, 'all.yaml')]);
    assert.equal(read?.object.metadata.name, 'web');
  });

test('one JSON object may follow another', async () => {
  const other = { ...config, metadata: { name: 'other', labels: { a: 5 } } };
  const found = await problemsIn(
    [config, other].map((each) => JSON.stringify(each, undefined, 1)).join('\n'),
  );
  assert.deepEqual(
    found.map(({ rule, line }) => [rule, line]),
    [['not-text', 14]],
  );
});

test('a key that YAML takes for true or false is one', async () => {
  writeFileSync(
    path.join(folder, 'all.yaml'),
    `${stringify(config)}data:\n  n: "5"\n  "y": "6"\n  true: "8"\n`,
  );
  const [read] = await readManifests([path.join(folder, 'all.yaml')]);
  const { data = {} } = (read?.object ?? {}) as Partial<RawConfigObject>;
  assert.deepEqual(Object.keys(data), ['false', 'y', 'true']);
});

test('neither a document that is no YAML nor a key that is there twice hides the others', async () => {
  const others = stringify({ ...config, metadata: { name: 'other', labels: 5 } });
  const twice = `${stringify(config)}data:\n  a: b\n  a: c\n`;
  const found = await problemsIn(`a: [\n---\n${twice}---\n${others}`);
  assert.deepEqual(
    found.map(({ rule, line, says }) => [rule, line, says.includes('DUPLICATE_KEY')]),
    [
      ['unreadable', 2, false],
      ['unreadable', 9, true],
      ['not-text', 15, false],
    ],
  );
  await assert.rejects(readManifests([path.join(folder, 'all.yaml')]), /all\.yaml:2 is not valid YAML/);
  writeFileSync(path.join(folder, 'all.yaml'), twice);
  await assert.rejects(
    readManifests([path.join(folder, 'all.yaml')]),
    /all\.yaml:7 is not valid YAML \(DUPLICATE_KEY\)/,
  );
});

/** Fields that the program reads, in objects of any kind. */
const FIELDS = [
  'metadata',
  ...[
    'name namespace uid resourceVersion generation creationTimestamp deletionTimestamp managedFields',
    'ownerReferences finalizers labels annotations',
  ].flatMap((words) => fieldsIn('metadata', words)),
  ...[`${NATIVE}/configmap`, `${NATIVE}/hold`, `${STAKATER}/auto`].map(
    (key) => `metadata annotations ${key}`,
  ),
  ...fieldsIn('spec', 'replicas template jobTemplate triggers updateStrategy strategy workloadRef restartAt'),
  ...fieldsIn('spec strategy canary', 'steps'),
  ...fieldsIn('spec template', 'metadata spec'),
  ...fieldsIn('spec jobTemplate', 'metadata spec'),
  ...fieldsIn('spec template metadata', 'labels annotations'),
  ...fieldsIn('spec template spec', 'containers initContainers volumes'),
  ...fieldsIn('spec template spec containers 0', 'name args env envFrom volumeMounts resources'),
  ...fieldsIn('spec template spec containers 0 env 0', 'name value valueFrom'),
  ...fieldsIn('spec template spec containers 0 envFrom 0', 'configMapRef secretRef'),
  ...fieldsIn('spec template spec containers 0 volumeMounts 0', 'name subPath'),
  ...fieldsIn('spec template spec volumes 0', 'name configMap secret projected csi'),
  ...fieldsIn('spec template spec volumes 0 configMap', 'name items'),
  ...fieldsIn('spec template spec volumes 0 projected', 'sources'),
  ...fieldsIn('status', 'conditions pauseConditions objects phase'),
  ...['spec', 'status', 'data', 'binaryData', 'stringData', 'items', 'kind', 'apiVersion'],
];
const KINDS: Words = {
  Deployment: 'apps/v1',
  StatefulSet: 'apps/v1',
  CronJob: 'batch/v1',
  Job: 'batch/v1',
  Rollout: 'argoproj.io/v1alpha1',
  DeploymentConfig: 'apps.openshift.io/v1',
  Thing: 'example.com/v1',
  ConfigMap: 'v1',
  Secret: 'v1',
  SecretProviderClassPodStatus: 'secrets-store.csi.x-k8s.io/v1',
  Namespace: 'v1',
  List: 'v1',
};
const EVERYTHING = [
  '--enable-csi-integration=true',
  '--is-Argo-Rollouts=true',
  '--is-openshift=true',
  '--workload-kinds=example.com/v1/things:spec.template',
  '--dialects=collaborne,stakater,sap,wave',
  '--job-reload=recreate',
  '--cronjob-reload=run-now',
];

function fieldsIn(place: string, words: string): readonly string[] {
  return words.split(' ').map((word) => `${place} ${word}`);
}

/** The object with the value in the field; `0` is the first item of a list. */
function withValue(object: unknown, [field, ...rest]: readonly string[], value: unknown): unknown {
  if (field === undefined) return value;
  if (field === '0') return [withValue({ name: 'app' }, rest, value)];
  const fields = { ...(object as Readonly<Record<string, unknown>>) };
  return { ...fields, [field]: withValue(fields[field] ?? {}, rest, value) };
}

test('no value of any type in any field stops the check', async () => {
  const containers = [{ name: 'reloader', volumeMounts: [{ name: 'app' }] }];
  const labels = { 'app.kubernetes.io/part-of': 'kubernetes-reloader' };
  const annotations = { [`${NATIVE}/auto`]: 'true', [`${STAKATER}/auto`]: 'true' };
  const objects = fc
    .tuple(fc.constantFrom(...Object.keys(KINDS)), fc.constantFrom(...FIELDS), fc.jsonValue({ maxDepth: 2 }))
    .map(([kind, field, value]) => {
      const metadata = { name: 'web', annotations, labels };
      const object = {
        apiVersion: KINDS[kind],
        kind,
        metadata,
        spec: { template: { spec: { containers } } },
      };
      return withValue(object, field.split(' '), value);
    });
  await fc.assert(
    fc.asyncProperty(fc.array(objects, { minLength: 1, maxLength: 8 }), async (each) => {
      const text = each.map((object) => JSON.stringify(object)).join('\n---\n');
      // A reloader with flags that it does not know has no answer.
      await problemsIn(text, EVERYTHING).catch((error: unknown) => {
        assert.ok(
          error instanceof CommandError && /^Deployment .*(flag|expected)/.test(error.message),
          error as Error,
        );
      });
    }),
    { numRuns: 50 },
  );
});
