/** The tour of docs/guides/commands.md: its scene, and its blocks as commands whose output is compared. */

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Cluster } from '../integration/harness.ts';
import { put } from '../integration/manifests.ts';
import { BUNDLE } from '../integration/reloader-process.ts';
import { readManifests } from '../sandbox/manifest-files.ts';
import { rowOfKind } from '../sandbox/resource-table.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGE = path.join(ROOT, 'docs/guides/commands.md');
/** A block that begins with `$ reloader …`; what follows is the output, and `# exits <n>` at its end the exit code if not 0. */
const BLOCK = /^```console\n\$ (?<line>reloader .*)\n(?<output>[\s\S]*?)^```$/gm;
const MOMENT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g;

/** A command of the page. */
export interface Step {
  readonly line: string;
  readonly output: string;
}

/** A command that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The commands of the page, in order. */
export function stepsOfPage(): readonly Step[] {
  return [...readFileSync(PAGE, 'utf8').matchAll(BLOCK)].map(({ groups = {} }) => ({
    line: groups['line'] ?? '',
    output: groups['output'] ?? '',
  }));
}

/** Writes the page anew with these outputs. */
export function writePage(outputs: readonly string[]): void {
  let index = 0;
  const text = readFileSync(PAGE, 'utf8').replaceAll(BLOCK, (_, line: string) => {
    const output = outputs[index] ?? '';
    index += 1;
    return `\`\`\`console\n$ ${line}\n${output}\`\`\``;
  });
  writeFileSync(PAGE, text);
}

/** Runs a command in the folder of the tour, as the person of `kubeconfig`. */
export async function run(line: string, kubeconfig: string, input = ''): Promise<Ended> {
  const words = line.split(' ').slice(1);
  const child = spawn(process.execPath, [BUNDLE, ...words], {
    cwd: import.meta.dirname,
    env: { PATH: process.env['PATH'], KUBECONFIG: kubeconfig },
  });
  const said = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      said[name] += text;
    });
  // A command that reads nothing may have ended already.
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  // A busy machine makes a command slow enough to report its progress.
  return { code, stdout: said.stdout, stderr: said.stderr.replaceAll('reading …\n', '') };
}

/** The output as the page shows it: no moments, and the exit code if it is not 0. */
export function shown({ code, stdout, stderr }: Ended): string {
  const text = `${stdout}${stderr}`.replaceAll(MOMENT, '2026-01-31T12:00:00.000Z');
  return code === 0 ? text : `${text}# exits ${code}\n`;
}

/** The cluster of the tour: a reloader has committed the objects, then ended, and the ConfigMap `web` has changed since. */
export async function openScene(): Promise<Cluster> {
  const cluster = await Cluster.start();
  cluster.sandbox.create('namespaces', { metadata: { name: 'billing' } });
  for (const folder of ['manifests', 'billing'])
    for (const { object } of readManifests(path.join(import.meta.dirname, folder)))
      cluster.sandbox.create(rowOfKind(String(object['kind'])).resource, withNamespace(object));
  const reloader = await cluster.reloader({ flags: ['--digests=sha1'] });
  const templates = { kind: 'ConfigMap', namespace: 'default', name: 'templates' } as const;
  put(cluster, templates, 'new');
  await cluster.until('the Event is there', () => cluster.sandbox.list('events').length > 0);
  await cluster.settled(reloader);
  await reloader.stop();
  put(cluster, { ...templates, name: 'web' }, 'new');
  return cluster;
}

function withNamespace(object: object): object {
  const { metadata = {}, ...rest } = object as { metadata?: object };
  return { ...rest, metadata: { namespace: 'default', ...metadata } };
}
