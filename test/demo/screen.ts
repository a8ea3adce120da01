/** What the demo prints: lines of at most 100 columns; on a terminal in colour, with a line that moves while it waits. */

import { stripVTControlCharacters } from 'node:util';

/** Where to print. */
export interface Output {
  readonly write: (text: string) => unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  /** Whether it shows colours; a terminal says no when NO_COLOR is set. */
  readonly hasColors?: () => boolean;
}

const WIDEST = 100;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;
/** Where nothing can move, a line is printed before two seconds have passed in silence. */
const SILENCE_MS = 1500;

/** The codes of ECMA-48. */
const STYLES = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const;

/** How a text looks. */
export type Style = keyof typeof STYLES;

/** See the file's comment. */
export class Screen {
  readonly #output: Output;
  readonly #isLive: boolean;
  #isMoving = false;
  #lastWrite = Date.now();
  /** Whether it prints in colour. */
  readonly colour: boolean;

  constructor(output: Output) {
    this.#output = output;
    this.#isLive = output.isTTY === true;
    this.colour = this.#isLive && output.hasColors?.() === true;
  }

  /** `text` in a style, or as it is where there are no colours. */
  paint(style: Style, text: string): string {
    return this.colour ? `\u001b[${STYLES[style]}m${text}\u001b[0m` : text;
  }

  /** An empty line, and a line that stands out. */
  heading(text: string): void {
    this.print('', this.paint('bold', text));
  }

  /** What the demo itself does now. */
  act(text: string): void {
    for (const line of wrapped(text, this.#width - 2)) this.print(this.paint('cyan', `> ${line}`));
  }

  /** Sentences. */
  say(text: string): void {
    this.print(...wrapped(text, this.#width));
  }

  /** A line that is long: its continuation is indented further. */
  hanging(text: string): void {
    const [first = '', ...rest] = wrapped(text, this.#width - 2);
    const more = wrapped(rest.join(' '), this.#width - 6);
    this.print(`  ${first}`, ...(rest.length === 0 ? [] : more.map((line) => `      ${line}`)));
  }

  /** Lines as they are. */
  print(...lines: readonly string[]): void {
    this.#erase();
    this.#output.write(lines.map((line) => `${line}\n`).join(''));
    this.#lastWrite = Date.now();
  }

  /** Shows that something is awaited for as long as `work` lasts. */
  async during<T>(what: string, work: Promise<T>): Promise<T> {
    const since = Date.now();
    const timer = setInterval(() => this.#tick(what, Date.now() - since), FRAME_MS);
    try {
      return await work;
    } finally {
      clearInterval(timer);
      this.#erase();
    }
  }

  get #width(): number {
    // A terminal that does not know its size says 0.
    return Math.min(this.#output.columns || WIDEST, WIDEST);
  }

  #tick(what: string, ms: number): void {
    const seconds = (ms / 1000).toFixed(1);
    if (!this.#isLive) {
      if (Date.now() - this.#lastWrite >= SILENCE_MS) this.print(`  … waiting until ${what} (${seconds} s)`);
      return;
    }
    const frame = SPINNER[Math.floor(ms / FRAME_MS) % SPINNER.length] ?? '';
    const text = `  ${frame} waiting until ${what} (${seconds} s)`.slice(0, this.#width - 1);
    this.#erase();
    this.#output.write(this.paint('dim', text));
    this.#isMoving = true;
  }

  #erase(): void {
    if (this.#isMoving) this.#output.write('\r\u001b[K');
    this.#isMoving = false;
  }
}

/** `text` in lines of at most `width` columns, broken at spaces only. */
export function wrapped(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line: string | undefined;
  for (const word of text.split(' ')) {
    const longer: string = line === undefined ? word : `${line} ${word}`;
    if (line !== undefined && stripVTControlCharacters(longer).length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return line === undefined ? lines : [...lines, line];
}
