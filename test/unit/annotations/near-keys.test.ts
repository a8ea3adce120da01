/** Which keys are almost those of a vocabulary, and which are those of other programs. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Vocabularies, type VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { deployment, PLAIN } from './defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const CONFIGMAP = `${PREFIX}/configmap`;
const STAKATER = 'reloader.stakater.com';
const SAP = 'pod-reloader.cs.sap.com';
const WAVE = 'wave.pusher.com';
const EVERY: VocabularyOptions = { ...PLAIN, dialects: VOCABULARY_NAMES };

const KEYS: Record<string, boolean> = {
  [CONFIGMAP]: false,
  [`${PREFIX}/configMap`]: true,
  [`${PREFIX}/config-map`]: true,
  [`${PREFIX}/secrets`]: true,
  [`${PREFIX}/`]: true,
  [`${PREFIX}.configmap`]: true,
  'reloader.k8s.collaborne.io/configmap': true,
  'reloader.collaborne.com/configmap': true,
  'Reloader.k8s.Collaborne.com/configmap': true,
  'reloader.stakater.com/auto': false,
  'reloader.stakater.com/search': false,
  'configmap.reloader.stakater.com/reload': false,
  'secret.reloader.stakater.com/reload': false,
  'pod-reloader.cs.sap.com/configmaps': false,
  'wave.pusher.com/update-on-config-change': false,
  'kubectl.kubernetes.io/last-applied-configuration': false,
  'deployment.kubernetes.io/revision': false,
  'meta.helm.sh/release-name': false,
  configmap: false,
  secret: false,
  '': false,
};

for (const [key, isUnknownAnnotation] of Object.entries(KEYS)) {
  test(`the key "${key}" ${isUnknownAnnotation ? 'looks like one of ours' : 'does not concern us'}`, () => {
    const vocabularies = new Vocabularies(PLAIN);
    assert.equal(vocabularies.isUnknownAnnotation(key), isUnknownAnnotation);
    assert.equal(vocabularies.isUnknownAnnotation(key), isUnknownAnnotation, 'and so it stays');
  });
}

test('keys without end are judged rightly, and not remembered without end', () => {
  const vocabularies = new Vocabularies(PLAIN);
  for (let index = 0; index < 2_500; index += 1) {
    assert.ok(!vocabularies.isUnknownAnnotation(`example.com/checksum-${index}`));
    assert.ok(vocabularies.isUnknownAnnotation(`${PREFIX}/word-${index}`));
  }
});

test('of an object those annotations are kept that count, and a few that are meant to', () => {
  const words = Array.from({ length: 300 }, (_, index) => [`${PREFIX}/word-${index}`, 'x']);
  const counting = { [`${PREFIX}/hold`]: 'true' };
  const kept = new Vocabularies(PLAIN).annotationsOf({
    'example.com/checksum': 'x',
    ...Object.fromEntries(words),
    ...counting,
  });
  assert.deepEqual(kept, { ...counting, ...Object.fromEntries(words.slice(0, 10)) });
  assert.deepEqual(new Vocabularies(PLAIN).annotationsOf({ [CONFIGMAP]: 'a', other: 'b' }), {
    [CONFIGMAP]: 'a',
  });
});

/** Of every vocabulary: a mistyped key, and the one that is meant. */
const NEAR: Record<string, string> = {
  'reloader.stackater.com/auto': `${STAKATER}/auto`,
  'reloader.stakater.io/auto': `${STAKATER}/auto`,
  'stakater.com/auto': `${STAKATER}/auto`,
  'reloader/search': `${PREFIX}/search`,
  'reloader.configmap.stakater.com/reload': `configmap.${STAKATER}/reload`,
  [`configmap.${STAKATER}`]: `configmap.${STAKATER}/reload`,
  [`${STAKATER}/Auto`]: `${STAKATER}/auto`,
  [`${STAKATER}/aut`]: `${STAKATER}/auto`,
  [`${STAKATER}/auto-reload`]: `${STAKATER}/auto`,
  [`${STAKATER}/configmap`]: `configmap.${STAKATER}/reload`,
  [`${STAKATER}/configmap.reload`]: `configmap.${STAKATER}/reload`,
  [`configmaps.${STAKATER}/reload`]: `configmap.${STAKATER}/reload`,
  [`configmap.${STAKATER}/reloads`]: `configmap.${STAKATER}/reload`,
  [`secrets.${STAKATER}/auto`]: `secret.${STAKATER}/auto`,
  [`${STAKATER}/pausePeriod`]: `deployment.${STAKATER}/pause-period`,
  [`${SAP}/configmap`]: `${SAP}/configmaps`,
  [`${WAVE}/extra-configmap`]: `${WAVE}/extra-configmaps`,
  [`${WAVE}/update-on-config-changes`]: `${WAVE}/update-on-config-change`,
  [`${PREFIX}/confgimap`]: CONFIGMAP,
  [`${PREFIX}/config-map`]: CONFIGMAP,
  [`${PREFIX}/reloadWindow`]: `${PREFIX}/reload-window`,
  'reloader.collaborne.com/rollout_limit': `${PREFIX}/rollout-limit`,
};

for (const [key, meant] of Object.entries(NEAR)) {
  test(`"${key}" means "${meant}"`, () => {
    const vocabularies = new Vocabularies(EVERY);
    const workload = deployment(vocabularies, { [key]: 'true' });
    const [mistyped] = vocabularies.mistakesOf(workload).filter(({ reason }) => reason === 'mistyped');
    assert.equal(mistyped?.message.split('; ')[1], `write ${meant}`);
  });
}

/** Annotations of other programs, some with words of ours. */
const FOREIGN = [
  'forecastle.stakater.com/expose',
  'forecastle.stakater.com/auto',
  'forecastle.stakater.com/appName',
  'monitor.stakater.com/match',
  'xposer.stakater.com/annotations',
  'reloader.example.com/auto',
  'config-reloader.example.com/configmap',
  'prometheus.io/scrape',
  'configmap.example.com/reload',
  'example.com/auto',
  'example.com/auto-reload',
  'linkerd.io/inject',
  'vault.hashicorp.com/agent-inject-secret-config',
  'sidecar.istio.io/rewriteAppHTTPProbers',
  'wave.pusher.com/scheduling-disabled',
  'reloader.stakater.com/last-reloaded-from',
  'checksum/config',
  'auto',
  'reload',
  'reloader',
  'secrets.hashicorp.com/secret',
  'operator.1password.io/auto-restart',
];

for (const key of FOREIGN)
  test(`the key "${key}" is that of another program`, () => {
    const options = {
      ...EVERY,
      stakaterKeys: { ...PLAIN.stakaterKeys, configMapAuto: 'example.com/autos' },
    };
    assert.ok(!new Vocabularies(options).isUnknownAnnotation(key));
  });

test('a key without end takes no time', () => {
  const vocabularies = new Vocabularies(EVERY);
  const started = process.cpuUsage();
  for (let index = 0; index < 200; index += 1) {
    vocabularies.isUnknownAnnotation(`${'reloader-stakater.'.repeat(5_000)}${index}`);
    vocabularies.isUnknownAnnotation(`reloader.stakater.${'a'.repeat(280)}/${index}`);
  }
  assert.ok(process.cpuUsage(started).user < 2_000_000);
});

test('a key that a flag replaces is meant for the new one, and so is one that is almost that', () => {
  const stakaterKeys = { ...PLAIN.stakaterKeys, auto: 'corp/restart', search: `${STAKATER}/match` };
  const all = new Vocabularies({ ...PLAIN, stakaterKeys, dialects: ['stakater'] });
  for (const [key, meant] of [
    [`${STAKATER}/auto`, 'corp/restart'],
    ['reloader.stackater.com/auto', 'corp/restart'],
    [`${STAKATER}/search`, `${STAKATER}/match`],
    [`${STAKATER}/matches`, `${STAKATER}/match`],
  ] as const) {
    const [finding] = all.mistakesOf(deployment(all, { [key]: 'true' }));
    assert.match(finding?.message ?? '', new RegExp(`write (?:on the object )?${meant}$`));
  }
});
