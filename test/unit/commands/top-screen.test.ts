/** The screen of `reloader top`: it is drawn again and again, and given back whatever ends it. */

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { describe, type TestContext, test } from 'node:test';
import { CommandError } from '../../../lib/commands/connect.ts';
import { showLive } from '../../../lib/commands/top/live.ts';
import { type Console, openScreen, type Screen } from '../../../lib/commands/top/screen.ts';
import { mockTime } from '../../mock-time.ts';

const OPEN = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSE = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** A terminal of a person: what was written to it, and whether its input is raw and read. */
class FakeConsole {
  readonly input = Object.assign(new EventEmitter(), {
    isTTY: true,
    isRaw: false,
    isRead: false,
    setRawMode(isRaw: boolean) {
      this.isRaw = isRaw;
      return this;
    },
    resume() {
      this.isRead = true;
      return this;
    },
    pause() {
      this.isRead = false;
      return this;
    },
  });
  readonly output = Object.assign(new EventEmitter(), {
    columns: 80,
    rows: 24,
    text: '',
    write(text: string) {
      this.text += text;
      return true;
    },
  });
  readonly signals = new EventEmitter();

  open(): Screen {
    return openScreen(this as unknown as Console);
  }

  /** Whether all is as before `open`. */
  isAsBefore(): boolean {
    const { input, output, signals } = this;
    const listeners = [input, output, signals].flatMap((each) => each.eventNames());
    return output.text.endsWith(CLOSE) && !input.isRaw && !input.isRead && listeners.length === 0;
  }
}

describe('a screen', () => {
  test('draws over what was there, and is given back', () => {
    const fake = new FakeConsole();
    const screen = fake.open();
    assert.ok(fake.input.isRaw && fake.input.isRead);
    screen.show(['one', 'two']);
    assert.equal(fake.output.text, `${OPEN}\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J`);
    screen.close();
    assert.ok(fake.isAsBefore());
    const { text } = fake.output;
    screen.close();
    screen.show(['late']);
    assert.equal(fake.output.text, text);
  });

  const ends: Readonly<Record<string, (fake: FakeConsole) => void>> = {
    q: ({ input }) => input.emit('data', Buffer.from('q')),
    'Ctrl-C': ({ input }) => input.emit('data', Buffer.from('\u0003')),
    SIGINT: ({ signals }) => signals.emit('SIGINT'),
    SIGTERM: ({ signals }) => signals.emit('SIGTERM'),
    SIGHUP: ({ signals }) => signals.emit('SIGHUP'),
  };
  for (const [name, end] of Object.entries(ends))
    test(`is left by ${name}`, () => {
      const fake = new FakeConsole();
      const screen = fake.open();
      fake.input.emit('data', Buffer.from('x\u001b[A'));
      assert.ok(!screen.quit.aborted);
      end(fake);
      assert.ok(screen.quit.aborted);
      screen.close();
    });

  test('is given back if the process ends by an error', () => {
    const fake = new FakeConsole();
    fake.open();
    fake.signals.emit('exit');
    assert.ok(fake.isAsBefore());
  });

  test('leaves an input alone that is no terminal, and has a size if the terminal does not know one', () => {
    const fake = new FakeConsole();
    fake.input.isTTY = false;
    Object.assign(fake.output, { columns: 0, rows: 0 });
    const screen = fake.open();
    assert.deepEqual(screen.size(), { columns: 80, rows: 24 });
    assert.ok(!fake.input.isRaw && !fake.input.isRead);
    screen.close();
    assert.ok(fake.isAsBefore());
  });
});

describe('the table', () => {
  /** Shows what `look` reads, every two seconds; `after` moves time and lets the loop run. */
  function started(t: TestContext, look: () => Promise<string>) {
    mockTime(t);
    const fake = new FakeConsole();
    const screen = fake.open();
    const drawn: string[] = [];
    const draw = (shown: string, trouble: string | undefined): readonly string[] => {
      drawn.push(trouble === undefined ? shown : `${shown} (${trouble})`);
      return [shown];
    };
    const ended = showLive(screen, { first: 'first', look, intervalMs: 2_000, draw });
    const after = async (ms: number): Promise<string | undefined> => {
      t.mock.timers.tick(ms);
      await new Promise((resolve) => setImmediate(resolve));
      return drawn.at(-1);
    };
    return { fake, screen, drawn, ended, after };
  }

  test('is read and drawn every two seconds, and drawn when the size changes', async (t) => {
    let reads = 0;
    const { fake, drawn, ended, after } = started(t, async () => {
      reads += 1;
      return `read ${reads}`;
    });
    assert.deepEqual(drawn, ['first']);
    assert.equal(await after(1_999), 'first');
    assert.equal(await after(1), 'read 1');
    assert.equal(await after(2_000), 'read 2');
    fake.output.emit('resize');
    assert.deepEqual(drawn, ['first', 'read 1', 'read 2', 'read 2']);
    fake.input.emit('data', Buffer.from('q'));
    await ended;
    assert.equal(reads, 2);
  });

  test('stays while a read fails, with the reason and its age, until one succeeds', async (t) => {
    let works = false;
    const { fake, ended, after } = started(t, async () => {
      if (works) return 'back';
      throw new CommandError('no answer');
    });
    assert.equal(await after(2_000), 'first (not read again for 2 s: no answer)');
    assert.equal(await after(2_000), 'first (not read again for 4 s: no answer)');
    works = true;
    assert.equal(await after(2_000), 'back');
    fake.signals.emit('SIGTERM');
    await ended;
  });

  test('is left although a read is under way', async (t) => {
    const { fake, drawn, ended, after } = started(t, () => new Promise(() => undefined));
    await after(2_000);
    fake.input.emit('data', Buffer.from('q'));
    await ended;
    assert.deepEqual(drawn, ['first']);
  });

  test('ends with an error of the program', async (t) => {
    const { ended, after } = started(t, () => Promise.reject(new TypeError('a mistake')));
    const rejected = assert.rejects(ended, TypeError);
    await after(2_000);
    await rejected;
  });
});
