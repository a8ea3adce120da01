/** `reloader check` as a command: what it reads, what it writes, and its exit code. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { stringify } from 'yaml';
import { runCheck } from '../../../lib/commands/manifests/check.ts';
import type { CommandContext } from '../../../lib/commands/run-command.ts';
import { formatted, type Terminal } from '../../../lib/commands/terminal.ts';

/** A workload whose annotation names an object that is not there. */
function workload(kind: string, word: string): string {
  const annotations = { [`reloader.k8s.collaborne.com/${word}`]: 'none' };
  return stringify({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name: 'web', annotations },
    spec: { template: {} },
  });
}

describe('check', () => {
  let tree = '';
  before(() => {
    tree = mkdtempSync(path.join(tmpdir(), 'reloader-check-'));
    mkdirSync(path.join(tree, 'charts', 'templates'), { recursive: true });
    writeFileSync(path.join(tree, 'a.yaml'), workload('DaemonSet', 'configmap'));
    writeFileSync(path.join(tree, 'b.yaml'), workload('Deployment', 'confgmap'));
    writeFileSync(path.join(tree, 'c.json'), '{{ no }}: [');
    writeFileSync(path.join(tree, 'charts', 'templates', 'd.yaml'), '{{ no }}: [');
  });

  after(() => rmSync(tree, { recursive: true }));

  /** The exit code, and the answer. */
  async function run(flags: Partial<CommandContext['flags']>): Promise<readonly [number, string]> {
    const terminal: Terminal = {
      paint: (_, words) => words,
      write: async () => undefined,
      note: () => undefined,
    };
    const all = { output: 'text', file: [tree], ...flags };
    const {
      answer,
      text,
      code = 0,
    } = await runCheck({ operands: [], settings: [], env: {}, terminal, flags: all });
    return [code, formatted(all.output, answer, text)];
  }

  test('an unreadable file is a problem, in the order of files, and the others are checked', async () => {
    const [code, answer] = await run({});
    assert.equal(code, 2);
    const found = answer
      .split('\n')
      .flatMap((line) => /(\w\.\w+):.*\[(.+)\]$/.exec(line)?.slice(1).join(' ') ?? []);
    assert.deepEqual(found, ['a.yaml missing', 'b.yaml mistyped', 'c.json unreadable', 'd.yaml unreadable']);
  });

  for (const exclude of ['charts', 'charts/', './charts/templates', '*/templates/*.yaml', 'd.yaml'])
    test(`what --exclude ${exclude} fits is not read`, async () => {
      const [, answer] = await run({ exclude: [exclude] });
      assert.ok(!answer.includes('d.yaml') && answer.includes('c.json'), answer);
    });

  test('--fail-on says which level counts', async () => {
    const exclude = ['b.yaml', 'c.json', 'charts'];
    assert.deepEqual(
      await Promise.all(['error', 'warning'].map(async (failOn) => (await run({ exclude, failOn }))[0])),
      [0, 2],
    );
    assert.equal((await run({ failOn: 'error' }))[0], 2);
  });

  test('files without a manifest are counted in a folder, and wrong where they are named', async () => {
    const folder = path.join(tree, 'charts');
    const texts = {
      'values.yaml': 'image: web',
      'Chart.yaml': 'apiVersion: v2\nname: shop',
      'kustomization.yaml': 'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization',
      'good.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}',
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(path.join(folder, name), text);
    const places = [folder, ...Object.keys(texts).map((name) => path.join(folder, name))];
    const answers = places
      .slice(0, 3)
      .map(async (place) => await run({ file: [place], exclude: ['d.yaml'] }));
    const [all, values, chart] = await Promise.all(answers);
    assert.deepEqual(all, [
      0,
      "1 object, 0 problems with the reloader's annotations, 3 files without a manifest\n",
    ]);
    assert.equal(values?.[0], 2);
    assert.match(
      values?.[1] ?? '',
      /values\.yaml:1: error: is no manifest: apiVersion is missing and kind is missing/,
    );
    assert.match(chart?.[1] ?? '', /Chart\.yaml:1: error: is no manifest: kind is missing/);
  });

  test('neither a link to a folder nor a pipe is followed, and a file that is named twice is read once', async () => {
    const folder = path.join(tree, 'charts', 'links');
    mkdirSync(folder);
    symlinkSync('.', path.join(folder, 'around.yaml'));
    execFileSync('mkfifo', [path.join(folder, 'pipe.yaml')]);
    writeFileSync(path.join(folder, 'web.yaml'), 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}');
    const [, answer] = await run({ file: [folder, path.join(folder, 'web.yaml')] });
    assert.match(
      answer,
      /around\.yaml:1: error: cannot be read \(EISDIR\) \[unreadable\]\n1 object, 1 problem\n$/,
    );
    rmSync(folder, { recursive: true });
  });

  test('nothing read is an error', async () => {
    await assert.rejects(run({ exclude: ['*'] }), /there is no object in/);
    await assert.rejects(run({ file: ['/dev/null'] }), /there is no object in \/dev\/null/);
  });

  test('programs get the object in its parts', async () => {
    const [, answer] = await run({ output: 'json', exclude: ['charts'] });
    const { apiVersion, objects, problems } = JSON.parse(answer);
    assert.deepEqual([apiVersion, objects], ['kubernetes-reloader/v1', 2]);
    assert.deepEqual(problems[0].object, { kind: 'DaemonSet', namespace: 'default', name: 'web' });
    assert.equal(problems.at(-1).object, undefined);
  });
});
