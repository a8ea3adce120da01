/** The log of the program: winston, one line per entry. Problems go to standard error, everything else to standard output. */

import type { Writable } from 'node:stream';
import { createLogger, format, transports } from 'winston';
import type { Log, LogFields } from '../model/log.ts';
import { cutToBytes, MOST_BYTES, plain } from '../model/text.ts';

type LogStream = Writable & { readonly isTTY?: boolean };

/** The level, format and streams of a log. */
export interface LoggerOptions {
  /** Entries below it are dropped. */
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly format: 'text' | 'json';
  /** Whether colours are allowed. @default true */
  readonly mayColour?: boolean;
  /** For debug and info. @default process.stdout */
  readonly out?: LogStream;
  /** For warnings and errors. @default process.stderr */
  readonly problems?: LogStream;
}

/** A Log that writes to two streams, since collectors of logs count each line of standard error as an error. */
export function newLog(options: LoggerOptions): Log {
  const { out = process.stdout, problems = process.stderr } = options;
  const [facts, warnings] = [writerTo(out, options), writerTo(problems, options)];
  return {
    debug: (message, fields) => facts('debug', message, fields),
    info: (message, fields) => facts('info', message, fields),
    warn: (message, fields) => warnings('warn', message, fields),
    error: (message, fields) => warnings('error', message, fields),
  };
}

type Write = (word: string, message: string, fields: LogFields | undefined) => void;

/** Writes entries to `stream`, in colour only if that is a terminal. */
function writerTo(stream: LogStream, { level, format: form, mayColour = true }: LoggerOptions): Write {
  const colour = mayColour && stream.isTTY === true;
  const line = format.printf(({ level: word, message, fields }) => {
    const entry: LogEntry = {
      time: new Date(),
      level: word,
      message: String(message),
      fields: (fields ?? {}) as LogFields,
    };
    return form === 'json' ? jsonLine(entry) : textLine(entry, colour);
  });
  const logger = createLogger({
    level,
    format: line,
    transports: [new transports.Stream({ stream, eol: '\n' })],
  });
  // The fields stay one property: spread over winston's own entry they could overwrite its parts.
  return (word, message, fields) => void logger.log({ level: word, message, fields });
}

/** One entry of the log. */
interface LogEntry {
  readonly time: Date;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

const COLOURS: Readonly<Record<string, number>> = { debug: 90, info: 32, warn: 33, error: 31 };
/** The word for each level that Google Cloud and others read from JSON. */
const SEVERITIES: Readonly<Record<string, string>> = { warn: 'WARNING' };
const MAX_CAUSES = 5;
/** Bytes of a text field: an escaped character may take six bytes, and a line has several fields. */
const LONGEST_TEXT = MOST_BYTES / 8;

/**
 * `2026-01-31T12:00:00.000Z INFO  Deployment/web rolled sources=1`. Control characters are escaped, so an entry is one line. It
 * is cut to MOST_BYTES.
 */
export function textLine({ time, level, message, fields }: LogEntry, colour: boolean): string {
  const word = level.toUpperCase().padEnd(5);
  const painted = colour ? `\u001b[${COLOURS[level] ?? 0}m${word}\u001b[0m` : word;
  const pairs = Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => ` ${name}=${textOf(value)}`);
  // Cut before it is escaped, which bounds the work for a very long message.
  const start = plain(cutToBytes(message));
  return cutToBytes(`${time.toISOString()} ${painted} ${start}${pairs.join('')}`);
}

/**
 * One JSON object with time, level, severity and message first, which no field replaces. Its texts are cut to LONGEST_TEXT; if it is longer
 * than MOST_BYTES all the same, its fields are dropped, and it has `isCut`.
 */
function jsonLine({ time, level, message, fields }: LogEntry): string {
  const severity = SEVERITIES[level] ?? level.toUpperCase();
  const head = { time: time.toISOString(), level, severity, message: cutToBytes(message, LONGEST_TEXT) };
  const whole = plain(jsonOf({ ...head, ...fields, ...head }));
  return cutToBytes(whole) === whole ? whole : plain(jsonOf({ ...head, isCut: true }));
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : value instanceof Error ? messagesOf(value) : jsonOf(value);
  const start = cutToBytes(text);
  return /^[^\s"=\p{C}]+$/u.test(start) ? start : plain(JSON.stringify(start));
}

/** JSON of `value`; a placeholder if it cannot be serialized, since a log line never throws. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, (_, part: unknown) => plainOf(part)) ?? 'null';
  } catch {
    // A cycle: drop the field and keep the line.
    return '"(not printable)"';
  }
}

function plainOf(part: unknown): unknown {
  if (part instanceof Error) return cutToBytes(messagesOf(part), LONGEST_TEXT);
  if (typeof part === 'string') return cutToBytes(part, LONGEST_TEXT);
  if (typeof part === 'bigint') return part.toString();
  if (part instanceof Set || part instanceof Map) return [...part];
  return part;
}

/** The messages of an error and its causes: `cannot list Secrets: connect ECONNREFUSED`. Stacks are not for users. */
function messagesOf(error: Error): string {
  const messages: string[] = [];
  for (let at: unknown = error; at instanceof Error && messages.length < MAX_CAUSES; at = at.cause) {
    messages.push(at.message || at.name);
  }
  return messages.join(': ');
}
