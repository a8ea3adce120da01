/** Rollouts of Argo that follow ConfigMaps, and reloaders with exactly the rights for them, behind a proxy. */

import assert from 'node:assert/strict';
import { ArgoRollouts } from '../control-plane/argo-rollouts.ts';
import type { ControlPlane } from '../control-plane/control-plane.ts';
import { isStable, RolloutScene, statusOf, WEB } from '../control-plane/rollout-scene.ts';
import { type Sender, senderTo } from '../control-plane/sender.ts';
import { FaultProxy, type OnWrite } from '../faults/fault-proxy.ts';
import { installRights } from '../faults/rights.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { type Json, type JsonObject, objectOf, pick, stringOf } from '../sandbox/json.ts';
import { type ReloaderOptions, Stage } from './stage.ts';

/** What the reloader is to roll, and how it is started. */
export interface ArgoOptions extends Pick<ReloaderOptions, 'flags' | 'periodMs'> {
  /** Of the Rollout `web`. @default a canary without steps */
  readonly strategy?: JsonObject;
  /** Of the Rollout beside the one that names what it follows. @default none */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a Rollout of a test is. */
export interface RolloutParts {
  readonly name: string;
  /** The ConfigMap that it follows. */
  readonly follows: string;
  readonly strategy: JsonObject;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** What a Rollout takes its template from. */
export interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly resource: string;
}

/** Which annotations a Rollout and its reference have. */
export interface ReferringOptions {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ofReference?: Readonly<Record<string, string>>;
}

/** How often `web` was patched by reloaders, and how many templates it has had; an undo counts as one. */
export interface Rest {
  readonly patches: number;
  readonly revision: number;
}

/** A canary without steps. */
export const CANARY: JsonObject = { canary: {} };
/** One that waits for its promotion when half of its pods are new. */
export const STEPS: JsonObject = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } };

const NATIVE = 'reloader.k8s.collaborne.com';
/** Asks for restarts in place of new templates. */
export const RESTART: Readonly<Record<string, string>> = { [`${NATIVE}/rollout-strategy`]: 'restart' };
/** The component of `k8s/` with the rights. */
const COMPONENTS = ['argo-rollouts'];
const REPLICAS = 2;

/** A blue-green strategy with the Service `active`. */
export function blueGreen(options: JsonObject = {}): JsonObject {
  return { blueGreen: { activeService: 'active', scaleDownDelaySeconds: 60, ...options } };
}

/** The annotation by which a workload follows a ConfigMap. */
export function following(configMap: string): Readonly<Record<string, string>> {
  return { [`${NATIVE}/configmap`]: configMap };
}

/** The template of pods that read a ConfigMap. */
export function reading(name: string, configMap: string): JsonObject {
  const envFrom = [{ configMapRef: { name: configMap, optional: true } }];
  return {
    metadata: { labels: { app: name } },
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'main', envFrom }] },
  };
}

/** The manifest; `spec` replaces the template. */
export function manifestOf(
  { name, follows, strategy, annotations }: RolloutParts,
  spec?: JsonObject,
): JsonObject {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name, annotations: { ...following(follows), ...annotations } },
    spec: {
      replicas: REPLICAS,
      selector: { matchLabels: { app: name } },
      strategy,
      ...(spec ?? { template: reading(name, follows) }),
    },
  };
}

const started = new WeakMap<ControlPlane, Promise<ArgoRollouts>>();

/** A namespace of its own. */
export class ArgoStage implements AsyncDisposable {
  readonly stage: Stage;
  readonly scene: RolloutScene;
  readonly proxy: FaultProxy;
  readonly #sender: Sender;
  readonly #options: ArgoOptions;
  /** The version in which each pod came to be, by its uid. */
  readonly #births = new Map<Json | undefined, number>();
  /** The version in which each ConfigMap came to have its content. */
  readonly #changedAt = new Map<string, number>();
  #reloader: ReloaderProcess | undefined;
  #token: string | undefined;

  private constructor(
    stage: Stage,
    scene: RolloutScene,
    behind: readonly [FaultProxy, Sender],
    options: ArgoOptions,
  ) {
    [this.proxy, this.#sender] = behind;
    this.stage = stage;
    this.scene = scene;
    this.#options = options;
  }

  /** Without Rollouts or a reloader. */
  static async open(
    plane: ControlPlane,
    name: string,
    options: ArgoOptions = {},
    onWrite?: OnWrite,
  ): Promise<ArgoStage> {
    const argo = started.get(plane) ?? ArgoRollouts.start(plane);
    started.set(plane, argo);
    const { url, ca } = plane.access;
    const scene = await RolloutScene.open(plane, await argo, name);
    const sender = senderTo({ url, ca });
    const proxy = await FaultProxy.start(sender.send, plane.servingCertificate(), onWrite);
    const made = new ArgoStage(await Stage.open(plane, name), scene, [proxy, sender], options);
    void scene.watch('pods', ({ metadata }) => made.#noteBirth(metadata));
    await made.stage.createMarker();
    return made;
  }

  /** With the Rollout `web`, which follows the ConfigMap `web`, and a reloader. */
  static async withWeb(plane: ControlPlane, name: string, options: ArgoOptions = {}): Promise<ArgoStage> {
    const made = await ArgoStage.open(plane, name, options);
    const { strategy = CANARY, annotations = {} } = options;
    await made.change('A');
    await made.createService('active', WEB);
    await made.create(manifestOf({ name: WEB, follows: WEB, strategy, annotations }));
    await made.scene.reaches('Healthy');
    await made.start();
    return made;
  }

  /** With a Rollout `web` whose template is that of another object, and a reloader; pods read the ConfigMap `web`. */
  static async withReference(
    plane: ControlPlane,
    name: string,
    { apiVersion, kind, resource }: Reference,
    { annotations = {}, ofReference = {} }: ReferringOptions,
  ): Promise<ArgoStage> {
    const made = await ArgoStage.open(plane, name);
    await made.change('A');
    const template = reading(WEB, WEB);
    const spec = { replicas: 0, selector: { matchLabels: { app: WEB } }, template };
    const metadata = { name: WEB, annotations: ofReference };
    await made.scene.expect('POST', resource, {
      metadata,
      ...(kind === 'PodTemplate' ? { template } : { spec }),
    });
    const manifest = manifestOf(
      { name: WEB, follows: WEB, strategy: CANARY },
      { workloadRef: { apiVersion, kind, name: WEB } },
    );
    await made.create({ ...manifest, metadata: { name: WEB, annotations } });
    await made.scene.reaches('Healthy');
    await made.start();
    return made;
  }

  /** The one that runs, or ran last. */
  get reloader(): ReloaderProcess {
    return this.#reloader ?? assert.fail('no reloader was started');
  }

  /** Starts a reloader; it is ready when this resolves, and owes nothing unless that is not waited for. */
  async start({ settles = true }: { readonly settles?: boolean } = {}): Promise<void> {
    const reloader = await this.launch();
    if (settles) await this.stage.ready(reloader);
    else await this.stage.until('the reloader is ready', () => reloader.isReady());
  }

  /** Starts a reloader; it may not be ready yet. */
  async launch(): Promise<ReloaderProcess> {
    const { flags = [], ...options } = this.#options;
    this.#token ??= await this.#grantedToken();
    this.#reloader = await this.stage.startReloader({
      ...options,
      flags: ['--is-Argo-Rollouts=true', ...flags],
      as: { token: this.#token, url: this.proxy.url },
    });
    return this.#reloader;
  }

  /** Kills the reloader and starts another one. */
  async startAgain(): Promise<void> {
    await this.reloader.kill();
    await this.start();
  }

  /** Gives a ConfigMap a content. */
  async change(key: string, name: string = WEB): Promise<void> {
    await this.stage.put(name, key);
    const { metadata } = await this.stage.expect('GET', `configmaps/${name}`);
    this.#changedAt.set(name, versionOf(metadata));
  }

  /** Changes what `web` follows, within a window that is open when this resolves. */
  async changeWithin(key: string): Promise<void> {
    await this.change(key);
    await this.stage.until('the change is seen', async () => !(await this.reloader.isSettled()));
  }

  /** Creates a Rollout. */
  async create(manifest: JsonObject): Promise<void> {
    await this.scene.expect('POST', 'rollouts', manifest);
  }

  /** Creates a Service of the pods of a Rollout. */
  async createService(name: string, app: string): Promise<void> {
    await this.scene.expect('POST', 'services', {
      metadata: { name },
      spec: { selector: { app }, ports: [{ port: 80 }] },
    });
  }

  /** The patches of Rollouts by reloaders that changed something. */
  get patches(): number {
    const own = this.proxy.writes.filter(({ resource, verb }) => resource === 'rollouts' && verb === 'patch');
    return own.filter(({ tookEffect }) => tookEffect).length;
  }

  /** Resolves when a reloader has patched so often. */
  async patched(times: number): Promise<void> {
    await this.stage.until(`it is patched ${times} times`, () => this.patches >= times);
  }

  /** Resolves when what another workload follows is rolled and committed, although `web` may be owed something. */
  async markOnly(): Promise<void> {
    await this.stage.markBeside();
    const marker = { kind: 'Deployment', name: 'marker' } as const;
    await this.stage.until('it is committed', async () => (await this.stage.marked([marker])).size === 0);
  }

  /** Nothing is owed: so many patches and templates were needed, and the pods of `web` have read the current content. */
  async restsAt(expected: Rest): Promise<void> {
    await this.patched(expected.patches);
    await this.scene.reaches('Healthy');
    await this.stage.until('its pods have read the current content', () => this.isCurrent());
    // What was healthy above may have been the template before, whose generation is that of another object.
    await this.scene.until('its template is the stable one', isStable);
    await this.stage.mark(this.reloader);
    const rollout = await this.scene.rollout();
    assert.deepEqual({ patches: this.patches, revision: revisionOf(rollout) }, expected);
    assert.ok(isStable(statusOf(rollout)));
  }

  /** Whether all pods of the present template of a Rollout came to be after the content of a ConfigMap. */
  async isCurrent(name: string = WEB, follows: string = WEB): Promise<boolean> {
    const rollout = await this.scene.expect('GET', `rollouts/${name}`);
    const hash = stringOf(statusOf(rollout)['currentPodHash']) ?? '';
    const pods = await this.stage.list(
      `pods?labelSelector=app%3D${name},rollouts-pod-template-hash%3D${hash}`,
    );
    const there = pods.filter(({ metadata }) => pick(metadata, 'deletionTimestamp') === undefined);
    const changedAt = this.#changedAt.get(follows) ?? Number.POSITIVE_INFINITY;
    const isYoung = ({ metadata }: JsonObject): boolean =>
      (this.#births.get(pick(metadata, 'uid')) ?? 0) > changedAt;
    return there.length === REPLICAS && there.every(isYoung);
  }

  /** Each moment for which a restart was asked, in the order of the writes. */
  restarts(name: string = WEB): readonly string[] {
    const versions = this.scene.versions.filter(({ metadata }) => pick(metadata, 'name') === name);
    const moments = versions.flatMap(({ spec }) => stringOf(pick(spec, 'restartAt')) ?? []);
    return [...new Set(moments)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.scene[Symbol.asyncDispose]();
    await this.stage[Symbol.asyncDispose]();
    await this.proxy[Symbol.asyncDispose]();
    this.#sender.close();
  }

  /** That of an account with the rights of the component, and no others. */
  async #grantedToken(): Promise<string> {
    const { cluster, namespace } = this.stage;
    await installRights(cluster, namespace, COMPONENTS);
    return await cluster.serviceAccountToken(namespace, 'reloader');
  }

  #noteBirth(metadata: Json | undefined): void {
    const uid = pick(metadata, 'uid');
    if (!this.#births.has(uid)) this.#births.set(uid, versionOf(metadata));
  }
}

/** How many templates the controller of a Rollout has counted. */
export function revisionOf(rollout: JsonObject): number {
  return Number(pick(rollout, 'metadata', 'annotations', 'rollout.argoproj.io/revision'));
}

function versionOf(metadata: Json | undefined): number {
  return Number(objectOf(metadata)['resourceVersion']);
}
