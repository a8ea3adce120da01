/** What `reloader check` finds in manifests that are right by themselves, and have no effect. */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { stringify } from 'yaml';
import { check } from '../../../lib/commands/manifests/check.ts';
import { configMap, deployment } from './plans.ts';
import { follows, podOf, type Words } from './world.ts';

const NATIVE = 'reloader.k8s.collaborne.com';
const STAKATER = 'reloader.stakater.com';
const LIST = `configmap.${STAKATER}/reload`;
const AUTO = { [`${STAKATER}/auto`]: 'true' };
const EXCLUDED = { [`${NATIVE}/exclude-configmap`]: 'web' };

let folder = '';
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'reloader-effects-'));
});
after(() => rmSync(folder, { recursive: true }));

function marked(annotations: Words): object {
  return { ...configMap(), metadata: { name: 'web', annotations } };
}

function withTemplate(metadata: object, annotations: Words = follows('web')): object {
  const spec = { selector: { matchLabels: { app: 'web' } }, template: { metadata, spec: podOf(['web']) } };
  return { ...deployment('app:1', annotations), spec };
}

function onTemplate(annotations: Words, own: Words): object {
  return withTemplate({ labels: { app: 'web' }, annotations }, own);
}

/** The object with a value in another field. */
function withField(object: unknown, [field = '', ...rest]: readonly string[], value: object): object {
  const fields = { ...(object as Readonly<Record<string, unknown>>) };
  return { ...fields, [field]: rest.length === 0 ? value : withField(fields[field] ?? {}, rest, value) };
}

const HELD = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'shop', annotations: { [`${NATIVE}/hold`]: 'true' } },
};

/** By manifests: the rules of what is found, and what one of them says. */
const ROWS: Readonly<Record<string, readonly [objects: readonly object[], rules: string, says?: RegExp]>> = {
  'a word of the template beside those of the workload': [
    [onTemplate({ [LIST]: 'other' }, { [LIST]: 'web' }), configMap()],
    'misplaced',
    /configmap\.reloader\.stakater\.com\/reload is on the pod template, .* beside the annotations of the workload/,
  ],
  'the same word with the same value': [[onTemplate(AUTO, AUTO), configMap()], ''],
  'a word of the template for another kind': [
    [onTemplate(AUTO, { [`secret.${STAKATER}/auto`]: 'true' }), configMap()],
    '',
  ],
  'an exclude list of the template': [
    [onTemplate({ [`configmaps.exclude.${STAKATER}/reload`]: 'other' }, AUTO), configMap()],
    'misplaced',
  ],
  'a hold of a namespace without the flag': [
    [HELD],
    'unserved',
    /hold has an effect on a Namespace only with --all-namespaces and --namespace-annotations/,
  ],
  'a named object that is excluded': [
    [deployment('app:1', { ...follows('web'), ...EXCLUDED }), configMap()],
    'excluded',
    /ConfigMap\/web rolls nothing: .*exclude-configmap/,
  ],
  'an excluded object that no annotation names': [
    [deployment('app:1', { [`${NATIVE}/auto`]: 'true', ...EXCLUDED }), configMap()],
    '',
  ],
  'a named object that is ignored': [
    [deployment('app:1', follows('web')), marked({ [`${NATIVE}/ignore`]: 'true' })],
    'ignored',
  ],
  ...Object.fromEntries(
    [
      'annotations',
      'spec.annotations',
      'spec.template.spec.annotations',
      'spec.template.metadata.labels',
    ].map((place) => [
      `a word in ${place}`,
      [
        [withField(deployment('app:1', follows('web')), place.split('.'), AUTO), configMap()],
        'misplaced',
        new RegExp(`auto is in ${place},`),
      ],
    ]),
  ),
  'a word in a custom object, which its operator may read': [
    [{ apiVersion: 'a.io/v1', kind: 'Thing', metadata: { name: 'a' }, spec: { annotations: AUTO } }],
    '',
  ],
};
for (const [name, [objects, rules, says = /^/]] of Object.entries(ROWS))
  test(`${name}: ${rules || 'nothing'}`, async () => {
    const file = path.join(folder, 'all.yaml');
    writeFileSync(file, objects.map((object) => stringify(object)).join('---\n'));
    const { problems } = await check([file], { namespace: 'default', settings: [], isStrict: false });
    assert.equal(problems.map(({ rule }) => rule).join(), rules, JSON.stringify(problems));
    assert.match(problems[0]?.says ?? '', says);
    const [, key = ''] = /^(\S+) is in /.exec(problems[0]?.says ?? '') ?? [];
    assert.match(readFileSync(file, 'utf8').split('\n')[(problems[0]?.line ?? 1) - 1] ?? '', new RegExp(key));
  });

test('a hold of a namespace counts with the flag', async () => {
  const file = path.join(folder, 'held.yaml');
  writeFileSync(file, stringify(HELD));
  const settings = ['-A', '--namespace-annotations'];
  assert.deepEqual((await check([file], { namespace: 'default', settings, isStrict: false })).problems, []);
});
