/** The people and owners of a history: they edit content, write pod templates, and break the reloader's state. */

import { annotationsOf, markIn, STATE_SHARDS_ANNOTATION } from '../../lib/model/shards.ts';
import { entryKeyOf, markKeyOf } from '../../lib/model/state-entry.ts';
import {
  type Api,
  collectionOf,
  LEASE_COLLECTION,
  LEASE_PATH,
  type LooseObject,
  NAMESPACE,
  NAMESPACE_PATH,
  pathOf,
  refOf,
  SELECTED_LABEL,
  STATE_NAME,
  STATE_NAMES,
  split,
} from './api.ts';
import { contentOf, dataOf, isClass, manifestOf, NOISE, SCOPES } from './contents.ts';
import { COPIED_WRITER, LEASES } from './foreign-leases.ts';
import { approvalAskedFor, EVENTS_PATH } from './held.ts';
import type {
  ConfigName,
  ConfigStep,
  Content,
  InitialConfig,
  InitialWorkload,
  LeaseStep,
  Settings,
  StateStep,
  WorkloadName,
  WorkloadStep,
} from './history.ts';
import {
  BATCH,
  marksOf,
  newWorkload,
  policyOf,
  type TemplateParts,
  templateOf,
  templateOwnerOf,
  variablesOf,
  wordsOf,
} from './manifests.ts';

/** What classes bring to pods: the content of each, which no object of the cluster tells. */
export type SecretsStore = Map<ConfigName, Content>;

/** Takes the steps that are a person's; a step with nothing to act on does nothing. */
export class People {
  readonly #api: Api;
  readonly #needs: readonly ConfigName[];
  readonly #keys: Settings['keys'];
  readonly #mounts: boolean;
  readonly #store: SecretsStore;
  /** The content before the present one, of each object. */
  readonly #former = new Map<ConfigName, Content>();
  /** Counts edits, so that no two are the same. */
  #edits = 0;

  /** `required`: what no pod starts without; `store`: where the contents of classes are. */
  constructor(
    api: Api,
    { required = [], keys, classes }: Partial<Settings> = {},
    store: SecretsStore = new Map(),
  ) {
    this.#api = api;
    this.#mounts = classes !== undefined;
    this.#store = store;
    this.#needs = required;
    this.#keys = keys;
  }

  /** Creates a workload; what is there already stays. */
  async create(workload: InitialWorkload, parts: TemplateParts = { image: 'app:0' }): Promise<void> {
    const owner = templateOwnerOf(workload.workload);
    if (owner !== workload.workload)
      await this.create({ ...workload, workload: owner, follows: [], replicas: 0 }, parts);
    const manifest = newWorkload(workload, { ...parts, ...this.#reading });
    await this.#api.create(collectionOf(workload.workload), manifest);
  }

  /** Gives the namespace the label that selects it, or takes it away. */
  async select(selected: boolean): Promise<void> {
    const labels = { [SELECTED_LABEL]: selected ? 'yes' : null };
    await this.#api.merge(NAMESPACE_PATH, { metadata: { labels } });
  }

  /** Annotates the namespace; null removes an annotation. */
  async annotateNamespace(annotations: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#api.merge(NAMESPACE_PATH, { metadata: { annotations } });
  }

  /** Creates an object that is there before the first reloader starts. */
  async createConfig({ config, content }: InitialConfig): Promise<void> {
    if (content !== undefined) await this.#write(config, undefined, content);
  }

  /** Edits an object, or the content of a class in the store. */
  async config(step: ConfigStep): Promise<void> {
    const path = pathOf(step.config);
    const live = await this.#api.get(path);
    const present = live && (isClass(step.config) ? this.#store.get(step.config) : contentOf(live.data));
    switch (step.do) {
      case 'change':
        return await this.#write(step.config, present, step.content);
      case 'revert': {
        const former = this.#former.get(step.config) ?? (present === 'A' ? 'B' : 'A');
        if (present !== undefined) await this.#write(step.config, present, former);
        return;
      }
      case 'touch':
        await this.#api.merge(path, this.#touched());
        return;
      case 'mark':
        return await this.#mark(step, present);
      case 'delete':
        await this.#api.delete(path);
        return;
      case 'recreate': {
        const content = step.content ?? present ?? this.#former.get(step.config);
        await this.#api.delete(path);
        if (content !== undefined) await this.#write(step.config, undefined, content, present);
        return;
      }
    }
  }

  /** An edit that is nothing to any pod. */
  #touched(): object {
    const text = Buffer.from(this.#edit()).toString('base64');
    return this.#keys?.noise === true
      ? { data: { [NOISE]: text } }
      : { metadata: { annotations: { edited: text } } };
  }

  /** What pod templates have in common. */
  get #reading(): Pick<TemplateParts, 'needs' | 'keys' | 'mounts'> {
    const keys = this.#keys === undefined ? undefined : SCOPES[0];
    return { needs: this.#needs, keys, mounts: this.#mounts };
  }

  async #mark(
    { config, mark, content }: Extract<ConfigStep, { readonly do: 'mark' }>,
    present: Content | undefined,
  ): Promise<void> {
    if (present === undefined) return;
    if (content !== undefined && content !== present) this.#former.set(config, present);
    if (content !== undefined && isClass(config)) this.#store.set(config, content);
    const data = content === undefined || isClass(config) ? {} : { data: dataOf(config, content) };
    await this.#api.merge(pathOf(config), { metadata: { annotations: marksOf(mark) }, ...data });
  }

  async #write(
    config: ConfigName,
    present: Content | undefined,
    content: Content,
    former = present,
  ): Promise<void> {
    if (former !== undefined && former !== content) this.#former.set(config, former);
    const manifest = manifestOf(config, content);
    if (isClass(config)) this.#store.set(config, content);
    if (present === undefined) await this.#api.create(collectionOf(config), manifest);
    else if (present !== content && !isClass(config))
      await this.#api.merge(pathOf(config), { data: dataOf(config, content) });
  }

  /** Writes a workload. Take-backs, refusals and speeds are not a person's. */
  async workload(step: WorkloadStep): Promise<void> {
    switch (step.do) {
      case 'create-workload':
        return await this.create(
          { ...step, strategy: 'rolling' },
          await this.#copied(step.copyOf, step.lift),
        );
      case 'delete-workload':
        return await this.#delete(step);
      case 'follow':
        await this.#api.merge(pathOf(step.workload), {
          metadata: { annotations: policyOf(step.follows) },
        });
        return;
      case 'ask': {
        const annotations = wordsOf(step.by, step.excludes);
        await this.#api.merge(pathOf(step.workload), { metadata: { annotations } });
        return;
      }
      case 'scale':
        if (!['Deployment', 'StatefulSet'].includes(split(step.workload).kind)) return;
        await this.#api.merge(pathOf(step.workload), { spec: { replicas: step.replicas } });
        return;
      case 'annotate':
        await this.#api.merge(pathOf(step.workload), { metadata: { annotations: step.annotations } });
        return;
      case 'approve': {
        const events = await this.#api.get(EVENTS_PATH);
        const annotations = approvalAskedFor(events, step.workload);
        if (annotations !== undefined)
          await this.#api.merge(pathOf(step.workload), { metadata: { annotations } });
        return;
      }
      case 'pause':
        if (!['Deployment', 'Rollout'].includes(split(step.workload).kind)) return;
        await this.#api.merge(pathOf(step.workload), { spec: { paused: step.paused } });
        return;
      case 'suspend':
        if (!BATCH.includes(step.workload)) return;
        await this.#api.merge(pathOf(step.workload), { spec: { suspend: step.suspended } });
        return;
      case 'replace':
        return await this.#replace(step.workload);
      case 'read':
        if (this.#keys === undefined) return;
        await this.#api.patch(pathOf(step.workload), readingMore(step.more));
        return;
      case 'apply':
        return await this.#setImage(step.workload, `app:${this.#edit()}`);
      case 'restart':
        await this.#api.merge(pathOf(templateOwnerOf(step.workload)), restartedAt(this.#edit()));
        return;
      default:
        return; // the other steps are not a person's: the world takes them
    }
  }

  async #delete({ workload, leavesPods }: Extract<WorkloadStep, { do: 'delete-workload' }>): Promise<void> {
    const options = leavesPods === true ? { propagationPolicy: 'Orphan' } : undefined;
    const owner = templateOwnerOf(workload);
    await this.#api.delete(pathOf(workload), options);
    if (owner !== workload) await this.#api.delete(pathOf(owner));
  }

  /** A custom resource takes no strategic merge patch: it is written whole. */
  async #setImage(workload: WorkloadName, image: string): Promise<void> {
    const path = pathOf(templateOwnerOf(workload));
    if (split(workload).kind !== 'Rollout') return void (await this.#api.patch(path, imageOf(image)));
    const live = structuredClone(await this.#api.get(path));
    if (live === undefined) return;
    live.spec.template.spec.containers[0].image = image;
    await this.#api.put(path, live);
  }

  /** By when all pods of a Rollout are to be replaced; null: no restart is asked for. */
  async restartBy(workload: WorkloadName, restartAt: string | null): Promise<void> {
    await this.#api.merge(pathOf(workload), { spec: { restartAt } });
  }

  /** The owner's own template, with nothing in it that it did not write. */
  async #replace(workload: WorkloadName): Promise<void> {
    const live = await this.#api.get(pathOf(templateOwnerOf(workload)));
    if (live === undefined) return;
    const container = live.spec.template.spec.containers[0];
    await this.putTemplate(workload, templateOf(workload, { image: container.image, ...this.#reading }));
  }

  /** Writes a whole pod template, whatever is there. */
  async putTemplate(workload: WorkloadName, template: object): Promise<void> {
    const path = pathOf(templateOwnerOf(workload));
    const live = await this.#api.get(path);
    if (live === undefined) return;
    await this.#api.put(path, { ...live, spec: { ...live.spec, template } });
  }

  async #copied(from: WorkloadName | undefined, lift = 0): Promise<TemplateParts | undefined> {
    const live: LooseObject | undefined = from === undefined ? undefined : await this.#api.get(pathOf(from));
    if (live?.spec.template === undefined) return undefined;
    const { image, env = [] } = live.spec.template.spec.containers[0];
    return { image, env: env.map((variable: Variable) => lifted(variable, lift)) };
  }

  /**
   * Removes parts of the reloader's memory; answers the names of the ConfigMaps that were edited. Not while they have the mark
   * of another cluster: then no process leads, and what a person removes is lost, as the documentation says.
   */
  async state(step: StateStep): Promise<readonly string[]> {
    const first: LooseObject | undefined = await this.#api.get(pathOf(`ConfigMap/${STATE_NAME}`));
    if (markIn(first?.metadata.annotations ?? {}).writer === COPIED_WRITER) return [];
    switch (step.do) {
      case 'remove-entry': {
        return await this.#removeKey(entryKeyOf(refOf(step.config), NAMESPACE));
      }
      case 'remove-exceptions': {
        const ref = { ...split(step.workload), namespace: NAMESPACE };
        return await this.#removeMarks(markKeyOf(ref));
      }
      case 'remove-state':
        return await this.#edited(step.shard, (path) => this.#api.delete(path));
      case 'empty-state':
        return await this.#edited(step.shard, (path) => this.#api.merge(path, { data: null }));
      case 'forget-shards': {
        const annotations = { [STATE_SHARDS_ANNOTATION]: null };
        return await this.#edited(0, (path) => this.#api.merge(path, { metadata: { annotations } }));
      }
    }
  }

  /** Edits the Lease; what is not there stays so, unless it is copied. */
  async lease({ to, term = 1 }: LeaseStep): Promise<void> {
    if (to === 'nothing') {
      await this.#api.delete(LEASE_PATH);
      return;
    }
    const spec = LEASES[to];
    const live = await this.#api.merge(LEASE_PATH, { spec });
    if (to !== 'copied') return;
    if (live === undefined)
      await this.#api.create(LEASE_COLLECTION, { metadata: { name: STATE_NAME }, spec });
    const annotations = annotationsOf({ term, writer: COPIED_WRITER });
    await this.#edited(undefined, (path) => this.#api.merge(path, { metadata: { annotations } }));
  }

  #removeKey(key: string): Promise<readonly string[]> {
    return this.#edited(undefined, (path, live) =>
      live.data?.[key] === undefined ? undefined : this.#api.merge(path, { data: { [key]: null } }),
    );
  }

  /** Removes the marks of a follower from all entries. */
  #removeMarks(follower: string): Promise<readonly string[]> {
    const mark = new RegExp(`\\?${follower}(=\\d+)?(?=\\?|$)`);
    return this.#edited(undefined, (path, live) => {
      const marked = Object.entries<string>(live.data ?? {}).filter(([, value]) => mark.test(value));
      const data = Object.fromEntries(marked.map(([key, value]) => [key, value.replace(mark, '')]));
      return marked.length === 0 ? undefined : this.#api.merge(path, { data });
    });
  }

  /** Edits one ConfigMap of the state or all that there are; `edit` answers nothing where it leaves one alone. */
  async #edited(
    shard: number | undefined,
    edit: (path: string, live: LooseObject) => Promise<LooseObject | undefined> | undefined,
  ): Promise<readonly string[]> {
    const names: string[] = [];
    for (const [index, name] of STATE_NAMES.entries()) {
      const path = pathOf(`ConfigMap/${name}`);
      const live = shard === undefined || shard === index ? await this.#api.get(path) : undefined;
      const edited = live && edit(path, live);
      if (edited === undefined) continue;
      await edited;
      names.push(name);
    }
    return names;
  }

  #edit(): string {
    this.#edits += 1;
    return String(this.#edits);
  }
}

function imageOf(image: string): object {
  return { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } };
}

function readingMore(more: boolean): object {
  const env = variablesOf('more').map((variable) =>
    more ? variable : { name: variable.name, $patch: 'delete' },
  );
  return { spec: { template: { spec: { containers: [{ name: 'app', env }] } } } };
}

function restartedAt(moment: string): object {
  return {
    spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': moment } } } },
  };
}

interface Variable {
  readonly name: string;
  readonly value: string;
}

/** A stamp with a higher number; any other variable as it is. */
function lifted(variable: Variable, lift: number): Variable {
  const [, digest, number] = /^((?:k[0-9a-f]{8}:)?[0-9a-f]{40})\.(\d+)$/.exec(variable.value) ?? [];
  return digest === undefined ? variable : { ...variable, value: `${digest}.${Number(number) + lift}` };
}
