/** One watch that goes through the proxy, and what may befall it. */

import type { Piece } from '../../lib/kubernetes/transport.ts';
import { delay, untilAborted } from '../sandbox/abort.ts';
import { type CallFacts, connectionError } from '../sandbox/faults.ts';

/** Broken off now; broken off in the middle of the next line; nothing more, and no end either. */
export type RelayEffect = 'cut' | 'truncated' | 'silent';

/** A client drops what it has not read yet when the connection breaks. */
const TO_BE_READ_MS = 50;

/** It stays open for as long as both sides want it, or until it suffers. */
export class RelayedWatch {
  readonly call: CallFacts;
  /** Ends the request to the server. */
  readonly signal: AbortSignal;
  readonly #client: AbortSignal | undefined;
  readonly #cut = new AbortController();
  readonly #onEffect: (effect: RelayEffect) => void;
  #effect: RelayEffect | undefined;

  /**
   * @param client is aborted when the client has gone
   * @param onEffect is called when an effect begins to be felt
   */
  constructor(call: CallFacts, client: AbortSignal | undefined, onEffect: (effect: RelayEffect) => void) {
    this.call = call;
    this.#client = client;
    this.#onEffect = onEffect;
    this.signal = AbortSignal.any([this.#cut.signal, ...(client === undefined ? [] : [client])]);
  }

  /** From now on it is like that. */
  suffer(effect: RelayEffect): void {
    this.#effect = effect;
    if (effect === 'truncated') return;
    this.#onEffect(effect);
    if (effect === 'cut') this.#cut.abort();
  }

  /** What the client gets of `body`. */
  async *over(body: AsyncIterable<Piece>, onClose: () => void): AsyncGenerator<Piece, void> {
    try {
      for await (const piece of body) {
        if (this.#effect === 'truncated') {
          this.#onEffect('truncated');
          yield piece.slice(0, piece.length / 2);
          await delay(TO_BE_READ_MS);
          throw connectionError('ECONNRESET');
        }
        if (this.#effect !== 'silent') yield piece;
      }
    } catch (error) {
      if (this.#effect !== 'silent') throw error;
    } finally {
      onClose();
    }
    if (this.#effect === 'silent') await untilAborted(this.#client);
  }
}
