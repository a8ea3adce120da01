/** What a bystander sees of a namespace: who holds the Lease, who marks the state, which content is rolled when. */

import { collectionPath } from '../../lib/kubernetes/api-path.ts';
import { LEASES } from '../../lib/kubernetes/lease-client.ts';
import { configSource, workloadSource } from '../../lib/kubernetes/sources.ts';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { digestOf } from '../../lib/model/digest.ts';
import type { RawConfigObject, RawObject, RawWorkload } from '../../lib/model/raw-objects.ts';
import { markIn } from '../../lib/model/term.ts';
import { workloadKindOf } from '../../lib/model/workload-kind.ts';
import { Stream } from '../bench/stream.ts';
import { stampsOf, type WorkloadParts } from '../e2e/workloads.ts';
import { type Json, pick, stringOf } from '../sandbox/json.ts';

const STATE = 'reloader-state';

/** Who has something since when. */
export interface Possession {
  /** Empty: it is free. */
  readonly identity: string;
  readonly resourceVersion: number;
  /** When the news came, on the clock of `performance.now()`. */
  readonly at: number;
}

/** See the file's comment. */
export class Witness implements AsyncDisposable {
  /** Who held the Lease, one after the other. */
  readonly holders: Possession[] = [];
  /** Who had marked the state, one after the other. */
  readonly writers: Possession[] = [];
  /** The digests that each ConfigMap has had. */
  readonly #contents = new Map<string, string[]>();
  /** The stamps that the template of each workload has had. */
  readonly #templates = new Map<string, Readonly<Record<string, string>>[]>();
  readonly #streams = new AsyncDisposableStack();

  /** Resolves when all that is there is seen. */
  static async open(send: Send, namespace: string): Promise<Witness> {
    const witness = new Witness();
    const leases = { kind: 'Lease', path: collectionPath(LEASES, namespace) };
    const follow = async (source: Parameters<typeof Stream.open>[1], see: (object: RawObject) => void) =>
      void witness.#streams.use(await Stream.open(send, source, see));
    await follow(leases, (object) => witness.#seeLease(object));
    await follow(configSource('ConfigMap', namespace), (object) => witness.#seeConfig(object));
    for (const kind of ['Deployment', 'StatefulSet'])
      await follow(workloadSource(workloadKindOf(kind), namespace), (object) => witness.#seeWorkload(object));
    return witness;
  }

  /** Who holds the Lease; empty: it is free. */
  get holder(): string {
    return this.holders.at(-1)?.identity ?? '';
  }

  /** Who held the Lease when an object got that version. */
  holderAt(resourceVersion: number): string {
    return this.holders.findLast((each) => each.resourceVersion <= resourceVersion)?.identity ?? '';
  }

  /** How often the stamps of a workload have changed. */
  rollouts({ name }: WorkloadParts): number {
    return (this.#templates.get(name)?.length ?? 1) - 1;
  }

  /** The rollouts of a workload that brought no newer content, or an older one. */
  needless({ name, follows }: WorkloadParts): readonly string[] {
    const templates = this.#templates.get(name) ?? [];
    const ages = templates.map((stamps) => (follows.ConfigMap ?? []).map((each) => this.#age(each, stamps)));
    return ages.flatMap((age, index) => {
      const before = ages[index - 1];
      const isNewer = before === undefined || age.some((each, which) => each > Number(before[which]));
      const isOlder = before !== undefined && age.some((each, which) => each < Number(before[which]));
      return isNewer && !isOlder ? [] : [`${name}: contents ${age} after ${before}`];
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#streams[Symbol.asyncDispose]();
  }

  /** Which of the contents of a ConfigMap a stamp tells of; the first where there is no stamp. */
  #age(name: string, stamps: Readonly<Record<string, string>>): number {
    const digest = stamps[`_RELOADER_CONFIGMAP_${name.toUpperCase()}`]?.split('.', 1)[0];
    return digest === undefined ? 0 : (this.#contents.get(name) ?? []).indexOf(digest);
  }

  #seeLease({ metadata, ...lease }: RawObject): void {
    const holder = stringOf(pick(lease as unknown as Json, 'spec', 'holderIdentity')) ?? '';
    noted(this.holders, holder, metadata.resourceVersion);
  }

  #seeConfig(object: RawObject): void {
    const { name, annotations = {}, resourceVersion } = object.metadata;
    if (name === STATE) noted(this.writers, markIn(annotations).writer, resourceVersion);
    else added(this.#contents, name, digestOf('ConfigMap', object as RawConfigObject));
  }

  #seeWorkload(object: RawObject): void {
    added(this.#templates, object.metadata.name, stampsOf((object as RawWorkload).spec?.template as Json));
  }
}

/** Unless it was so before. */
function noted(history: Possession[], identity: string, resourceVersion: string | undefined): void {
  if (history.at(-1)?.identity === identity) return;
  history.push({ identity, resourceVersion: Number(resourceVersion), at: performance.now() });
}

/** Unless it is the same as before. */
function added<T>(histories: Map<string, T[]>, name: string, value: T): void {
  const history = histories.get(name) ?? [];
  histories.set(name, history);
  if (JSON.stringify(history.at(-1)) !== JSON.stringify(value)) history.push(value);
}
