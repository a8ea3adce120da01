/** The manifests rendered by the real kustomize, and by the small one that the other tests read them with. */

import assert from 'node:assert/strict';
import path from 'node:path';
import { describe, test } from 'node:test';
import { canonicalText, type JsonObject } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { INSTALLATIONS, K8S, render } from './kustomization.ts';
import { outputOf, programOnPath, skipWithout } from './tools.ts';

const program = programOnPath('kustomize', 'kubectl');
const skip = skipWithout(program, 'neither kustomize nor kubectl');

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
      const verb = program?.endsWith('kubectl') ? 'kustomize' : 'build';
      const rendered = parseManifests(outputOf(program, verb, path.join(K8S, folder)), folder);
      assert.deepEqual(sorted(rendered), sorted(render(folder)));
    });
  }
});
