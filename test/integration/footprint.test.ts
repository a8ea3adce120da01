/** How heavy the bundle is: printed, not judged, since machines differ. That there is something to print is. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Cluster } from './harness.ts';
import { pair } from './manifests.ts';
import { ReloaderProcess } from './reloader-process.ts';

test('memory when idle and connected, and the time to the help', async (t) => {
  await using cluster = await Cluster.start();
  await pair(cluster, 'web');
  const reloader = await cluster.reloader({ flags: ['--log-level', 'info'] });
  assert.equal(cluster.sandbox.openWatches().length, 5);
  const rss =
    (await reloader.metric('process_resident_memory_bytes')) ?? assert.fail('there is no such metric');
  t.diagnostic(`resident: ${(rss / 1e6).toFixed(1)} MB${peakOf(reloader.pid)}`);
  const times: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    const startedAt = performance.now();
    const help = new ReloaderProcess(['--help'], {});
    const { code } = await help.ended;
    times.push(performance.now() - startedAt);
    assert.equal(code, 0, help.stderr);
    assert.match(help.stdout, /^Usage: /m);
  }
  t.diagnostic(`--help: ${Math.min(...times).toFixed(0)} ms`);
});

/** On Linux the peak is known too. */
function peakOf(pid: number): string {
  if (process.platform !== 'linux') return '';
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return `, at its peak ${(Number(kilobytes) / 1e3).toFixed(1)} MB`;
}
