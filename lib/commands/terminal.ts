/** Where a command writes, and in which format. */

import { styleText } from 'node:util';
import { stringify } from 'yaml';
import { API_VERSION } from '../options/version.ts';

/** Writes text in a style; without a terminal it is the text alone. */
export type Paint = (style: 'bold' | 'dim' | 'red' | 'green' | 'yellow', text: string) => string;

/** Where a command writes. */
export interface Terminal {
  readonly paint: Paint;
  /** Writes the answer; resolves when it is written. */
  readonly write: (text: string) => Promise<void>;
  /** Writes a line for people that is no part of the answer. */
  readonly note: (line: string) => void;
}

/** The terminal of this process: in colour only where a person sees it. */
export function terminalOf(env: Readonly<Record<string, string | undefined>>): Terminal {
  const isColoured = process.stdout.isTTY === true && !env['NO_COLOR'];
  return {
    paint: (style, text) => (isColoured ? styleText(style, text, { validateStream: false }) : text),
    write: (text) => new Promise((resolve) => process.stdout.write(text, () => resolve())),
    note: (line) => void process.stderr.write(`${line}\n`),
  };
}

/** The answer in the format that the person wants; `text` makes the one for people. */
export function formatted(format: string, answer: object, text: () => string): string {
  const document = { apiVersion: API_VERSION, ...answer };
  if (format === 'json') return `${JSON.stringify(document, undefined, 2)}\n`;
  return format === 'yaml' ? stringify(document, { lineWidth: 0 }) : text();
}
