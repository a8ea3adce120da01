/** What `reloader migrate` writes is what Helm and kustomize take, and comes to the settings that it stands for. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { permissionsOf } from '../../lib/app/preflight.ts';
import {
  merged,
  needsOwnNamespace,
  otherValues,
  scopeValues,
  type Values,
  valuesFor,
} from '../../lib/commands/migrate/chart-values.ts';
import { type Settings, settingsFor } from '../../lib/commands/migrate/new-settings.ts';
import { SOURCES } from '../../lib/commands/migrate/others.ts';
import { overlayFor } from '../../lib/commands/migrate/overlay.ts';
import type { Options } from '../../lib/options/options.ts';
import { parseOptions } from '../../lib/options/parse-options.ts';
import { type JsonObject, objectOf, objectsOf, pick, stringOf } from '../sandbox/json.ts';
import { parseManifests } from '../sandbox/manifest-files.ts';
import { SETTINGS_OF_OTHERS, type SettingsOfOther } from '../unit/commands/migrate/settings-of-others.ts';
import { render, skipWithoutHelm } from './chart.ts';
import { K8S } from './kustomization.ts';
import { outputOf, programOnPath, skipWithout } from './tools.ts';

const HOME = 'reloader';
const program = programOnPath('kustomize', 'kubectl');

function settingsOf({ from, args, env = {}, hidden = [] }: SettingsOfOther): Settings {
  return settingsFor(SOURCES[from], { args, env, hidden }, { home: HOME, settings: [] });
}

/** The options that a rendered Deployment comes to. */
function optionsOf(objects: readonly JsonObject[]): Options {
  const deployment = objects.find((object) => object['kind'] === 'Deployment');
  const [container = {}] = objectsOf(pick(deployment, 'spec', 'template', 'spec', 'containers'));
  const env = Object.fromEntries(
    objectsOf(container['env']).map(({ name, value, valueFrom }) => [
      stringOf(name) ?? '',
      stringOf(value) ??
        (pick(valueFrom, 'fieldRef', 'fieldPath') === 'metadata.namespace' ? HOME : undefined),
    ]),
  );
  const args = (container['args'] as string[]).map((word) => word.replace('$(KUBERNETES_NAMESPACE)', HOME));
  const parsed = parseOptions(args, env);
  assert.equal(parsed.type, 'run', JSON.stringify(parsed));
  return (parsed as { options: Options }).options;
}

/** What the installation says by itself is left out, and so are secrets; without the rights `auto` serves nothing. */
function comparable(options: Options): object {
  const { scope, port, healthPort, stateNamespace, bindAddress, alerts, connection, ...others } = options;
  const served = [options.argoRollouts, options.openshift, options.csiIntegration].map(
    (way) => way === 'true',
  );
  const ways = { argoRollouts: undefined, openshift: undefined, csiIntegration: undefined };
  return {
    ...others,
    ...ways,
    served,
    names: scope.type === 'namespaces' ? scope.names.toSorted() : undefined,
  };
}

/** `<verb> <resource>.<group>` of all rules. */
function grantsIn(objects: readonly JsonObject[]): ReadonlySet<string> {
  const roles = objects.filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole');
  const rules = roles.flatMap((role) => objectsOf(role['rules'])) as unknown as Parameters<
    typeof grantsOf
  >[0][];
  return new Set(rules.flatMap(grantsOf));
}

function grantsOf(rule: {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}): readonly string[] {
  return rule.verbs.flatMap((verb) =>
    rule.resources.flatMap((resource) => rule.apiGroups.map((group) => `${verb} ${resource}.${group}`)),
  );
}

function assertEqual(objects: readonly JsonObject[], settings: Settings): void {
  const options = optionsOf(objects);
  const wanted = comparable(settings.options);
  assert.deepEqual(comparable(options), wanted);
  const place = { namespaces: settings.namespaces, stateNamespace: HOME };
  const grants = grantsIn(objects);
  const needed = permissionsOf({ options: settings.options, place }).flatMap(({ rule }) => grantsOf(rule));
  assert.deepEqual(
    needed.filter((grant) => !grants.has(grant)),
    [],
  );
}

for (const helm of [3, 4] as const)
  describe(`Helm ${helm} takes the values for`, { skip: skipWithoutHelm(helm) }, () => {
    for (const [name, other] of Object.entries(SETTINGS_OF_OTHERS))
      test(name, () => {
        const settings = settingsOf(other);
        const values = valuesFor(settings, { home: HOME, replicas: 2 }) as JsonObject;
        assertEqual(render(values, { helm, namespace: HOME }), settings);
      });

    test('values of Stakater Reloader with its own namespace and another one, which moves it', () => {
      const theirs: Values = { reloader: { watchGlobally: false, namespaces: 'web' } };
      const { carried, program: read } = otherValues(SOURCES.stakater, theirs, HOME);
      const settings = settingsFor(SOURCES.stakater, read, { home: HOME, settings: [] });
      assert.ok(needsOwnNamespace(settings.namespaces, HOME));
      const values = merged(carried, scopeValues(settings.namespaces, HOME)) as JsonObject;
      assertEqual(render(values, { helm, namespace: HOME }), settings);
    });

    test('values of other charts', () => {
      const theirs: Values = {
        image: { repository: 'ghcr.io/stakater/reloader', tag: 'v1.4.21' },
        reloader: {
          ignoreSecrets: true,
          isArgoRollouts: true,
          ignoreJobs: true,
          custom_annotations: { configmap: 'example.com/reload' },
          deployment: { resources: { limits: { cpu: 1 } }, nodeSelector: { a: 'b' } },
        },
      };
      const { carried, program: read } = otherValues(SOURCES.stakater, theirs, HOME);
      const settings = settingsFor(SOURCES.stakater, read, { home: HOME, settings: [] });
      assertEqual(render(carried as JsonObject, { helm, namespace: HOME }), settings);
      const wave = {
        replicas: 2,
        updateRate: 2,
        webhooks: { enabled: true },
        topologySpread: [],
        podLabels: { a: 'b' },
      };
      const ofWave = otherValues(SOURCES.wave, wave, HOME);
      assert.deepEqual(ofWave.program.args, ['--update-rate=2', '--enable-webhooks']);
      assert.deepEqual(objectOf(pick(ofWave.carried as JsonObject, 'reloader', 'deployment')), {
        labels: { a: 'b' },
      });
    });
  });

describe('kustomize takes the overlay for', {
  skip: skipWithout(program, 'neither kustomize nor kubectl'),
}, () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(K8S, '../test/install/overlay-'));
  });
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, other] of Object.entries(SETTINGS_OF_OTHERS))
    test(name, { skip: (settingsOf(other).namespaces?.length ?? 0) > 1 && 'several namespaces' }, () => {
      const settings = settingsOf(other);
      writeFileSync(
        path.join(folder, 'kustomization.yaml'),
        overlayFor(settings, { home: HOME, replicas: 2 }, folder),
      );
      const verb = program?.endsWith('kubectl') ? 'kustomize' : 'build';
      assertEqual(parseManifests(outputOf(program, verb, folder), folder), settings);
    });
});
