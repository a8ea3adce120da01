/**
 * Which content of a class is in force, by what pods have mounted, as the documentation promises it: what came to a pod last. While
 * each pod has a content of its own, only what came to a pod that had what was in force.
 */

import type { LooseObject } from './api.ts';
import type { Content, TemplateStamp } from './history.ts';
import { CLASS, markOf } from './manifests.ts';
import type { Fact } from './trace.ts';

/** What one status tells. */
interface Told {
  readonly content: Content | undefined;
  readonly pod: string | undefined;
  readonly cameAt: number;
  /** The pod had what was in force before, or may have had it. */
  readonly isMove: boolean;
  /** The pod started with another content. */
  readonly isRewritten: boolean;
}

/** See the file's comment. */
export class ClassContent {
  readonly #addFact: (fact: Fact, at?: number) => void;
  readonly #told = new Map<string, Told>();
  #inForce: Content | undefined;
  #takenAt = 0;
  #mark: TemplateStamp | undefined;

  constructor(add: (fact: Fact, at?: number) => void) {
    this.#addFact = add;
  }

  /** The class is created, edited or gone: its content stays current, and so does the mark of one that is gone. */
  noteClass({ metadata }: LooseObject, isGone: boolean, at: number): void {
    const mark = isGone ? this.#mark : markOf(metadata.annotations);
    if (mark === this.#mark) return;
    this.#mark = mark;
    if (this.#inForce !== undefined) this.#add(at);
  }

  /** A status is written or gone. */
  noteStatus({ metadata, status }: LooseObject, isGone: boolean, at: number): void {
    const { name, generation = 1, ownerReferences = [] } = metadata;
    const content: Content | undefined = status.objects[0]?.version || undefined;
    const before = this.#told.get(name);
    const pod = ownerReferences[0]?.uid;
    const own = before?.pod === pod ? before : undefined;
    if (isGone) this.#told.delete(name);
    else if (own === undefined || own.content !== content) {
      const isMove = own !== undefined && [undefined, this.#inForce].includes(own.content);
      this.#told.set(name, { content, pod, cameAt: at, isMove, isRewritten: generation > 1 });
      if (content !== undefined) this.#addFact({ type: 'mounted', config: CLASS, content }, at);
    }
    this.#weigh(at);
  }

  /** A process begins, which knows what statuses tell and what the state recorded. */
  noteStart(recorded: string | undefined): void {
    const [newest] = this.#newestFirst;
    if (recorded === undefined && this.#inForce !== undefined && !this.#areAll(this.#inForce)) {
      this.#inForce = undefined;
      this.#add();
    }
    const isLast = !this.#isEachItsOwn || (newest?.isRewritten === true && recorded !== undefined);
    const known = this.#newestFirst.find(({ content }) => content === recorded && content !== undefined);
    this.#take(isLast ? newest : known);
  }

  #weigh(at: number): void {
    const [newest] = this.#newestFirst;
    const isNews = newest !== undefined && newest.cameAt > this.#takenAt;
    const isMove = newest?.isMove === true && this.#inForce !== undefined;
    if (isNews && (isMove || !this.#isEachItsOwn)) this.#take(newest, at);
  }

  get #newestFirst(): readonly Told[] {
    const told = [...this.#told.values()].filter(({ content }) => content !== undefined);
    return told.toSorted((a, b) => b.cameAt - a.cameAt);
  }

  get #isEachItsOwn(): boolean {
    const contents = this.#newestFirst.map(({ content }) => content);
    return contents.length > 1 && new Set(contents).size === contents.length;
  }

  #areAll(content: Content): boolean {
    return this.#newestFirst.every((told) => told.content === content);
  }

  #take(told: Told | undefined, at?: number): void {
    if (told === undefined) return;
    this.#takenAt = told.cameAt;
    if (told.content === this.#inForce) return;
    this.#inForce = told.content;
    this.#add(at);
  }

  #add(at?: number): void {
    const [content, mark] = [this.#inForce, this.#mark];
    this.#addFact({ type: 'content', config: CLASS, content, mark }, at);
  }
}
