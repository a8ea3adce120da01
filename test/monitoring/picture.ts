/**
 * `npm run dashboard`: draws docs/explanation/images/dashboard.svg. A leader and a standby run beside a control plane for four
 * minutes, in which objects change; in the last one the API server refuses the rollouts of Deployments. The queries are those of the dashboard.
 */

import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { ControlPlane } from '../control-plane/control-plane.ts';
import { pause } from '../faults/churn.ts';
import { Pair } from '../faults/pair.ts';
import { CHANGING } from '../faults/scene.ts';
import { randomOf } from '../simulation/random.ts';
import { drawing, type Filled, linesOf } from './drawing.ts';
import { filledIn, type Panel, panels } from './files.ts';
import type { Prometheus, Span } from './prometheus.ts';
import { prometheusBeside } from './scrape.ts';

const PICTURE = path.resolve(import.meta.dirname, '../../docs/explanation/images/dashboard.svg');
const INTERVAL = '20s';
const LENGTH_S = 240;
const REFUSED_S = 60;
const BETWEEN_CHANGES_MS = 6000;
const STEP_S = 2;

/** Changes one of the objects now and then; the last changes of Deployments are refused. */
async function play({ scene, leader }: Pair, start: number): Promise<void> {
  const random = randomOf(1);
  let isRefused = false;
  for (let at = start; at < start + LENGTH_S; at = Date.now() / 1000) {
    if (!isRefused && at > start + LENGTH_S - REFUSED_S) {
      const match = { verb: 'patch', resource: 'deployments' } as const;
      leader.proxy.add({ match, times: 'always', effect: { kind: 'status', code: 422 } });
      isRefused = true;
    }
    await scene.change(CHANGING[Math.floor(random() * CHANGING.length)] ?? '');
    await pause(random() * 2 * BETWEEN_CHANGES_MS);
  }
}

async function fill(prometheus: Prometheus, panel: Panel, span: Span): Promise<Filled> {
  const answers = panel.queries.map(async ({ expr, legend }) =>
    linesOf(legend, await prometheus.range(filledIn(expr, INTERVAL), span)),
  );
  return { panel, lines: (await Promise.all(answers)).flat() };
}

await using cluster = await ControlPlane.start();
await using pair = await Pair.open(cluster, { periodMs: 1000 });
await using prometheus = await prometheusBeside(pair);
const start = Date.now() / 1000;
await play(pair, start);
const span = { start, end: Date.now() / 1000, step: STEP_S };
const filled = await Promise.all(panels().map((panel) => fill(prometheus, panel, span)));
writeFileSync(PICTURE, drawing('Kubernetes reloader', filled, span));
console.log(`${path.relative(process.cwd(), PICTURE)} is drawn anew`);
