/** Who must not happen at the same time takes turns. */

/** One at a time, in the order of asking. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `action` when all that asked before have ended, however they did. */
  async take<T>(action: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(action, action);
    this.#last = turn.catch(() => undefined); // told to whoever took that turn
    return await turn;
  }
}
