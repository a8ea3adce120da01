/** Changes in stages: what the first workload shows is waited for also by a process that starts after a kill. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Cluster } from './harness.ts';
import { configMap, deploy, deployment, mark, pair, put } from './manifests.ts';

const FLAGS = ['--stages=1,100%', '--stage-soak=1s'];
const FIRST = deployment('a');
const OTHERS = ['b', 'c'].map(deployment);

/** What happens to the writes of the state after that of the mark, before the kill. */
const WRITES: Readonly<Record<string, boolean>> = { 'after its commit': true, 'before its commit': false };

describe('a process is killed while the first workload is not ready', { concurrency: 2 }, () => {
  for (const [when, isCommitted] of Object.entries(WRITES))
    test(`${when}: no other one begins until it is`, async () => {
      await using cluster = await Cluster.start();
      await pair(cluster, 'marker');
      put(cluster, configMap('web'), 'one');
      const all = [FIRST, ...OTHERS].map(({ name }) =>
        deploy(cluster, name, { follows: { ConfigMap: ['web'] } }),
      );
      await cluster.podsAreCurrent(...all);
      const first = await cluster.reloader({ flags: FLAGS });
      const match = { verb: 'write', resource: 'configmaps', name: 'reloader-state' } as const;
      const effect = { kind: 'status', code: 503 } as const;
      const repair = isCommitted
        ? () => {}
        : cluster.sandbox.addFault({ match, nth: 2, times: 'always', effect });
      cluster.sandbox.setRolloutDelay(FIRST, 'frozen');
      put(cluster, configMap('web'), 'two');
      await cluster.until('the first one is rolled', () => cluster.rollouts(FIRST) === 1);
      if (isCommitted)
        await cluster.until('it is committed', () =>
          /\?Deployment\/a=/.test(cluster.state()['v1.ConfigMap_web'] ?? ''),
        );
      await first.kill();
      repair();
      const second = cluster.spawn({ flags: FLAGS });
      await cluster.until('the reloader is ready', () => second.isReady());
      // Another one would begin at once.
      for (let times = 0; times < 3; times += 1) await mark(cluster);
      assert.deepEqual(
        OTHERS.map((each) => cluster.rollouts(each)),
        [0, 0],
      );
      cluster.sandbox.setRolloutDelay(FIRST, undefined);
      await cluster.podsAreCurrent(...all);
    });
});
