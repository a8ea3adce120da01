/** The annotations by the letter. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stakaterVocabulary } from '../../../lib/annotations/vocabulary.ts';
import { STAKATER_KEYS } from '../../../lib/model/settings.ts';
import { NATIVE, STAKATER } from './judged.ts';

test('the words are those that people have in their manifests', () => {
  assert.deepEqual(NATIVE, {
    name: 'collaborne',
    domain: 'reloader.k8s.collaborne.com',
    named: {
      ConfigMap: ['reloader.k8s.collaborne.com/configmap'],
      Secret: ['reloader.k8s.collaborne.com/secret'],
      SecretProviderClass: ['reloader.k8s.collaborne.com/secret-provider-class'],
    },
    namesArePatterns: false,
    auto: 'reloader.k8s.collaborne.com/auto',
    typedAuto: {
      ConfigMap: 'reloader.k8s.collaborne.com/configmap-auto',
      Secret: 'reloader.k8s.collaborne.com/secret-auto',
      SecretProviderClass: 'reloader.k8s.collaborne.com/secret-provider-class-auto',
    },
    search: 'reloader.k8s.collaborne.com/search',
    exclude: {
      ConfigMap: 'reloader.k8s.collaborne.com/exclude-configmap',
      Secret: 'reloader.k8s.collaborne.com/exclude-secret',
      SecretProviderClass: 'reloader.k8s.collaborne.com/exclude-secret-provider-class',
    },
    match: 'reloader.k8s.collaborne.com/match',
    ignore: 'reloader.k8s.collaborne.com/ignore',
    readsTemplate: false,
    rolloutStrategy: 'reloader.k8s.collaborne.com/rollout-strategy',
    lastReloadedFrom: 'reloader.k8s.collaborne.com/last-reloaded-from',
  });
  assert.deepEqual(STAKATER, {
    name: 'stakater',
    domain: 'reloader.stakater.com',
    named: {
      ConfigMap: ['configmap.reloader.stakater.com/reload'],
      Secret: ['secret.reloader.stakater.com/reload'],
      SecretProviderClass: ['secretproviderclass.reloader.stakater.com/reload'],
    },
    namesArePatterns: true,
    auto: 'reloader.stakater.com/auto',
    typedAuto: {
      ConfigMap: 'configmap.reloader.stakater.com/auto',
      Secret: 'secret.reloader.stakater.com/auto',
      SecretProviderClass: 'secretproviderclass.reloader.stakater.com/auto',
    },
    search: 'reloader.stakater.com/search',
    exclude: {
      ConfigMap: 'configmaps.exclude.reloader.stakater.com/reload',
      Secret: 'secrets.exclude.reloader.stakater.com/reload',
      SecretProviderClass: 'secretproviderclasses.exclude.reloader.stakater.com/reload',
    },
    match: 'reloader.stakater.com/match',
    ignore: 'reloader.stakater.com/ignore',
    pause: {
      period: 'deployment.reloader.stakater.com/pause-period',
      pausedAt: 'deployment.reloader.stakater.com/paused-at',
    },
    renamed: [],
    rolloutStrategy: 'reloader.stakater.com/rollout-strategy',
    readsTemplate: true,
    lastReloadedFrom: 'reloader.stakater.com/last-reloaded-from',
  });
});

test('the words of classes can be renamed, and those of the other kinds stay', () => {
  const renamed = {
    secretProviderClass: 'a/named',
    secretProviderClassAuto: 'a/auto',
    secretProviderClassExclude: 'a/not',
  };
  const { named, typedAuto, exclude } = stakaterVocabulary({ ...STAKATER_KEYS, ...renamed });
  assert.deepEqual(named, { ...STAKATER.named, SecretProviderClass: ['a/named'] });
  assert.deepEqual(typedAuto, { ...STAKATER.typedAuto, SecretProviderClass: 'a/auto' });
  assert.deepEqual(exclude, { ...STAKATER.exclude, SecretProviderClass: 'a/not' });
});
