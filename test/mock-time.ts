/**
 * Time that a test moves. The mock timers of node:test drive the time of day alone; here each tick moves the clock of waits
 * (`performance.now`) by as much, and the time of day can jump without the two.
 */

import type { MockTimers, TestContext } from 'node:test';

/** What the clock of waits shows at first: no number of the time of day, and not a whole one, as in a process. */
const ORIGIN_MS = 12_345.5;
const DAY_MS = 86_400_000;

/** What is moved besides the time of day, and from when on. */
export interface MockTimeOptions {
  /** @default setTimeout */
  readonly apis?: readonly string[];
  /** The time of day at first, in ms since 1970. @default 0 */
  readonly now?: number;
  /** By how much the time of day is ahead for the process that asks. @default 0 */
  readonly aheadMs?: () => number;
}

/** Time that stands still but for the ticks of the mock timers. */
export interface MockTime {
  /** Somebody sets the time of day forward, or back: no wait is any nearer to its end. */
  readonly jump: (ms: number) => void;
  /** A jump by a day, forward and back in turns: for stages that step time, so that no test of theirs depends on the time of day. */
  readonly jolt: () => void;
  /** Gives the real time back. */
  readonly restore: () => void;
}

/** Stops time until the test ends. */
export function mockTime(t: Pick<TestContext, 'mock' | 'after'>, options: MockTimeOptions = {}): MockTime {
  const time = stopTimers(t.mock.timers, options);
  t.after(() => time.restore());
  return time;
}

/** Stops time until it is given back. */
export function stopTimers(
  timers: MockTimers,
  { apis = ['setTimeout'], now = 0, aheadMs = () => 0 }: MockTimeOptions = {},
): MockTime {
  // The types do not know all names yet.
  timers.enable({ apis: [...apis, 'Date'] as 'Date'[], now });
  const driven = Date;
  const give = (name: string, value: unknown) =>
    Object.defineProperty(performance, name, { value, configurable: true });
  give('now', () => ORIGIN_MS + driven.now() - now);
  give('timeOrigin', now - ORIGIN_MS);
  let offset = 0;
  globalThis.Date = shifted(driven, () => driven.now() + offset + aheadMs());
  const jump = (ms: number): void => {
    offset += ms;
  };
  return {
    jump,
    jolt: () => jump(offset > 0 ? -DAY_MS : DAY_MS),
    restore() {
      timers.reset();
      Reflect.deleteProperty(performance, 'now');
      Reflect.deleteProperty(performance, 'timeOrigin');
    },
  };
}

/** `driven`, but for what it takes for the present. */
function shifted(driven: DateConstructor, now: () => number): DateConstructor {
  return new Proxy(driven, {
    construct: (target, args, self) => Reflect.construct(target, args.length === 0 ? [now()] : args, self),
    get: (target, name, self) => (name === 'now' ? now : Reflect.get(target, name, self)),
  });
}
