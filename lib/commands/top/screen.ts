/** The screen of a terminal while a command draws on it again and again, and the keys and signals that end it. */

import type { Size } from './top-text.ts';

/** What a person looks at. */
export interface Screen {
  readonly size: () => Size;
  /** Draws the lines in place of those before. */
  readonly show: (lines: readonly string[]) => void;
  /** Calls `redraw` when the size has changed. */
  readonly onResize: (redraw: () => void) => void;
  /** Aborted when the person quits, or a signal ends the process. */
  readonly quit: AbortSignal;
  /** Gives the terminal back as it was. Idempotent. */
  readonly close: () => void;
}

/** The streams and signals of the process, as far as a screen needs them. */
export interface Console {
  readonly input: Pick<NodeJS.ReadStream, 'isTTY' | 'setRawMode' | 'on' | 'off' | 'resume' | 'pause'>;
  readonly output: Pick<NodeJS.WriteStream, 'columns' | 'rows' | 'write' | 'on' | 'off'>;
  readonly signals: Pick<NodeJS.Process, 'on' | 'off'>;
}

const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** The last one is Ctrl-C, which a raw input gets as a character. */
const QUIT_KEYS = ['q', 'Q', '\u0003'];

/** The alternate screen, without a cursor, and without a new line for what is too long. */
const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
/** Erases what is left of a line, or of the screen. */
const REST_OF_LINE = '\u001b[K';
const REST_OF_SCREEN = '\u001b[J';

/** Whether a person sees the standard output on a terminal that moves its cursor. */
export function isScreen(env: Readonly<Record<string, string | undefined>>): boolean {
  return process.stdout.isTTY === true && env['TERM'] !== 'dumb';
}

/** Opens the alternate screen. The caller closes it, or the end of the process does. */
export function openScreen({ input, output, signals }: Console): Screen {
  const ending = new AbortController();
  const quit = (): void => ending.abort();
  const onKeys = (keys: Buffer): void => {
    if (QUIT_KEYS.some((key) => keys.includes(key))) quit();
  };
  let redraw = (): void => undefined;
  const onResize = (): void => redraw();
  let isOpen = true;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    if (input.isTTY) input.setRawMode(false).off('data', onKeys).pause();
    output.off('resize', onResize).write(CLOSE);
    for (const signal of ENDING) signals.off(signal, quit);
    signals.off('exit', close);
  };
  for (const signal of ENDING) signals.on(signal, quit);
  signals.on('exit', close);
  if (input.isTTY) input.setRawMode(true).on('data', onKeys).resume();
  output.on('resize', onResize).write(OPEN);
  return {
    // A terminal may not know its size.
    size: () => ({ columns: output.columns || 80, rows: output.rows || 24 }),
    show: (lines) => {
      if (isOpen) output.write(`${HOME}${lines.join(`${REST_OF_LINE}\r\n`)}${REST_OF_LINE}${REST_OF_SCREEN}`);
    },
    onResize: (draw) => {
      redraw = draw;
    },
    quit: ending.signal,
    close,
  };
}
