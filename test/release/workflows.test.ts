/** The workflows: valid, pinned, with no more rights than they need, and with nothing in their scripts that others write. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import manifest from '../../package.json' with { type: 'json' };
import { programOnPath, skipWithout } from '../install/tools.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FILES = globSync('.github/workflows/*.yml', { cwd: ROOT }).sort();
const actionlint = programOnPath('actionlint');
/** A constant of the workflow itself. */
const HARMLESS = /^\$\{\{ matrix\.run \}\}$/;

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, { readonly permissions?: object; readonly steps: readonly Step[] }>>;
}

test('actionlint has nothing to say', { skip: skipWithout(actionlint, 'actionlint') }, () => {
  assert.equal(execFileSync(actionlint ?? '', { cwd: ROOT, encoding: 'utf8' }), '');
});

test('there are ci, nightly and release', () => {
  assert.deepEqual(
    FILES.map((file) => path.basename(file, '.yml')),
    ['ci', 'nightly', 'release'],
  );
});

test('one action has one version in all workflows', () => {
  const uses = FILES.flatMap((file) => [...text(file).matchAll(/uses: (\S+?)@(.*)/g)]);
  const versions = Map.groupBy(uses, ([, action]) => action);
  for (const [action, found] of versions) assert.equal(new Set(found.map(([, , at]) => at)).size, 1, action);
});

for (const file of FILES) {
  describe(file, () => {
    const workflow = parse(text(file)) as Workflow;
    const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

    test('pins every action by a commit, with its version', () => {
      for (const [line] of text(file).matchAll(/uses:.*/g))
        assert.match(line, /^uses: [\w.-]+\/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    });

    test('may read the repository, and nothing else unless a job says so', () => {
      assert.deepEqual(workflow.permissions, { contents: 'read' });
      const more = Object.entries(workflow.jobs).filter(([, { permissions }]) => permissions !== undefined);
      const expected = file.endsWith('release.yml') ? ['image', 'publish'] : [];
      assert.deepEqual(
        more.map(([name]) => name),
        expected,
      );
    });

    test('leaves no token in a clone', () => {
      for (const { uses, with: inputs } of steps)
        if (uses?.startsWith('actions/checkout@')) assert.equal(inputs?.['persist-credentials'], false);
    });

    test('fills nothing into its scripts', () => {
      const filled = steps.flatMap(({ run = '' }) => run.match(/\$\{\{[^}]*\}\}/g) ?? []);
      assert.deepEqual(
        filled.filter((expression) => !HARMLESS.test(expression)),
        [],
      );
    });

    test('runs npm on the Node that the tests run on', () => {
      const versions = [...text(file).matchAll(/node-version: (\S+)/g)].map(([, version]) => version);
      assert.deepEqual([...new Set(versions)], [manifest.devDependencies.node]);
    });
  });
}

function text(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
