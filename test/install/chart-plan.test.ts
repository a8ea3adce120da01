/** `reloader plan` over what charts render: this project's own one, and the one that Helm begins with. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import type { Manifest } from '../../lib/commands/manifests/documents.ts';
import { planAgainst } from '../../lib/commands/manifests/plan.ts';
import type { RawObject } from '../../lib/model/raw-objects.ts';
import type { JsonObject } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { helm, render, skipWithoutHelm } from './chart.ts';

const EVERYTHING = {
  reloader: { reloadOnCreate: true },
  ha: { enabled: true },
};

function manifestsOf(objects: readonly JsonObject[]): readonly Manifest[] {
  return objects.map((object) => ({
    file: '-',
    apiVersion: String(object['apiVersion']),
    kind: String(object['kind']),
    object: object as unknown as RawObject,
    lineOf: () => 1,
  }));
}

/** What Helm renders of the chart that it creates. */
function renderBegun(): readonly JsonObject[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'reloader-chart-'));
  try {
    const chart = path.join(folder, 'begun');
    helm(4, ['create', chart]);
    return parseManifests(helm(4, ['template', 'web', chart]), chart);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('a plan has an end and an answer for', { skip: skipWithoutHelm() }, () => {
  const charts: Readonly<Record<string, () => readonly JsonObject[]>> = {
    'the chart of this project': () => render(),
    'the chart of this project, with more values': () => render(EVERYTHING),
    'the chart that Helm creates': renderBegun,
  };
  for (const [name, rendered] of Object.entries(charts))
    test(name, async () => {
      const all = manifestsOf(rendered());
      assert.ok(all.some(({ kind }) => kind === 'Pod'));
      for (const [to, from] of [
        [all, []],
        [all, all],
        [[], all],
      ] as const) {
        const { rollouts, unknown } = await planAgainst(to, from, 'default', []);
        assert.deepEqual(rollouts, []);
        const isChanged = to !== from && rendered !== renderBegun;
        assert.match(
          unknown.join(),
          isChanged ? /^these manifests change the reloader itself \([^,]+\)$/ : /^$/,
        );
      }
    });
});
