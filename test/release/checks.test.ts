/** What `npm run release:check` looks for is found where it is broken, and only there. */

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import manifest from '../../package.json' with { type: 'json' };
import { changelogFaults, packFaults, sbomFaults, type Texts, versionFaults } from './checks.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOUND: Texts = {
  'package.json': '{"version":"1.2.3"}',
  'package-lock.json': '{"version":"1.2.3","packages":{"":{"version":"1.2.3"}}}',
  Dockerfile: '# docker build -t registry.example.com/kubernetes-reloader:1.2.3 .',
  'k8s/base/kustomization.yaml': 'app.kubernetes.io/version: 1.2.3',
  'k8s/chart/Chart.yaml': 'apiVersion: v2\nversion: 1.2.3\nappVersion: "1.2.3"\nkubeVersion: ">=1.22.0-0"',
};

test('one version everywhere is no fault', () => {
  assert.deepEqual(versionFaults(SOUND), []);
  assert.deepEqual(versionFaults(SOUND, 'v1.2.3'), []);
});

for (const [file, text] of Object.entries(SOUND)) {
  for (const [index] of [...text.matchAll(/1\.2\.3/g)].entries()) {
    test(`another version in ${file}, the ${index + 1}. one, is a fault`, () => {
      let seen = -1;
      const changed = text.replaceAll('1.2.3', (same) => {
        seen += 1;
        return seen === index ? '1.2.4' : same;
      });
      assert.notDeepEqual(versionFaults({ ...SOUND, [file]: changed }), []);
    });
  }
}

test('a tag of another version is a fault', () => {
  assert.deepEqual(versionFaults(SOUND, 'v1.2.4'), ['the tag: version 1.2.4, package.json has 1.2.3']);
});

test('a release needs a section of its version, with a date, in the changelog', () => {
  assert.deepEqual(changelogFaults('## [1.2.3] - 2030-01-02\n', '1.2.3', true), []);
  assert.notDeepEqual(changelogFaults('## [Unreleased]\n', '1.2.3', true), []);
  assert.notDeepEqual(changelogFaults('## [1.2.3]\n', '1.2.3', true), []);
  assert.notDeepEqual(changelogFaults('## [11293] - 2030-01-02\n', '1.2.3', true), []);
  assert.deepEqual(changelogFaults('## [Unreleased]\n', '1.2.3', false), []);
  assert.notDeepEqual(changelogFaults('', '1.2.3', false), []);
});

const PACKED = [
  'CHANGELOG.md',
  'LICENSE',
  'README.md',
  'dist/THIRD-PARTY-NOTICES.txt',
  'dist/reloader.mjs',
  'dist/sbom.cdx.json',
  'k8s/base/deployment.yaml',
  'package.json',
];

test('a package that lacks a file, or holds another, is a fault', () => {
  assert.deepEqual(packFaults(PACKED), []);
  for (const file of PACKED) assert.equal(packFaults(PACKED.filter((each) => each !== file)).length, 1, file);
  for (const file of ['.npmrc', 'lib/app/app.ts', 'test/run.ts'])
    assert.equal(packFaults([...PACKED, file]).length, 1, file);
});

const SBOM = readFileSync(path.join(ROOT, 'dist/sbom.cdx.json'), 'utf8');

test('the SBOM of the build names every package whose licence the notices have, and is sound', () => {
  assert.deepEqual(sbomFaults(SBOM, manifest.version), []);
  const notices = readFileSync(path.join(ROOT, 'dist/THIRD-PARTY-NOTICES.txt'), 'utf8');
  const first = notices.split(`\n${'-'.repeat(80)}\n\n`).map((notice) => notice.split('\n', 1)[0]);
  const { components } = JSON.parse(SBOM) as {
    components: readonly Record<'name' | 'version', string>[];
  };
  const named = components.map(({ name, version }) => `${name} ${version} `);
  assert.deepEqual(
    first.filter((line) => !named.some((start) => line?.startsWith(start))),
    [],
  );
});

test('an SBOM with something missing is a fault', () => {
  assert.notDeepEqual(sbomFaults(SBOM, '9.9.9'), []);
  const broken: readonly [string | RegExp, string][] = [
    ['"specVersion": "1.6"', '"specVersion": "1.5"'],
    [/pkg:npm\/commander@/g, 'pkg:npm/commander'],
    ['"expression": "ISC"', '"expression": "see LICENSE.md, please"'],
    ['"name": "commander"', '"name": ""'],
    ['"components": [', '"others": ['],
  ];
  for (const [from, to] of broken) {
    const changed = SBOM.replace(from, to);
    assert.notEqual(changed, SBOM, to);
    assert.notDeepEqual(sbomFaults(changed, manifest.version), [], to);
  }
});

const checkNode = path.join(import.meta.dirname, 'check-node');

test('the Node that the tests run on has the digest that is recorded for it', () => {
  const said = execFileSync(checkNode, [process.execPath], { encoding: 'utf8' });
  if (process.platform === 'linux') assert.equal(said, '');
  const recorded = readFileSync(path.join(import.meta.dirname, 'node.sha256'), 'utf8')
    .trim()
    .split('\n');
  for (const line of recorded)
    assert.match(
      line,
      new RegExp(`^[0-9a-f]{64} {2}node-v${manifest.devDependencies.node}-linux-(x64|arm64)$`),
    );
});

test('another program than the recorded one is refused', { skip: process.platform !== 'linux' }, () => {
  const { status, stderr } = spawnSync(checkNode, [import.meta.filename], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /is not the Node/);
});
