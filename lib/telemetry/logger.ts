/** The log of the program: winston, one line per entry. Problems go to standard error, everything else to standard output. */

import type { Writable } from 'node:stream';
import { createLogger, format, transports } from 'winston';
import type { Log, LogFields } from '../model/log.ts';
import { jsonLine, type LogEntry, textLine } from './log-line.ts';

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

const LEVELS = { error: 0, warn: 1, info: 2, debug: 3 };

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
function writerTo(
  stream: LogStream,
  { level, format: form, mayColour = true }: Pick<LoggerOptions, 'level' | 'format' | 'mayColour'>,
): Write {
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
    levels: LEVELS,
    level,
    format: line,
    transports: [new transports.Stream({ stream, eol: '\n' })],
  });
  const gather = gatherer(stream);
  return (word, message, fields) => {
    gather();
    // The fields stay one property: spread over winston's own entry they could overwrite its parts.
    logger.log({ level: word, message, fields });
  };
}

/**
 * The returned function is called before each line, so that all lines of one turn of the event loop are one write. Each write to a
 * pipe wakes the reader, which competes for the same processors, and one change may log a line for each of hundreds of workloads.
 * A handler of `exit` writes the lines that are still held.
 */
function gatherer(stream: Writable): () => void {
  let isHeld = false;
  const release = (): void => {
    process.off('exit', release);
    isHeld = false;
    stream.uncork();
  };
  return () => {
    if (isHeld) return;
    isHeld = true;
    stream.cork();
    process.once('exit', release);
    setImmediate(release);
  };
}
