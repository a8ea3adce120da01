/** The people who stage changes, and who let halted contents go on: they read the token in the state. */

import { keyOf } from '../../lib/model/object-ref.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Api, NAMESPACE, pathOf, refOf, split } from './api.ts';
import { contentOfText } from './contents.ts';
import type { ConfigName, HealthStep, StageStep, WorkloadName } from './history.ts';
import { CONFIGS, WORKLOADS } from './manifests.ts';
import { RESUME, STAGES, WORDS } from './stage-facts.ts';
import { haltsNow } from './state-fact.ts';

const NO_TOKEN = 'true';

/** See the file's comment; and those who write workloads that fail with some contents. */
export class StagePeople {
  readonly #api: Api;
  readonly #sandbox: Sandbox;
  /** What pods of each workload crash with. */
  readonly #bad = new Map<WorkloadName, Extract<HealthStep, { readonly do: 'break' }>[]>();

  constructor(api: Api, sandbox: Sandbox) {
    this.#api = api;
    this.#sandbox = sandbox;
  }

  /** Takes a step. */
  async take(step: StageStep | HealthStep): Promise<void> {
    switch (step.do) {
      case 'say':
        return await this.#annotate(step.config, WORDS[step.word], step.on ? 'true' : null);
      case 'stage':
        return await this.#annotate(step.config, STAGES, step.stages);
      case 'resume':
        return await this.#resume(step.config, step.token);
      case 'break':
        this.#bad.set(step.workload, [...(this.#bad.get(step.workload) ?? []), step]);
        break;
      case 'mend':
        this.#bad.delete(step.workload);
        break;
    }
    this.#spoil(step.workload);
  }

  /** Nothing crashes any more. */
  mendAll(): void {
    for (const workload of WORKLOADS) void this.take({ do: 'mend', workload });
  }

  /** No object is held any more. */
  async release(): Promise<void> {
    for (const config of CONFIGS) await this.#annotate(config, WORDS.hold, null);
  }

  /** Whatever is halted goes on. */
  async resumeAll(): Promise<void> {
    for (const config of CONFIGS) await this.#resume(config, 'right');
  }

  async #resume(config: ConfigName, token: 'right' | 'wrong'): Promise<void> {
    const last = haltsNow(this.#sandbox, config).at(-1);
    if (last !== undefined) await this.#annotate(config, RESUME, token === 'right' ? last : NO_TOKEN);
  }

  async #annotate(config: ConfigName, key: string, value: string | null): Promise<void> {
    await this.#api.merge(pathOf(config), { metadata: { annotations: { [key]: value } } });
  }

  #spoil(workload: WorkloadName): void {
    const bad = this.#bad.get(workload);
    const ref = { ...split(workload), namespace: NAMESPACE };
    this.#sandbox.setCrashing(
      ref,
      bad &&
        ((reads) =>
          bad.some(
            ({ config, content }) => contentOfText(reads.get(keyOf(refOf(config))) ?? '') === content,
          )),
    );
  }
}
