/** etcd, kube-apiserver and what makes pods of Deployments, as processes on 127.0.0.1, for one test file. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../integration/reloader-process.ts';
import { objectsOf, pick } from '../sandbox/json.ts';
import { type Assets, findAssets, HOW_TO_HAVE_IT, programOf } from './assets.ts';
import { type AuditedRequest, readAuditLog } from './audit-log.ts';
import { RealCluster } from './cluster.ts';
import {
  apiServerFlags,
  controllerFlags,
  etcdFlags,
  kwokFlags,
  type Ports,
  schedulerFlags,
} from './command-lines.ts';
import { freePort } from './free-port.ts';
import { Processes, type Running, tailOf } from './processes.ts';
import type { Program } from './recipe.ts';
import { senderTo } from './sender.ts';
import { type Settings, type User, writeSettings } from './settings.ts';

const PATIENCE_MS = 60_000;
/** What pods run on. */
const NODES = ['node-1', 'node-2'];
/** As a kubelet has them: manifests select by it. */
const NODE_LABELS = { 'kubernetes.io/os': 'linux' };
/** Somebody else may take a port between its choice and its use. */
const ATTEMPTS = 3;

/** How much of a control plane is started. */
export interface StartOptions {
  /** Whether there are controllers, a scheduler and nodes; without, nothing changes that no test changes. @default true */
  readonly withPods?: boolean;
  /** Further flags of the API server. @default none */
  readonly flags?: readonly string[];
  /** Further stages of kwok, as text. @default none */
  readonly stages?: readonly string[];
}

/** What a control plane is made of, before it runs. */
interface Parts {
  readonly assets: Assets;
  readonly settings: Settings;
  readonly ports: Ports;
  readonly processes: Processes;
  /** Further flags of the API server. */
  readonly flags: readonly string[];
  /** Further files of kwok. */
  readonly stages: readonly string[];
}

/**
 * A control plane of one's own. Authorization is RBAC, admission is Kubernetes' default, and every request is in an
 * audit log. Everything is thrown away at the end.
 */
export class ControlPlane extends RealCluster {
  readonly #parts: Parts;
  #apiServer: Running;
  /** The processes that make pods of workloads. */
  #controllers: readonly Running[] = [];
  #markers = 0;

  private constructor(parts: Parts, apiServer: Running) {
    const { assets, settings, ports } = parts;
    const own = programOf(assets, 'kubectl');
    super({
      url: urlOf(ports),
      ca: readFileSync(certificateOf(settings), 'utf8'),
      adminToken: settings.tokens.admin,
      kubectl: existsSync(own) ? own : 'kubectl',
      hasPods: assets.hasPods,
      hasAccounts: true,
      folder: settings.folder,
    });
    this.#parts = parts;
    this.#apiServer = apiServer;
  }

  /**
   * Starts one; it is ready for everything when this resolves.
   *
   * @throws when nothing is built, or when a process does not become ready; the end of its log is in the message
   */
  static async start({ withPods = true, flags = [], stages = [] }: StartOptions = {}): Promise<ControlPlane> {
    const found = findAssets();
    const assets = found && { ...found, hasPods: found.hasPods && withPods };
    if (assets === undefined) throw new Error(`there is no control plane: ${HOW_TO_HAVE_IT}`);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await ControlPlane.#started(await partsOf(assets, { flags, stages }));
      } catch (error) {
        if (attempt === ATTEMPTS || !/address already in use/.test(String(error))) throw error;
      }
    }
  }

  static async #started(parts: Parts): Promise<ControlPlane> {
    try {
      const etcd = startProgram(parts, 'etcd', etcdFlags(parts.settings, parts.ports));
      const plane = new ControlPlane(parts, await readyApiServer(parts, etcd));
      if (parts.assets.hasPods) await plane.#startWithNodes();
      return plane;
    } catch (error) {
      await thrownAway(parts);
      throw error;
    }
  }

  /** Every request since the start, but those of the control plane's own parts, in the order of their answers. */
  async audit(): Promise<AuditedRequest[]> {
    this.#markers += 1;
    const marker = `/version?marker=${this.#markers}`;
    await this.ask('GET', marker);
    let requests: AuditedRequest[] = [];
    // A line is written after its answer: what was answered before the marker is there when the marker is.
    await until('the audit log is written', async () => {
      requests = await readAuditLog(this.#parts.settings.auditLog);
      return requests.some(({ uri }) => uri === marker);
    });
    return requests.filter(({ uri }) => !uri.startsWith('/version?marker='));
  }

  /** The processes that run now. */
  pids(): readonly number[] {
    return this.#parts.processes.pids();
  }

  /** Starts a further program, with a kubeconfig of `user` and these flags; it ends with the control plane. */
  async startBeside(program: string, user: User, flags: readonly string[]): Promise<Running> {
    const { processes, settings } = this.#parts;
    const kubeconfig = await this.kubeconfig({ token: settings.tokens[user] });
    return processes.start(path.basename(program), program, [`--kubeconfig=${kubeconfig}`, ...flags]);
  }

  override servingCertificate(): { readonly key: string; readonly cert: string } {
    const key = readFileSync(path.join(this.#parts.settings.certificates, 'apiserver.key'), 'utf8');
    return { key, cert: this.access.ca };
  }

  /**
   * Ends the API server: every connection breaks, and new ones are refused. The controllers end too: after an outage,
   * their watches wait up to a minute before they try again.
   */
  async killApiServer(): Promise<void> {
    await Promise.all([this.#apiServer, ...this.#controllers].map((each) => each.kill()));
  }

  /** Starts both again, at the same address and with the same certificate; the API server is ready when this resolves. */
  async startApiServer(): Promise<void> {
    this.#apiServer = await readyApiServer(this.#parts);
    if (this.#controllers.length > 0) await this.#startControllers();
  }

  /**
   * Makes etcd forget all versions before the present one. An API server that runs may still answer some from memory;
   * one that was restarted answers 410.
   */
  async compact(): Promise<void> {
    const { header } = await this.#etcd<{ header: { revision: string } }>('range', { key: 'AA==' });
    await this.#etcd('compaction', { revision: header.revision, physical: true });
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await super[Symbol.asyncDispose]();
    await thrownAway(this.#parts);
  }

  async #etcd<T>(call: string, body: object): Promise<T> {
    const url = `http://127.0.0.1:${this.#parts.ports.etcd}/v3/kv/${call}`;
    const response = await fetch(url, { method: 'POST', body: JSON.stringify(body) });
    if (!response.ok) throw new Error(`etcd: ${call}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }

  async #startControllers(): Promise<void> {
    const { assets, settings, stages } = this.#parts;
    const kubeconfigOf = (user: User): Promise<string> => this.kubeconfig({ token: settings.tokens[user] });
    this.#controllers = [
      startProgram(
        this.#parts,
        'kube-controller-manager',
        controllerFlags(settings, await kubeconfigOf('kube-controller-manager')),
      ),
      startProgram(this.#parts, 'kube-scheduler', schedulerFlags(await kubeconfigOf('kube-scheduler'))),
      startProgram(this.#parts, 'kwok', kwokFlags([...assets.stages, ...stages], await kubeconfigOf('kwok'))),
    ];
  }

  async #startWithNodes(): Promise<void> {
    await this.#startControllers();
    for (const name of NODES)
      await this.expect('POST', '/api/v1/nodes', { metadata: { name, labels: NODE_LABELS } });
    await untilRunning('pods can run', this.#controllers, () => this.#podsCanRun());
  }

  /** Whether pods would be admitted, and the nodes take them. */
  async #podsCanRun(): Promise<boolean> {
    const account = await this.ask('GET', '/api/v1/namespaces/default/serviceaccounts/default');
    if (account.status !== 200) return false;
    const { body } = await this.ask('GET', '/api/v1/nodes');
    return objectsOf(body['items']).every((node) => {
      const conditions = objectsOf(pick(node, 'status', 'conditions'));
      const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
      return isReady && objectsOf(pick(node, 'spec', 'taints')).length === 0;
    });
  }
}

async function partsOf(
  assets: Assets,
  { flags, stages }: Required<Pick<StartOptions, 'flags' | 'stages'>>,
): Promise<Parts> {
  const folder = await mkdtemp(path.join(tmpdir(), 'control-plane-'));
  const ports = { etcd: await freePort(), api: await freePort() };
  const files = stages.map((text, index) => {
    const file = path.join(folder, `stage-${index}.yaml`);
    writeFileSync(file, text);
    return file;
  });
  const settings = writeSettings(folder);
  return { assets, settings, ports, processes: new Processes(folder), flags, stages: files };
}

async function thrownAway({ processes, settings }: Parts): Promise<void> {
  await processes[Symbol.asyncDispose]();
  await rm(settings.folder, { recursive: true, force: true });
}

function startProgram({ assets, processes }: Parts, program: Program, flags: readonly string[]): Running {
  return processes.start(program, programOf(assets, program), flags);
}

async function readyApiServer(parts: Parts, ...needed: readonly Running[]): Promise<Running> {
  const { settings, ports } = parts;
  const flags = [...apiServerFlags(settings, ports), ...parts.flags];
  const running = startProgram(parts, 'kube-apiserver', flags);
  await untilRunning('the API server is ready', [...needed, running], async () => {
    if (!existsSync(certificateOf(settings))) return false;
    return await isReady(urlOf(ports), readFileSync(certificateOf(settings), 'utf8'));
  });
  return running;
}

async function isReady(url: string, ca: string): Promise<boolean> {
  const { send, close } = senderTo({ url, ca });
  try {
    const response = await send({ method: 'GET', path: '/readyz' });
    for await (const _ of response.body);
    return response.status === 200;
  } catch {
    return false; // it does not listen yet
  } finally {
    close();
  }
}

/** As `until`; rejects at once when one of the processes has ended. */
async function untilRunning(
  what: string,
  processes: readonly Running[],
  condition: () => Promise<boolean>,
): Promise<void> {
  const checked = (): Promise<boolean> => {
    const ended = processes.find((each) => each.hasEnded());
    if (ended !== undefined) throw new Error(`${ended.name} has ended`);
    return condition();
  };
  try {
    await until(what, checked, PATIENCE_MS);
  } catch (error) {
    throw new Error(`${String(error)}\n${processes.map((each) => tailOf(each)).join('\n--\n')}`, {
      cause: error,
    });
  }
}

function urlOf({ api }: Ports): string {
  return `https://127.0.0.1:${api}`;
}

function certificateOf({ certificates }: Settings): string {
  return path.join(certificates, 'apiserver.crt');
}
