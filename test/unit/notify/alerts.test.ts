import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { type Log, NO_LOG } from '../../../lib/model/log.ts';
import type { FailureInfo, RolloutInfo } from '../../../lib/model/outcome.ts';
import type { AlertResult } from '../../../lib/model/settings.ts';
import { Alerts, COLLECT_MS, LONGEST_FAREWELL_MS } from '../../../lib/notify/alerts.ts';
import type { PostResult } from '../../../lib/notify/http-post.ts';

const TAKEN: PostResult = { kind: 'taken' };
const LATER: PostResult = { kind: 'later', message: 'not now' };
const REFUSED: PostResult = { kind: 'refused', message: 'never' };

function rollout(name: string): RolloutInfo {
  const at = { namespace: 'shop', name };
  return { workload: { kind: 'Deployment', ...at }, objects: [{ kind: 'ConfigMap', ...at }] };
}

/** What is posted, waited for and counted. `answers`: of the posts, one each; then they are taken. */
function stage(t: TestContext, { capacity = 500, answers = [] as PostResult[], collects = false } = {}) {
  const collected = Promise.withResolvers<void>();
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const posted: string[] = [];
  const results: AlertResult[] = [];
  const waits: number[] = [];
  const warnings: string[] = [];
  const log: Log = {
    ...NO_LOG,
    warn: (message, fields) => warnings.push(`${message} ${JSON.stringify(fields)}`),
  };
  const alerts = new Alerts({
    poster: {
      origin: 'https://hooks.example.com',
      post: (body, signal) => {
        posted.push(/Hence reloaded (\S+) of|shop\. (?!Hence)(.*)$/.exec(body.text)?.slice(1).join('') ?? '');
        const answer = answers.shift() ?? TAKEN;
        return answer === HANGS ? untilAborted(signal) : Promise.resolve(answer);
      },
    },
    settings: { sink: 'raw' },
    log,
    onResult: (result) => results.push(result),
    random: () => 0,
    wait: async (ms, signal) => {
      waits.push(ms);
      if (ms >= PATIENCE_MS) await untilAborted(signal);
      else if (collects) await collected.promise;
    },
    capacity,
  });
  return { alerts, posted, results, waits, warnings, end: collected.resolve };
}

function failure(name: string, cause: string): FailureInfo {
  return { ...rollout(name), reason: 'ReloadRefused', message: 'no', cause };
}

/** An answer that does not come. */
const HANGS: PostResult = { kind: 'later', message: 'aborted' };
/** A wait of so long does not end in a test. */
const PATIENCE_MS = 60_000;

function untilAborted(signal: AbortSignal | undefined): Promise<PostResult> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve(HANGS);
    else signal?.addEventListener('abort', () => resolve(HANGS), { once: true });
  });
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('alerts', () => {
  test('are sent one after the other, in the order of the rollouts', async (t) => {
    const { alerts, posted, results } = stage(t);
    for (const name of ['a', 'b', 'c']) alerts.record(rollout(name));
    await settle();
    alerts.record(rollout('d'));
    await settle();
    assert.deepEqual(posted, ['a', 'b', 'c', 'd']);
    assert.deepEqual(results, ['sent', 'sent', 'sent', 'sent']);
  });

  test('of failures are one for each cause, with the workloads that follow soon', async (t) => {
    const { alerts, posted, waits, end } = stage(t, { collects: true });
    for (const name of ['a', 'b', 'c', 'd']) alerts.fail(failure(name, name === 'c' ? '2' : '1'));
    alerts.record(rollout('e'));
    await settle();
    assert.deepEqual(posted, ['e'], 'no rollout waits for them');
    end();
    await settle();
    alerts.fail(failure('f', '1'));
    await settle();
    const words = (...names: string[]): string =>
      `${names.map((name) => `${name} of type Deployment`).join(', ')}: no (ReloadRefused)`;
    assert.deepEqual(posted.slice(1), [words('a', 'b', 'd'), words('c')]);
    assert.deepEqual(waits, [COLLECT_MS, COLLECT_MS]);
  });

  test('that are not answered are tried four times, with growing pauses', async (t) => {
    const { alerts, posted, results, waits, warnings } = stage(t, { answers: [LATER, LATER, LATER, LATER] });
    alerts.record(rollout('a'));
    alerts.record(rollout('b'));
    await settle();
    assert.deepEqual(posted, ['a', 'a', 'a', 'a', 'b']);
    assert.deepEqual(results, ['failed', 'sent']);
    assert.deepEqual(waits, [1_000, 1_000, 1_000]);
    assert.deepEqual(warnings, [
      'alert not sent {"object":"Deployment/a","namespace":"shop","error":"not now"}',
    ]);
  });

  test('wait as long as they are asked to', async (t) => {
    const { alerts, waits, results } = stage(t, { answers: [{ ...LATER, retryAfterMs: 7_000 }] });
    alerts.record(rollout('a'));
    await settle();
    assert.deepEqual([waits, results], [[7_000], ['sent']]);
  });

  test('that are refused are not tried again', async (t) => {
    const { alerts, posted, results } = stage(t, { answers: [REFUSED] });
    alerts.record(rollout('a'));
    await settle();
    assert.deepEqual([posted, results], [['a'], ['failed']]);
  });

  test('drop the oldest where too many wait, and say so once', async (t) => {
    const { alerts, posted, results, warnings } = stage(t, { capacity: 2, answers: [HANGS] });
    for (const name of ['a', 'b', 'c', 'd', 'e']) alerts.record(rollout(name));
    await settle();
    assert.deepEqual(posted, ['a']);
    assert.deepEqual(results, ['dropped', 'dropped']);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0] ?? '', /too many are queued for https:\/\/hooks\.example\.com/);
    const closed = alerts.close();
    t.mock.timers.tick(LONGEST_FAREWELL_MS);
    await closed;
    assert.deepEqual(results.slice(2), ['failed', 'dropped', 'dropped'], 'two were left');
  });
});

describe('at the end', () => {
  test('what is queued is sent', async (t) => {
    const { alerts, posted, results } = stage(t);
    for (const name of ['a', 'b', 'c']) alerts.record(rollout(name));
    await alerts.close();
    assert.deepEqual(posted, ['a', 'b', 'c']);
    assert.deepEqual(results, ['sent', 'sent', 'sent']);
  });

  test('nothing waits for a better moment: each is tried once more at most', async (t) => {
    const answers = [{ ...LATER, retryAfterMs: PATIENCE_MS }, LATER, LATER];
    const { alerts, posted, results } = stage(t, { answers });
    for (const name of ['a', 'b', 'c']) alerts.record(rollout(name));
    await settle();
    assert.deepEqual(posted, ['a']);
    await alerts.close();
    assert.deepEqual(posted, ['a', 'a', 'b', 'c']);
    assert.deepEqual(results, ['failed', 'failed', 'sent']);
  });

  test('failures that were being collected are sent', async (t) => {
    const { alerts, posted } = stage(t, { collects: true });
    alerts.fail(failure('a', '1'));
    await alerts.close();
    assert.equal(posted.length, 1);
  });

  test('what hangs is given up when the time is over, and the rest with it', async (t) => {
    const { alerts, posted, results, warnings } = stage(t, { answers: [HANGS] });
    for (const name of ['a', 'b', 'c']) alerts.record(rollout(name));
    const closed = alerts.close();
    await settle();
    t.mock.timers.tick(LONGEST_FAREWELL_MS - 1);
    await settle();
    assert.deepEqual(results, []);
    t.mock.timers.tick(1);
    await closed;
    assert.deepEqual(posted, ['a']);
    assert.deepEqual(results, ['failed', 'dropped', 'dropped']);
    assert.match(warnings.at(-1) ?? '', /no time left to send them \{"alerts":2\}/);
  });

  test('without anything queued it is the end at once', async (t) => {
    await stage(t).alerts.close();
  });
});
