/**
 * Which content of a class is in force, by what pods have mounted, as the documentation promises it: what all agree on, at once; while
 * they differ what was in force, until the newest counts because they have differed for too long.
 */

import type { LooseObject } from './api.ts';
import type { Content, TemplateStamp } from './history.ts';
import { CLASS, markOf } from './manifests.ts';
import type { Fact } from './trace.ts';

/** What is noted of the class. */
export interface ClassContentOptions {
  readonly add: (fact: Fact, at?: number) => void;
  /** For how long pods may differ. */
  readonly maxWaitMs: number;
}

/** See the file's comment. */
export class ClassContent {
  readonly #options: ClassContentOptions;
  /** What each status tells. */
  readonly #told = new Map<string, Content>();
  /** When a status came last to each content that some status tells. */
  readonly #cameAt = new Map<Content, number>();
  /** The contents to which a status has come since one was taken: what is left when others end is no news. */
  readonly #news = new Set<Content>();
  #inForce: Content | undefined;
  #mark: TemplateStamp | undefined;
  /** Each of the pods has had a content of its own for too long. */
  #isDynamic = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ClassContentOptions) {
    this.#options = options;
  }

  /** The class is created, edited or gone: its content stays in force, and so does the mark of one that is gone. */
  noteClass({ metadata }: LooseObject, isGone: boolean, at: number): void {
    const mark = isGone ? this.#mark : markOf(metadata.annotations);
    if (mark === this.#mark) return;
    this.#mark = mark;
    if (this.#inForce !== undefined) this.#add(at);
  }

  /** A status is written or gone. */
  noteStatus({ metadata, status }: LooseObject, isGone: boolean, at: number): void {
    const version: string | undefined = status.objects[0]?.version;
    const before = this.#told.get(metadata.name);
    this.#told.delete(metadata.name);
    const content = isGone || !version ? undefined : (version as Content);
    if (content !== undefined) this.#told.set(metadata.name, content);
    if (content !== undefined && content !== before) {
      this.#news.add(content);
      this.#cameAt.set(content, at);
      this.#options.add({ type: 'mounted', config: CLASS, content }, at);
    }
    this.#weigh(at);
  }

  /** A process begins that finds nothing in the state: it knows only what statuses tell. */
  forget(): void {
    if (this.#inForce === undefined || (this.#cameAt.size === 1 && this.#cameAt.has(this.#inForce))) return;
    this.#rest();
    this.#inForce = undefined;
    this.#add(undefined);
    for (const content of this.#cameAt.keys()) this.#news.add(content);
    this.#weigh(undefined);
  }

  #weigh(at: number | undefined): void {
    const told = [...this.#told.values()];
    for (const content of [...this.#cameAt.keys()].filter((each) => !told.includes(each))) {
      this.#cameAt.delete(content);
      this.#news.delete(content);
    }
    this.#isDynamic &&= told.length > 0 && this.#isEachItsOwn;
    const newest = this.#newest;
    const isNews = newest !== undefined && this.#news.has(newest);
    if (isNews && this.#cameAt.size === 1 && !this.#isDynamic) this.#take(newest, at);
    else if (isNews && newest !== this.#inForce && !this.#isDynamic)
      this.#timer ??= setTimeout(() => this.#settle(), this.#options.maxWaitMs);
    else this.#rest();
  }

  /** They have differed for too long. */
  #settle(): void {
    const newest = this.#newest;
    const isOneOfTwo =
      this.#cameAt.size === 2 && this.#inForce !== undefined && this.#cameAt.has(this.#inForce);
    this.#isDynamic = this.#isEachItsOwn && !isOneOfTwo;
    if (newest !== undefined && !this.#isDynamic) this.#take(newest);
    else this.#rest();
  }

  get #isEachItsOwn(): boolean {
    return this.#told.size === this.#cameAt.size;
  }

  /** The content to which a status came last. */
  get #newest(): Content | undefined {
    return [...this.#cameAt].toSorted(([, a], [, b]) => b - a)[0]?.[0];
  }

  #take(content: Content, at?: number): void {
    this.#rest();
    this.#news.clear();
    if (content === this.#inForce) return;
    this.#inForce = content;
    this.#add(at, this.#cameAt.size > 1);
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #add(at: number | undefined, isLate = false): void {
    const [content, mark] = [this.#inForce, this.#mark];
    this.#options.add({ type: 'content', config: CLASS, content, mark, ...(isLate && { isLate }) }, at);
  }
}
