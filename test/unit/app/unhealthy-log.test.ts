/** What is said while the program cannot do its work. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { COMPLAINT_MS, logUnhealthy } from '../../../lib/app/main.ts';
import type { WatchStatus } from '../../../lib/model/health.ts';
import type { Log } from '../../../lib/model/log.ts';
import { settle } from '../kubernetes/scripted-send.ts';

const MINUTES_OF_TWO_COMPLAINTS = 2;

interface Situation {
  waitingFor: readonly string[];
  watches: readonly WatchStatus[];
}

function watch(stream: string, isUp: boolean, sinceSeconds: number, problem?: string): WatchStatus {
  return { stream, isUp, sinceSeconds, restarts: 1, ...(problem === undefined ? {} : { problem }) };
}

/** The lines of two minutes in this situation. */
async function complaintsOf(situation: Situation): Promise<string[]> {
  const lines: string[] = [];
  const line = (message: string, fields = {}): void =>
    void lines.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: assert.fail, info: assert.fail, error: assert.fail, warn: line };
  const stop = new AbortController();
  const { waitingFor, watches } = situation;
  const end = logUnhealthy({ waitingFor: () => waitingFor, watches: () => watches }, log, stop.signal);
  for (let minute = 0; minute < MINUTES_OF_TWO_COMPLAINTS; minute += 1) {
    mock.timers.tick(COMPLAINT_MS);
    await settle();
  }
  stop.abort();
  await end;
  return lines;
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
afterEach(() => mock.timers.reset());

test('what is awaited is said once a minute', async () => {
  const waiting = 'not ready: still waiting for the state {}';
  assert.deepEqual(await complaintsOf({ waitingFor: ['the state'], watches: [] }), [waiting, waiting]);
});

test('a server that goes away later is spoken of once a minute too, with the reason', async () => {
  const lines = await complaintsOf({
    waitingFor: [],
    watches: [
      watch('ConfigMap in web', false, 61.4, 'connect ECONNREFUSED'),
      watch('Secret in web', true, 900),
      watch('Deployment in web', false, 75),
    ],
  });
  const line =
    'no watch events for 75 s from: ConfigMap in web, Deployment in web {"problem":"connect ECONNREFUSED"}';
  assert.deepEqual(lines, [line, line]);
});

test('nor is a long list whose pages come', async () => {
  const watches = [{ ...watch('Secret in web', false, 90), lastSignOfLifeSeconds: 2 }];
  assert.deepEqual(await complaintsOf({ waitingFor: [], watches }), []);
});

test('a watch that is opened again is not worth a word', async () => {
  assert.deepEqual(await complaintsOf({ waitingFor: [], watches: [watch('Secret in web', false, 12)] }), []);
});
