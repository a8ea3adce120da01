/** A kind whose resourceVersions are no numbers: it is left out, which the log says, and all else is served. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Send } from '../../lib/kubernetes/transport.ts';
import { createSandbox } from '../sandbox/sandbox.ts';
import { apiOf, collectionOf, NAMESPACE } from './api.ts';
import { C, following, WEB } from './cases.ts';
import { stopTime } from './clock.ts';
import { manifestOf } from './contents.ts';
import { newWorkload } from './manifests.ts';
import { newReplica } from './replica.ts';
import { recordedNow } from './state-fact.ts';
import { SETTINGS } from './trace-by-hand.ts';

const MINUTE_MS = 60_000;

/** As from an aggregated API. */
async function* withoutNumbers(body: Awaited<ReturnType<Send>>['body']): AsyncGenerator<string> {
  for await (const piece of body) {
    yield String(piece).replaceAll(/"resourceVersion":"(\d+)"/g, '"resourceVersion":"v$1"');
  }
}

test('a kind without an order of versions is left out, and all else is rolled and recorded', async () => {
  const clock = stopTime();
  try {
    const sandbox = createSandbox({ podStartMs: SETTINGS.rolloutMs });
    const api = apiOf(sandbox.handle);
    await api.create(collectionOf(C), manifestOf(C, 'A'));
    for (const workload of following(WEB))
      await api.create(collectionOf(WEB), newWorkload(workload, { image: 'app:1' }));
    const lines: string[] = [];
    const stop = new AbortController();
    const replica = newReplica({
      id: 0,
      send: async (request) => {
        const response = await sandbox.handle(request);
        if (!request.path.includes('/daemonsets')) return response;
        return { ...response, body: withoutNumbers(response.body) };
      },
      settings: SETTINGS,
      podUid: undefined,
      random: () => 0.5,
      onLine: (line) => void lines.push(line),
    });
    const running = replica.run(stop.signal);
    await clock.pass(MINUTE_MS, () => undefined);
    assert.equal(replica.hasListed(), true);
    await api.put(`${collectionOf(C)}/c`, manifestOf(C, 'B'));
    await clock.pass(5 * MINUTE_MS, () => undefined);
    const web = { kind: 'Deployment', namespace: NAMESPACE, name: 'web' } as const;
    assert.equal(sandbox.revisions(web).length, 2);
    assert.equal(recordedNow(sandbox, C), 'B');
    const told = lines.filter((line) => line.includes('DaemonSet in default ignored: its resourceVersions'));
    assert.equal(told.length, 1);
    stop.abort();
    await clock.pass(MINUTE_MS, () => undefined);
    await running;
    sandbox.close();
  } finally {
    clock.restore();
  }
});
