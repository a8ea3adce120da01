/** Runs a history: the real program under virtual time against an embedded API server, with people and faults around it. */

import { createSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { serverNow } from '../sandbox/server-clock.ts';
import { AdmissionInTheWay } from './admission.ts';
import { apiOf, CLASS_RESOURCES, NAMESPACE, resourceOf, split } from './api.ts';
import { Argo } from './argo.ts';
import { stopTime, type VirtualClock } from './clock.ts';
import { MARKERS } from './contents.ts';
import { Crew } from './crew.ts';
import { Driver } from './driver.ts';
import { heldIn } from './held.ts';
import type {
  FaultStep,
  History,
  ProcessStep,
  RightsStep,
  Step,
  WorkloadName,
  WorkloadStep,
} from './history.ts';
import { BATCH, WORKLOADS } from './manifests.ts';
import { Observer } from './observer.ts';
import { People, type SecretsStore } from './people.ts';
import { Rights } from './rights.ts';
import { KeyPeople, keyTexts } from './ring.ts';
import { StagePeople } from './stage-people.ts';
import { TakeBacks } from './take-backs.ts';
import type { Trace } from './trace.ts';

/** Longer than the longest backoff, the longest silence of a watch and a rollout together. */
const REST_MS = 1_200_000;
/** A window that was lengthened lasts ten minutes at the most, and so may the one after it; before it an attempt may fail. */
const REST_OF_SLOWED_MS = 3_600_000;
/** How often people look for halts once nothing is wrong any more, and after how long each time. */
const RESUMES = 3;
const RESUME_MS = 300_000;
/** Long enough for whatever a restart would roll. */
const AFTER_RESTART_MS = 120_000;

/** Runs `history` to its end; time is virtual, so only one can run at a time in a process. */
export async function run(history: History): Promise<Trace> {
  const clock = stopTime();
  try {
    return await new World(history, clock).run();
  } finally {
    clock.restore();
  }
}

class World {
  readonly #history: History;
  readonly #clock: VirtualClock;
  readonly #sandbox: Sandbox;
  readonly #observer: Observer;
  readonly #argo: Argo;
  readonly #driver: Driver | undefined;
  readonly #people: People;
  readonly #keyPeople: KeyPeople;
  readonly #stagePeople: StagePeople;
  readonly #crew: Crew;
  readonly #takeBacks: TakeBacks;
  readonly #admission: AdmissionInTheWay;
  readonly #rights: Rights;
  readonly #refusals = new Map<WorkloadName, () => void>();

  constructor(history: History, clock: VirtualClock) {
    const { settings, seed } = history;
    this.#history = history;
    this.#clock = clock;
    this.#admission = new AdmissionInTheWay((text) => this.#crew.review(text));
    this.#admission.isAway = settings.admission !== true;
    this.#sandbox = createSandbox({
      mutate: this.#admission.mutate,
      resourceVersions: settings.versions,
      ...(settings.pageSize === undefined ? {} : { mostPerPage: settings.pageSize }),
      podStartMs: settings.rolloutMs,
      extensions: [
        ...(settings.argo === undefined ? [] : (['rollouts'] as const)),
        ...(settings.classes === undefined ? [] : CLASS_RESOURCES),
      ],
      namespaces: [NAMESPACE],
      audit: (record) => {
        this.#observer.audit(record);
        this.#crew.audit(record);
        this.#takeBacks.audit(record);
      },
    });
    this.#rights = new Rights(this.#sandbox);
    const mounted = () => this.#driver?.present;
    this.#observer = new Observer(this.#sandbox, settings, () => clock.now(), mounted);
    this.#argo = new Argo({
      sandbox: this.#sandbox,
      add: (fact) => this.#observer.add(fact),
      podStartMs: settings.rolloutMs,
      onWritten: () => this.#observer.look(),
    });
    const api = apiOf(this.#sandbox.handle);
    const store: SecretsStore = new Map();
    this.#driver =
      settings.classes &&
      new Driver({
        sandbox: this.#sandbox,
        store,
        pollMs: settings.classes.pollMs,
        onWritten: () => this.#observer.look(),
      });
    this.#people = new People(api, settings, store);
    this.#keyPeople = new KeyPeople(api);
    this.#stagePeople = new StagePeople(api, this.#sandbox);
    this.#takeBacks = new TakeBacks(this.#people, this.#sandbox, this.#observer);
    const elects = settings.election ?? history.steps.some((step) => step.do === 'start' && step.slot !== 0);
    this.#crew = new Crew({
      sandbox: this.#sandbox,
      observer: this.#observer,
      settings,
      seed,
      elects,
    });
  }

  async run(): Promise<Trace> {
    await this.#begin();
    for (const step of this.#history.steps) {
      await this.#take(step);
      this.#look();
    }
    await this.#end();
    const { settings } = this.#history;
    const { facts } = this.#observer;
    return { settings, markers: MARKERS, keyTexts: keyTexts(this.#crew.keys.made), facts };
  }

  async #begin(): Promise<void> {
    if (this.#history.settings.selected === true) await this.#people.select(true);
    for (const config of this.#history.configs) await this.#people.createConfig(config);
    for (const workload of this.#history.workloads) await this.#people.create(workload);
    this.#budget(this.#history.settings.evictions?.minAvailable);
    this.#look();
    await this.#pass(this.#history.settings.rolloutMs * 8 + 1000);
    this.#crew.start(0);
    await this.#pass(2000);
  }

  /** All that is wrong ends, what pods wait for comes to be, and with one process left all comes to rest; then that is started anew. */
  async #end(): Promise<void> {
    for (const resource of this.#rights.forbidden()) this.#setRight({ do: 'allow', resource });
    this.#rights.setKeyRights(true);
    this.#sandbox.clearFaults();
    this.#budget(undefined);
    this.#crew.calm();
    this.#takeBacks.end();
    this.#argo.letGo();
    if (this.#driver) this.#driver.is = 'well';
    this.#speed(undefined, undefined);
    this.#stagePeople.mendAll();
    for (const { workload, annotations } of heldIn(this.#sandbox, this.#history))
      await this.#people.workload({ do: 'annotate', workload, annotations });
    if (this.#history.steps.some((step) => step.do === 'say')) await this.#stagePeople.release();
    this.#crew.leaveOne();
    for (const config of this.#history.settings.required ?? []) {
      if (this.#sandbox.get(resourceOf(config), NAMESPACE, split(config).name) !== undefined) continue;
      await this.#people.config({ do: 'change', config, content: 'A' });
    }
    await this.#resumeAll();
    await this.#pass(this.#history.settings.pace === undefined ? REST_MS : REST_OF_SLOWED_MS);
    this.#crew.lookAtPages();
    this.#observer.add({ type: 'settled', isKeyLost: this.#crew.keys.isKeyLost(this.#crew.leading) });
    this.#crew.restartAll();
    await this.#pass(AFTER_RESTART_MS + 2 * this.#history.settings.maxWaitMs);
    this.#crew.killAll();
    this.#sandbox.close();
    await this.#clock.settle();
  }

  /** What halted a content may show only after the progress deadline. */
  async #resumeAll(): Promise<void> {
    const { settings } = this.#history;
    for (let round = 0; round < RESUMES && settings.staging !== undefined; round += 1) {
      await this.#pass(RESUME_MS);
      await this.#stagePeople.resumeAll();
    }
  }

  async #take(step: Step): Promise<void> {
    switch (step.do) {
      case 'admission':
        this.#admission.isAway = step.away;
        return;
      case 'wait':
        return await this.#pass(step.ms);
      case 'jump':
        this.#observer.add({ type: 'jumped' });
        return step.slot === undefined ? this.#clock.jump(step.ms) : this.#crew.jump(step.slot, step.ms);
      case 'change':
      case 'revert':
      case 'touch':
      case 'mark':
      case 'delete':
      case 'recreate':
        return await this.#people.config(step);
      case 'driver':
        if (this.#driver) this.#driver.is = step.is;
        return;
      case 'select':
        return await this.#people.select(step.selected);
      case 'annotate-namespace':
        return await this.#people.annotateNamespace(step.annotations);
      case 'remove-entry':
      case 'remove-exceptions':
      case 'remove-state':
      case 'empty-state':
      case 'forget-shards':
        this.#observer.add({ type: 'state-edited' });
        await this.#people.state(step);
        return;
      case 'say':
      case 'stage':
      case 'resume':
      case 'break':
      case 'mend':
        return await this.#stagePeople.take(step);
      case 'remove-key':
      case 'restore-key':
        this.#observer.add({ type: 'state-edited' });
        return await this.#keyPeople.edit(step);
      case 'digests':
        this.#observer.add({ type: 'state-edited' });
        this.#crew.digests = step.to;
        return;
      case 'key-rights':
        this.#observer.add({ type: 'key-rights', allowed: step.allowed });
        return this.#rights.setKeyRights(step.allowed);
      case 'fault':
      case 'disturb':
      case 'delay':
      case 'compact':
      case 'respell':
        return this.#fault(step);
      case 'forbid':
      case 'allow':
        return this.#setRight(step);
      case 'start':
      case 'stop':
      case 'crash':
      case 'freeze':
      case 'part':
      case 'stall':
        return await this.#process(step);
      case 'edit-lease':
        this.#observer.add({ type: 'lease-edited' });
        return await this.#people.lease(step);
      default:
        return await this.#workload(step);
    }
  }

  async #workload(step: WorkloadStep): Promise<void> {
    switch (step.do) {
      case 'take-back':
        return this.#takeBacks.arm(step);
      case 'refuse':
        return this.#refuse(step.workload, step.status);
      case 'rollout-speed':
        return this.#speed(step.workload, step.ms < 0 ? 'frozen' : step.ms);
      case 'undo':
        return await this.#undo(step.workload);
      case 'argo':
        return await this.#actOnRollout(step);
      case 'finish':
        return this.#observer.batch.finish(step.workload);
      default:
        return await this.#people.workload(step);
    }
  }

  async #actOnRollout({ workload, act }: Extract<WorkloadStep, { readonly do: 'argo' }>): Promise<void> {
    if (act !== 'restart' && act !== 'unrestart') return this.#argo.act(workload, act);
    const moment = new Date(serverNow()).toISOString().replace(/\.\d+/, '');
    await this.#people.restartBy(workload, act === 'restart' ? moment : null);
    this.#observer.add({ type: 'owner-write', workload, copied: false });
  }

  async #undo(workload: WorkloadName): Promise<void> {
    const former = this.#argo.formerTemplate(workload);
    if (former !== undefined) return await this.#people.putTemplate(workload, former);
    const ref = { ...split(workload), namespace: NAMESPACE };
    if (this.#sandbox.undo(ref)) this.#observer.add({ type: 'owner-write', workload, copied: false });
  }

  #refuse(workload: WorkloadName, code: 0 | 403 | 422): void {
    this.#refusals.get(workload)?.();
    this.#refusals.delete(workload);
    if (code === 0) return;
    this.#observer.add({ type: 'refused', workload });
    const match = {
      verb: 'write',
      resource: resourceOf(workload),
      // What is to be created has no name yet.
      ...(BATCH.includes(workload) ? { resource: 'jobs' } : { name: split(workload).name }),
      userAgent: 'replica-',
    } as const;
    const lift = this.#sandbox.addFault({ match, times: 'always', effect: { kind: 'status', code } });
    this.#refusals.set(workload, lift);
  }

  #speed(workload: WorkloadName | undefined, pace: number | 'frozen' | undefined): void {
    for (const name of workload === undefined ? WORKLOADS : [workload]) {
      this.#sandbox.setRolloutDelay({ ...split(name), namespace: NAMESPACE }, pace);
    }
  }

  /** So many pods of each workload have to stay ready when one is evicted. */
  #budget(minAvailable: number | undefined): void {
    for (const name of WORKLOADS)
      this.#sandbox.setBudget({ ...split(name), namespace: NAMESPACE }, minAvailable);
  }

  #fault(step: FaultStep): void {
    if (step.do !== 'respell') this.#observer.add({ type: 'trouble' });
    switch (step.do) {
      case 'fault': {
        const match = { ...step.rule.match, userAgent: 'replica-' };
        this.#sandbox.addFault({ ...step.rule, match });
        return;
      }
      case 'disturb':
        this.#sandbox.disturbWatches({ resource: step.resource, userAgent: 'replica-' }, step.effect);
        return;
      case 'delay':
        this.#sandbox.delayWatches(step.resource, step.ms);
        return;
      case 'compact':
        this.#sandbox.compact();
        return;
      case 'respell':
        for (const workload of WORKLOADS)
          this.#observer.add({ type: 'owner-write', workload, copied: false });
        this.#sandbox.respell();
        return;
    }
  }

  #setRight({ do: what, resource }: RightsStep): void {
    const allowed = what === 'allow';
    const isNews = allowed ? this.#rights.allow(resource) : this.#rights.forbid(resource);
    if (isNews) this.#observer.add({ type: 'rights', resource, allowed });
  }

  async #process(step: ProcessStep): Promise<void> {
    switch (step.do) {
      case 'start':
        return this.#crew.start(step.slot);
      case 'stop':
        return await this.#crew.stop(step.slot, step.downtimeMs, () => this.#pass(100));
      case 'crash':
        return this.#crew.crash(step);
      default:
        return this.#crew.disturb(step);
    }
  }

  async #pass(ms: number): Promise<void> {
    await this.#clock.pass(ms, () => this.#look());
  }

  #look(): void {
    this.#observer.look();
    this.#argo.look();
    this.#driver?.look();
    this.#crew.look();
    this.#takeBacks.look();
  }
}
