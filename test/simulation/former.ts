/**
 * The reloader that served the workloads before: it stamps them in its own way, and one day it looks for the last time. What its
 * stamps say is computed here from the descriptions of those programs alone.
 */

import { createHash } from 'node:crypto';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Api, type LooseObject, NAMESPACE, pathOf, resourceOf, split } from './api.ts';
import { contentOf } from './contents.ts';
import type { ConfigName, FormerName, WorkloadName } from './history.ts';
import { askedBy, CONFIGS, followsOf, WORKLOADS } from './manifests.ts';
import type { Fact } from './trace.ts';

const SAP = 'pod-reloader.cs.sap.com';
const WAVE = 'wave.pusher.com';
const NATIVE = 'reloader.k8s.collaborne.com';
const SOURCE = 'reloader.stakater.com/last-reloaded-from';

/** What a stamp tells of one object: its content, and the write of it. */
type Said = Extract<Fact, { readonly type: 'inherited' }>['says'];

/** See the file's comment. */
export class Former {
  readonly #api: Api;
  readonly #sandbox: Sandbox;
  readonly #by: FormerName;
  /** What it saw of each object last. */
  readonly #seen = new Map<ConfigName, string>();
  /** What each stamp that it has made says, by its text. */
  readonly #said = new Map<string, Said>();

  constructor(api: Api, sandbox: Sandbox, by: FormerName) {
    this.#api = api;
    this.#sandbox = sandbox;
    this.#by = by;
  }

  /** The workloads ask in its words. */
  async begin(): Promise<void> {
    for (const workload of WORKLOADS) {
      const live = this.#live(workload);
      if (live === undefined || !['sap', 'wave'].includes(this.#by)) continue;
      const { names } = askedBy(live.metadata.annotations);
      const list = (kind: string): string | null =>
        names
          .map(split)
          .filter((each) => each.kind === kind)
          .map(({ name }) => name)
          .join() || null;
      const own =
        this.#by === 'wave'
          ? { [`${WAVE}/update-on-config-change`]: names.length > 0 ? 'true' : null }
          : { [`${SAP}/configmaps`]: list('ConfigMap'), [`${SAP}/secrets`]: list('Secret') };
      const annotations = { [`${NATIVE}/configmap`]: null, [`${NATIVE}/secret`]: null, ...own };
      await this.#api.merge(pathOf(workload), { metadata: { annotations } });
    }
    await this.look();
  }

  /** It looks at everything, and stamps who follows what is another than before. */
  async look(): Promise<void> {
    for (const config of CONFIGS) {
      const [now, before] = [this.#textOf(config), this.#seen.get(config)];
      this.#seen.set(config, now);
      if (before === undefined || before === now || this.#live(config) === undefined) continue;
      for (const workload of this.#followersOf(config)) await this.#stampFor(workload, config);
    }
    for (const workload of WORKLOADS) await this.#stampWhole(workload);
  }

  /** What the stamps of each workload say now. */
  facts(replica: number): readonly Fact[] {
    return WORKLOADS.flatMap((workload): Fact[] => {
      const live = this.#live(workload);
      if (live === undefined) return [];
      const says = Object.assign({}, ...stampsIn(live).map((text) => this.#said.get(text)));
      return [{ type: 'inherited', replica, by: this.#by, workload, says, bornS: this.#bornS(live) }];
    });
  }

  async #stampFor(workload: WorkloadName, config: ConfigName): Promise<void> {
    const { kind, name } = split(config);
    const hash = sha('sha1', pairsOf(kind, this.#live(config)).join(';'));
    const says = this.#saysOf([config]);
    if (this.#by === 'stakater') {
      const variable = `STAKATER_${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_${kind.toUpperCase()}`;
      this.#said.set(`${variable}=${hash}`, says);
      const env = [{ name: variable, value: hash }];
      await this.#patch(workload, { spec: { containers: [{ name: 'app', env }] } });
    }
    if (this.#by === 'stakater-annotations') {
      const source = { type: kind.toUpperCase(), name, namespace: NAMESPACE, hash, containerRefs: ['app'] };
      const text = JSON.stringify({ ...source, observedAt: this.#sandbox.writes });
      this.#said.set(`${SOURCE}=${text}`, says);
      await this.#patch(workload, { metadata: { annotations: { [SOURCE]: text } } });
    }
  }

  /** One hash for all, where it differs. */
  async #stampWhole(workload: WorkloadName): Promise<void> {
    const live = this.#live(workload);
    const asked = live && askedBy(live.metadata.annotations);
    if (asked === undefined || followsOf(asked).length === 0) return;
    const key = this.#by === 'sap' ? `${SAP}/config-hash` : `${WAVE}/config-hash`;
    const hash =
      this.#by === 'sap' ? this.#sapHash(asked.names) : this.#by === 'wave' ? this.#waveHash() : '';
    if (hash === '' || live?.spec.template.metadata.annotations?.[key] === hash) return;
    this.#said.set(`${key}=${hash}`, this.#saysOf(this.#by === 'sap' ? asked.names : CONFIGS));
    await this.#patch(workload, { metadata: { annotations: { [key]: hash } } });
  }

  #patch(workload: WorkloadName, template: object): Promise<unknown> {
    return this.#api.patch(pathOf(workload), { spec: { template } });
  }

  #sapHash(names: readonly ConfigName[]): string {
    const lines = names.map((config) => {
      const { kind, name } = split(config);
      const { uid, resourceVersion } = this.#live(config)?.metadata ?? {};
      const version = uid === undefined ? '' : `${uid}.${resourceVersion}`;
      return `${kind.toLowerCase()}/${NAMESPACE}/${name}/${version}\n`;
    });
    return sha('sha256', lines.join(''));
  }

  #waveHash(): string {
    const contents = (kind: string): object => {
      const there = CONFIGS.filter((config) => split(config).kind === kind)
        .sort()
        .map((config) => [split(config).name, this.#live(config)] as const)
        .filter(([, live]) => live !== undefined);
      const encoded = (text: string): string =>
        kind === 'Secret' ? text : Buffer.from(text).toString('base64');
      const dataOf = (live: LooseObject | undefined): object =>
        Object.fromEntries(
          Object.entries(live?.data ?? {})
            .sort()
            .map(([key, text]) => [key, encoded(text)]),
        );
      return Object.fromEntries(there.map(([name, live]) => [name, dataOf(live)]));
    };
    return sha('sha256', JSON.stringify({ configMaps: contents('ConfigMap'), secrets: contents('Secret') }));
  }

  #saysOf(configs: readonly ConfigName[]): Said {
    const says = configs.map((config) => [
      config,
      { content: contentOf(this.#live(config)?.data), at: this.#sandbox.writes },
    ]);
    return Object.fromEntries(says);
  }

  #followersOf(config: ConfigName): readonly WorkloadName[] {
    return WORKLOADS.filter((workload) => {
      const live = this.#live(workload);
      return live !== undefined && followsOf(askedBy(live.metadata.annotations)).includes(config);
    });
  }

  /** When its newest template came to be, in seconds. */
  #bornS({ metadata }: LooseObject): number | undefined {
    const all = [...this.#sandbox.list('replicasets'), ...this.#sandbox.list('controllerrevisions')];
    const own = all.filter((each) => each.metadata.ownerReferences?.[0]?.['uid'] === metadata.uid);
    const revisionOf = (each: (typeof own)[number]): number =>
      Number(each.metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
    const [newest] = own.toSorted(
      (a, b) =>
        revisionOf(b) - revisionOf(a) ||
        Date.parse(String(b.metadata.creationTimestamp)) - Date.parse(String(a.metadata.creationTimestamp)),
    );
    return newest && Date.parse(String(newest.metadata.creationTimestamp)) / 1000;
  }

  #textOf(config: ConfigName): string {
    return JSON.stringify(this.#live(config)?.data ?? null);
  }

  #live(name: string): LooseObject | undefined {
    return this.#sandbox.get(resourceOf(name), NAMESPACE, split(name).name) as LooseObject | undefined;
  }
}

/** The texts under which stamps are remembered. */
function stampsIn({ spec }: LooseObject): readonly string[] {
  const { metadata, spec: pod } = spec.template;
  const env = (pod.containers[0].env ?? []) as readonly { readonly name: string; readonly value?: string }[];
  const annotations = Object.entries(metadata?.annotations ?? {}).map(([key, value]) => `${key}=${value}`);
  return [...env.map(({ name, value }) => `${name}=${value}`), ...annotations];
}

function pairsOf(kind: string, live: LooseObject | undefined): readonly string[] {
  const decoded = (text: string): string =>
    kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text;
  return Object.entries(live?.data ?? {})
    .map(([key, text]) => `${key}=${decoded(text)}`)
    .sort();
}

function sha(algorithm: string, text: string): string {
  return createHash(algorithm).update(text).digest('hex');
}
