/** Twenty ConfigMaps of one Deployment change within two seconds. */

import { Admin, numbered } from './admin.ts';
import { type Bench, type Findings, pause } from './scenario.ts';
import { StateWatch } from './state-watch.ts';
import { Subject } from './subject.ts';
import { TemplateWatch } from './template-watch.ts';

const SOURCES = 20;
const BETWEEN_MS = 100;
/** After the last commit: whatever else would come. */
const AFTERWARDS_MS = 3_000;

/** The floor is one patch: nobody can do with less. */
export async function burst(bench: Bench): Promise<Findings> {
  const { target, progress } = bench;
  progress.step('burst: 20 ConfigMaps of one Deployment, the default quiet period');
  const names = numbered('part', SOURCES);
  const admin = await Admin.in(target.send, 'burst');
  await admin.configMaps(names);
  await admin.deployments([{ name: 'web', configMaps: names }]);
  await using watch = await TemplateWatch.open(target.send, 'burst');
  await using state = await StateWatch.open(target.send, 'burst');
  await using subject = await Subject.start(bench, 'burst');
  await subject.settled();
  await pause(AFTERWARDS_MS);
  const before = { requests: await subject.requests(), bytes: state.bytes };
  for (const name of names) {
    await admin.change(name);
    await pause(BETWEEN_MS);
  }
  progress.step('burst: waiting for the rollout');
  await watch.next(0, 1);
  await subject.settled();
  await pause(AFTERWARDS_MS);
  const requests = (await subject.requests()) - before.requests;
  const figure = { scenario: 'burst', unit: '' };
  return {
    figures: [
      {
        ...figure,
        what: '20 sources of one Deployment change: rollouts',
        measured: watch.changes.length,
        floor: 1,
      },
      {
        ...figure,
        what: 'the same: requests of the reloader',
        measured: requests,
        floor: 1,
        wanted: { atMost: 4 },
      },
      {
        ...figure,
        what: 'the same: written to the state',
        unit: 'bytes',
        measured: state.bytes - before.bytes,
      },
    ],
    charts: [],
  };
}
