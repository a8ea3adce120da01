/** Owners that take our patches back: at once, or when the workload's own controller has seen them. */

import { isDeepStrictEqual } from 'node:util';
import type { AuditRecord } from '../sandbox/api-server.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { kindOfResource, type LooseObject, NAMESPACE, resourceOf, split } from './api.ts';
import type { WorkloadName, WorkloadStep } from './history.ts';
import type { Observer } from './observer.ts';
import type { People } from './people.ts';

type TakeBackStep = Extract<WorkloadStep, { readonly do: 'take-back' }>;

/** Waits for patches of reloaders and undoes as many as was asked. */
export class TakeBacks {
  readonly #people: People;
  readonly #sandbox: Sandbox;
  readonly #observer: Observer;
  readonly #armed = new Map<WorkloadName, { times: number; readonly when: 'before' | 'after' }>();
  /** The template to go back to, once the present one has been seen. */
  readonly #waiting = new Map<WorkloadName, object>();

  constructor(people: People, sandbox: Sandbox, observer: Observer) {
    this.#people = people;
    this.#sandbox = sandbox;
    this.#observer = observer;
  }

  arm({ workload, times, when }: TakeBackStep): void {
    this.#armed.set(workload, { times, when });
  }

  /** No more. */
  end(): void {
    this.#armed.clear();
    this.#waiting.clear();
  }

  audit({ userAgent, resource, name = '', before, after }: AuditRecord): void {
    const workload = `${kindOfResource(resource)}/${name}`;
    const armed = this.#armed.get(workload);
    if (armed === undefined || before === after || !userAgent.startsWith('replica-')) return;
    const template: object | undefined = (before as LooseObject | undefined)?.spec?.template;
    const isSame = isDeepStrictEqual(template, (after as LooseObject | undefined)?.spec?.template);
    if (template === undefined || isSame || armed.times === 0) return;
    armed.times -= 1;
    if (armed.when === 'after') this.#waiting.set(workload, template);
    else this.#takeBack(workload, template);
  }

  /** Called whenever the world has come to rest for a moment. */
  look(): void {
    for (const [workload, template] of this.#waiting) {
      const live = this.#sandbox.get(resourceOf(workload), NAMESPACE, split(workload).name) as
        | LooseObject
        | undefined;
      if (live !== undefined && Number(live.status?.observedGeneration) !== live.metadata.generation)
        continue;
      this.#waiting.delete(workload);
      this.#takeBack(workload, template);
    }
  }

  #takeBack(workload: WorkloadName, template: object): void {
    this.#observer.add({ type: 'taken-back', workload });
    void this.#people.putTemplate(workload, template);
  }
}
