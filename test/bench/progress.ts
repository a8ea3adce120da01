/** Says what is going on: unless told otherwise nothing is silent for longer than two seconds. */

const TICK_MS = 1900;

/** The line that says what is measured now. */
export class Progress implements Disposable {
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout | undefined;
  #words = '';
  #said = '';

  /** @param isTicking whether it says that it is still at it */
  constructor(isTicking = true) {
    if (isTicking) this.#timer = setInterval(() => this.#print(), TICK_MS);
  }

  /** From now on it is this. */
  step(words: string): void {
    this.#words = words;
    this.#print();
  }

  /** How far the present step is: told with the next tick. */
  readonly at = (done: number, of: number): void => {
    this.#words = `${this.#words.replace(/: \d+ of \d+$/, '')}: ${done} of ${of}`;
  };

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  #print(): void {
    const seconds = ((performance.now() - this.#startedAt) / 1000).toFixed(0).padStart(4);
    const words = this.#words === this.#said ? 'still at it' : this.#words;
    this.#said = this.#words;
    process.stderr.write(`${seconds} s  ${words}\n`);
  }
}
