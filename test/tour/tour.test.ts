/** docs/guides/commands.md shows what the commands say: `UPDATE_TOUR=1` writes the page anew. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openScene, run, shown, stepsOfPage, writePage } from './tour.ts';

test('the outputs of the tour are those of the commands', async () => {
  await using cluster = await openScene();
  const steps = stepsOfPage();
  const outputs: string[] = [];
  for (const { line } of steps) outputs.push(shown(await run(line, cluster.file('kubeconfig'))));
  if (process.env['UPDATE_TOUR']) writePage(outputs);
  else
    for (const [index, { line, output }] of steps.entries())
      assert.equal(outputs[index], output, `${line}: UPDATE_TOUR=1 writes the page anew`);
  assert.ok(steps.length > 0);
  assert.deepEqual(
    cluster.audits.filter(({ verb, resource }) => verb === 'list' && resource === 'deployments').length > 0,
    true,
  );
});
