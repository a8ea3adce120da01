import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { type LoggerOptions, newLog } from '../../../lib/telemetry/logger.ts';

const NOW = Date.UTC(2026, 0, 31, 12);

class Terminal extends Writable {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    super();
    this.isTTY = isTTY;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

/** What one entry looks like. */
function written(
  message: string,
  fields?: Record<string, unknown>,
  options: Partial<LoggerOptions> & { isTTY?: boolean } = {},
): string {
  const stream = new Terminal(options.isTTY ?? false);
  newLog({ level: 'debug', format: 'text', out: stream, ...options }).info(message, fields);
  return stream.text;
}

beforeEach(() => mock.timers.enable({ apis: ['Date'], now: NOW }));
afterEach(() => mock.timers.reset());

describe('a line of text', () => {
  const cause = new Error('cannot list Secrets', { cause: new Error('connect ECONNREFUSED') });
  const cases: Record<string, { fields: Record<string, unknown>; want: string }> = {
    'is the message alone without fields': { fields: {}, want: '' },
    'has its fields behind it': {
      fields: { sources: 1, outdated: false },
      want: ' sources=1 outdated=false',
    },
    'quotes a text with spaces': { fields: { why: 'not yet' }, want: ' why="not yet"' },
    'quotes an empty text': { fields: { why: '' }, want: ' why=""' },
    'escapes lines and controls in a field': {
      fields: { why: 'a\nb\u001b[0m' },
      want: ' why="a\\nb\\u001b[0m"',
    },
    'leaves out a field without a value': { fields: { why: undefined, at: null }, want: ' at=null' },
    'tells an error with its causes': {
      fields: { error: cause },
      want: ' error="cannot list Secrets: connect ECONNREFUSED"',
    },
    'shows a list as JSON': { fields: { names: ['a'] }, want: ' names="[\\"a\\"]"' },
  };
  for (const [name, { fields, want }] of Object.entries(cases)) {
    test(name, () => {
      assert.equal(
        written('Deployment/web rolled', fields),
        `2026-01-31T12:00:00.000Z INFO  Deployment/web rolled${want}\n`,
      );
    });
  }

  test('escapes lines in the message', () => {
    assert.equal(written('a\nb'), '2026-01-31T12:00:00.000Z INFO  a\\nb\n');
  });

  test('has colour on a terminal only', () => {
    assert.ok(written('x', {}, { isTTY: true }).includes('\u001b[32mINFO \u001b[0m x'));
    assert.ok(!written('x', {}, { isTTY: true, mayColour: false }).includes('\u001b'));
    assert.ok(!written('x').includes('\u001b'));
  });
});

describe('a line of JSON', () => {
  const json = (fields: Record<string, unknown>): unknown =>
    JSON.parse(written('x', fields, { format: 'json', isTTY: true }));
  const head = { time: '2026-01-31T12:00:00.000Z', level: 'info', severity: 'INFO', message: 'x' };

  test('has time, level, message and the fields', () => {
    assert.deepEqual(json({ a: 1, b: [2] }), { ...head, a: 1, b: [2] });
  });

  test('has its own time, level and message beside fields of these names', () => {
    assert.deepEqual(json({ time: 1, level: 2, message: 3 }), head);
  });

  test('tells an error by its messages and a bigint, a set and a map by what they hold', () => {
    const fields = { error: new Error('no'), n: 1n, set: new Set(['a']), map: new Map([['k', 1]]) };
    assert.deepEqual(json(fields), { ...head, error: 'no', n: '1', set: ['a'], map: [['k', 1]] });
  });
});

test('a field that cannot be written does not take the line with it', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = cycle;
  assert.match(written('x', { cycle }), /INFO {2}x cycle=.*not printable/);
  assert.match(written('x', { cycle }, { format: 'json' }), /not printable/);
});

test('an error that is its own cause is told once per level, five levels deep', () => {
  const error = new Error('loop');
  error.cause = error;
  assert.match(written('x', { error }), /error="loop: loop: loop: loop: loop"/);
});

test('entries below the level are dropped, and the order is kept', () => {
  const stream = new Terminal(false);
  const log = newLog({ level: 'warn', format: 'text', problems: stream });
  log.debug('1');
  log.warn('2');
  log.error('3');
  assert.deepEqual(stream.text.match(/(WARN|ERROR|INFO|DEBUG) +\d/g), ['WARN  2', 'ERROR 3']);
});

test('only problems go to standard error, with the severity that collectors of logs read', () => {
  const [out, problems] = [new Terminal(false), new Terminal(false)];
  const log = newLog({ level: 'debug', format: 'json', out, problems });
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level]('x');
  const severities = ({ text }: Terminal): unknown[] =>
    text
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { severity: unknown }).severity);
  assert.deepEqual(
    [severities(out), severities(problems)],
    [
      ['DEBUG', 'INFO'],
      ['WARNING', 'ERROR'],
    ],
  );
});

describe('whatever is told,', () => {
  const long = 'ä\u0001'.repeat(600_000);
  for (const format of ['text', 'json'] as const) {
    const cases = {
      'a long message': () => written(`start ${long}`, { namespace: 'a' }, { format }),
      'a long field': () => written('start', { error: new Error(long), name: long }, { format }),
      'a field of many parts': () =>
        written('start', { names: Array.from({ length: 9_000 }, String) }, { format }),
    };
    for (const [what, write] of Object.entries(cases)) {
      test(`${what} is a line of ${format} of no more than 8 KiB`, () => {
        const line = write();
        assert.ok(Buffer.byteLength(line) <= 8_193, `${Buffer.byteLength(line)} bytes`);
        assert.match(line, /start/);
        if (format === 'json') assert.equal(JSON.parse(line).isCut, what.endsWith('parts') || undefined);
      });
    }
    test(`no line of ${format} steers a terminal`, () => {
      const text = written(
        'a\u009b31m\u202eb',
        { name: 'c\u2028d\u2066', deep: { e: 'f\u0085' } },
        { format },
      );
      assert.match(text, /^[\x20-\x7e]+\n$/);
      if (format === 'json') assert.equal(JSON.parse(text).name, 'c\u2028d\u2066');
    });
  }
});
