/**
 * Why nothing happens: what stands against a workload at this moment, said once for as long as it stands. Of a workload
 * against which nothing stands nothing is kept.
 */

import type { InformerEvent } from '../model/informer-event.ts';
import type { Notice } from '../model/notice.ts';
import type { ObjectKey, WorkloadRef } from '../model/object-ref.ts';
import type { Workload } from '../model/workload.ts';
import type { Edges } from './edges.ts';

/** Whom a notice is about. */
type Subject = Pick<Workload, 'ref' | 'uid'>;

/** What stands against one workload. */
interface Board extends Subject {
  readonly notices: readonly Notice[];
}

/** What the notices are made of. */
export interface NoticesOptions {
  readonly edges: Edges;
  /** Tells people of a notice that did not stand before. */
  readonly say: (workload: Subject, notice: Notice) => void;
}

/** See the file's comment. */
export class Notices {
  readonly #options: NoticesOptions;
  readonly #boards = new Map<ObjectKey, Board>();

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** News of a workload, once what it follows is brought up to date. */
  observe(event: InformerEvent<Workload>): void {
    if (event.type === 'absent') this.#boards.delete(event.key);
    if (event.type !== 'present') return;
    // What is known may be newer than the news.
    const workload = this.#options.edges.workloads.get(event.key)?.workload ?? event.object;
    this.#replace(event.key, workload, workload.isBeingDeleted ? [] : this.#noticesOf(workload));
  }

  /** What stands against a workload. */
  of(workload: ObjectKey): readonly Notice[] {
    return this.#boards.get(workload)?.notices ?? [];
  }

  /** The workloads against which something stands. */
  workloads(): Iterable<readonly [ObjectKey, WorkloadRef]> {
    return [...this.#boards].map(([key, { ref }]) => [key, ref]);
  }

  #noticesOf(workload: Workload): readonly Notice[] {
    return this.#options.edges.dialect.mistakesOf(workload);
  }

  #replace(key: ObjectKey, { ref, uid }: Subject, notices: readonly Notice[]): void {
    const board = this.#boards.get(key);
    const said = board?.uid === uid ? board.notices : [];
    if (notices.length === 0) this.#boards.delete(key);
    else this.#boards.set(key, { ref, uid, notices });
    for (const notice of notices) {
      const isNew = !said.some(({ reason, about }) => reason === notice.reason && about === notice.about);
      if (isNew) this.#options.say({ ref, uid }, notice);
    }
  }
}
