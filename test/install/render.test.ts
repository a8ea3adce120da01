/** The manifests rendered by the real kustomize, and by the small one that the other tests read them with. */

import assert from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';
import { canonicalText, type JsonObject } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { INSTALLATIONS, K8S, render, TOGETHER } from './kustomization.ts';
import { outputOf, programOnPath, skipWithout } from './tools.ts';

const program = programOnPath('kustomize', 'kubectl');
const skip = skipWithout(program, 'neither kustomize nor kubectl');

function rendered(folder: string): readonly JsonObject[] {
  const verb = program?.endsWith('kubectl') ? 'kustomize' : 'build';
  return parseManifests(outputOf(program, verb, folder), folder);
}

/** Objects in an order of their own, undefined members left out. */
function sorted(objects: readonly JsonObject[]): unknown[] {
  return objects
    .map(canonicalText)
    .sort()
    .map((text) => JSON.parse(text) as unknown);
}

describe('kustomize renders', () => {
  for (const folder of INSTALLATIONS) {
    test(`k8s/${folder} as the tests read it`, { skip }, () => {
      assert.deepEqual(sorted(rendered(path.join(K8S, folder))), sorted(render(folder)));
    });

    for (const set of TOGETHER)
      test(`an overlay of k8s/${folder} with ${set.join(', ')} as the tests read it`, { skip }, () => {
        const overlay = mkdtempSync(path.join(tmpdir(), 'reloader-overlay-'));
        const to = (...below: string[]): string =>
          path.relative(realpathSync(overlay), path.join(K8S, ...below));
        const components = set.map((name) => to('components', name));
        writeFileSync(
          path.join(overlay, 'kustomization.yaml'),
          JSON.stringify({ resources: [to(folder)], components }),
        );
        try {
          const read = render(folder, { components: set });
          assert.deepEqual(sorted(rendered(overlay)), sorted(read));
        } finally {
          rmSync(overlay, { recursive: true });
        }
      });
  }
});
