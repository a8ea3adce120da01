/** The reloader's log on the screen: its own lines, without what is the same in all of them. */

import { textLine } from '../../lib/telemetry/logger.ts';
import type { LogLine } from '../integration/reloader-process.ts';
import type { Screen } from './screen.ts';

/** So many baselines are shown after another; the rest is counted. */
const SHOWN_BASELINES = 3;
const DATE = '2026-01-31T'.length;
const TIME = '12:00:00.000Z'.length;

/** See the file's comment. */
export class LogView {
  readonly #screen: Screen;
  #baselines = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Shows a line: with the time, without the date and the namespace. */
  show(line: LogLine): void {
    this.#baselines = line['reason'] === 'baseline' ? this.#baselines + 1 : this.#counted();
    if (this.#baselines > SHOWN_BASELINES) return;
    const { time, level, message, namespace: _, severity: __, ...fields } = line;
    const text = textLine({ time: new Date(String(time)), level, message, fields }, this.#screen.colour);
    const short = text.slice(DATE);
    this.#screen.hanging(this.#screen.paint('dim', short.slice(0, TIME)) + short.slice(TIME));
  }

  #counted(): 0 {
    const more = this.#baselines - SHOWN_BASELINES;
    if (more > 0) this.#screen.hanging(this.#screen.paint('dim', `… and ${more} lines more of this kind`));
    return 0;
  }
}
