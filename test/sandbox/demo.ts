/**
 * The main job on a machine without a cluster: an embedded API server, the bundled reloader as a process of its own, a
 * ConfigMap that changes, and the Deployment that is rolled for it. Exits 0 only if it was rolled exactly once.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createSandbox, type Sandbox } from './sandbox.ts';
import { kubeconfig, serve } from './serve.ts';

const NAMESPACE = 'default';
const BUNDLE = path.resolve(import.meta.dirname, '../../dist/reloader.mjs');
const WEB = { kind: 'Deployment', namespace: NAMESPACE, name: 'web' };
const PATIENCE_MS = 20_000;

const CONFIG = { metadata: { namespace: NAMESPACE, name: 'web' }, data: { greeting: 'hello' } };
const DEPLOYMENT = {
  metadata: {
    namespace: NAMESPACE,
    name: 'web',
    annotations: { 'reloader.k8s.collaborne.com/configmap': 'web' },
  },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [{ name: 'web', image: 'nginx:1.29', envFrom: [{ configMapRef: { name: 'web' } }] }],
      },
    },
  },
};

/** Resolves when `condition` holds; rejects with `what` when it has not for too long. */
async function until(what: string, condition: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function variablesOf(sandbox: Sandbox): readonly { readonly name: string; readonly value?: string }[] {
  const live = sandbox.get('deployments', NAMESPACE, 'web') as
    | { spec?: { template?: { spec?: { containers?: { env?: { name: string; value?: string }[] }[] } } } }
    | undefined;
  return live?.spec?.template?.spec?.containers?.[0]?.env ?? [];
}

function hasRolled(sandbox: Sandbox): boolean {
  const live = sandbox.get('deployments', NAMESPACE, 'web') as
    | {
        metadata?: { generation?: number };
        status?: { observedGeneration?: number; updatedReplicas?: number };
      }
    | undefined;
  return (
    live?.status?.observedGeneration === live?.metadata?.generation &&
    live?.status?.updatedReplicas === DEPLOYMENT.spec.replicas
  );
}

function isCommitted(sandbox: Sandbox): boolean {
  const state = sandbox.get('configmaps', NAMESPACE, 'reloader-state') as { data?: object } | undefined;
  return Object.keys(state?.data ?? {}).length > 0;
}

function say(line: string): void {
  process.stdout.write(`demo | ${line}\n`);
}

async function play(sandbox: Sandbox): Promise<void> {
  await until('the baseline is recorded', () => isCommitted(sandbox));
  say('the reloader knows what the pods run; now ConfigMap/web changes');
  const revisions = (): number => sandbox.revisions(WEB).length;
  const before = revisions();
  sandbox.patch('configmaps', NAMESPACE, 'web', { data: { greeting: 'good evening' } });
  await until('Deployment/web is stamped', () => variablesOf(sandbox).length > 0);
  for (const { name, value } of variablesOf(sandbox)) say(`its pod template now has ${name}=${value ?? ''}`);
  await until('its pods run the new template', () => revisions() > before && hasRolled(sandbox));
  if (revisions() !== before + 1)
    throw new Error(`one rollout was expected, there were ${revisions() - before}`);
  say('one change, one rollout');
}

async function main(): Promise<void> {
  const sandbox = createSandbox();
  sandbox.create('configmaps', CONFIG);
  sandbox.create('deployments', DEPLOYMENT);
  const server = await serve(sandbox.handle);
  const folder = await mkdtemp(path.join(tmpdir(), 'reloader-demo-'));
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfig(server.url));
  const flags = ['--kubeconfig', file, '--namespace', NAMESPACE, '--port', '0', '--coalesce-period', '1s'];
  say(`reloader ${flags.slice(2).join(' ')}`);
  const reloader = spawn(process.execPath, [BUNDLE, ...flags], { stdio: 'inherit' });
  const ended = new Promise<void>((resolve) => reloader.once('exit', () => resolve()));
  try {
    await play(sandbox);
  } finally {
    reloader.kill('SIGTERM');
    await ended;
    await server.close();
    await rm(folder, { recursive: true });
  }
}

await main();
