/** The flags that say in which words workloads ask for a reload. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STAKATER_KEYS, type StakaterKeys, VOCABULARY_NAMES } from '../../../lib/model/settings.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import { DEFAULT_VOCABULARIES } from './default-vocabularies.ts';

function optionsOf(...argv: string[]) {
  const command = parseOptions(argv, {});
  assert.equal(command.type, 'run', JSON.stringify(command));
  const names = Object.keys(DEFAULT_VOCABULARIES) as (keyof typeof DEFAULT_VOCABULARIES)[];
  return Object.fromEntries(names.map((name) => [name, command.options[name]]));
}

const CASES: Record<string, readonly [argv: readonly string[], want: Partial<typeof DEFAULT_VOCABULARIES>]> =
  {
    'without flags both vocabularies are read': [[], {}],
    'one vocabulary may be left out': [['--dialects', 'stakater'], { dialects: ['stakater'] }],
    'a comma list names several': [
      ['--dialects=stakater, collaborne'],
      { dialects: ['stakater', 'collaborne'] },
    ],
    'those of SAP and of wave are asked for': [
      ['--dialects', 'collaborne,sap', '--dialects', 'wave'],
      { dialects: ['collaborne', 'sap', 'wave'] },
    ],
    'the flag of Stakater Reloader for everything': [['--auto-reload-all=true'], { autoReloadAll: true }],
    'how often is too often': [
      ['--rollout-limit=3/10m', '--min-rollout-interval', '30s'],
      { pace: { minIntervalMs: 30_000, limit: { rollouts: 3, withinMs: 600_000 } } },
    ],
    'no limit': [['--rollout-limit=off'], { pace: { minIntervalMs: 0, limit: undefined } }],
    'rollouts of owners': [['--absorb-owner-rollouts=false'], { absorbOwnerRollouts: false }],
    'keys alone': [['--key-scoped'], { keyScoped: true }],
    'an object that comes to be': [['--reload-on-create=true'], { reloadOnCreate: true }],
    'an object that is deleted': [['--reload-on-delete'], { reloadOnDelete: true }],
    'the window of every workload': [['--pause-period=10m'], { pausePeriodMs: 600_000 }],
    'the strategy': [['--reload-strategy=annotations'], { reloadStrategy: 'annotations' }],
  };

for (const [sentence, [argv, want]] of Object.entries(CASES)) {
  test(sentence, () => assert.deepEqual(optionsOf(...argv), { ...DEFAULT_VOCABULARIES, ...want }));
}

const RENAMED: Record<string, keyof StakaterKeys> = {
  'auto-annotation': 'auto',
  'configmap-auto-annotation': 'configMapAuto',
  'secret-auto-annotation': 'secretAuto',
  'auto-search-annotation': 'search',
  'search-match-annotation': 'match',
  'ignore-annotation': 'ignore',
  'configmap-annotation': 'configMap',
  'secret-annotation': 'secret',
  'pause-deployment-annotation': 'pausePeriod',
  'pause-deployment-time-annotation': 'pausedAt',
};

for (const [flag, key] of Object.entries(RENAMED)) {
  test(`--${flag} renames the annotation, and no other`, () => {
    const { stakaterKeys } = optionsOf(`--${flag}`, 'example.com/mine');
    assert.deepEqual(stakaterKeys, { ...STAKATER_KEYS, [key]: 'example.com/mine' });
  });
}

const ALTERNATIVES = ['alternative-configmap-annotation', 'alternative-secret-annotation'];
/** By vocabulary: the flags that mean nothing without it. */
const OF_ONE_VOCABULARY: Record<string, readonly string[]> = {
  collaborne: ALTERNATIVES,
  stakater: Object.keys(RENAMED),
};

for (const [vocabularies, flags] of Object.entries(OF_ONE_VOCABULARY)) {
  const others = VOCABULARY_NAMES.filter((name) => name !== vocabularies).join();
  for (const flag of flags) {
    test(`--${flag} without ${vocabularies} in --dialects has no effect, and that is said`, () => {
      const command = parseOptions([`--${flag}=example.com/mine`], { RELOADER_OPT_DIALECTS: others });
      assert.ok(command.type === 'run');
      assert.deepEqual(command.notices, [
        `--${flag} has no effect with RELOADER_OPT_DIALECTS: it needs ${vocabularies} in that list`,
      ]);
    });

    test(`--${flag} with ${vocabularies} in --dialects has its effect`, () => {
      for (const argv of [[], [`--dialects=${vocabularies}`]]) {
        const command = parseOptions([`--${flag}=example.com/mine`, ...argv], {});
        assert.ok(command.type === 'run');
        assert.deepEqual(command.notices, []);
      }
    });
  }
}

test('flags of a vocabulary that is not in use are told of one by one, where they were given', () => {
  const argv = ['--dialects=wave', '--alternative-secret-annotation=a/x', '--ignore-annotation=a/y'];
  const command = parseOptions(argv, { RELOADER_OPT_AUTO_ANNOTATION: 'a/z' });
  assert.ok(command.type === 'run');
  assert.deepEqual(
    command.notices.map((notice) => notice.split(' ')[0]),
    ['--alternative-secret-annotation', 'RELOADER_OPT_AUTO_ANNOTATION', '--ignore-annotation'],
  );
});

const ONE_KEY_TWO_MEANINGS: Record<string, readonly [argv: string[], message: string]> = {
  'of a flag and of what another has where nobody says it': [
    ['--auto-annotation=reloader.stakater.com/search'],
    'expected --auto-annotation other than --auto-search-annotation, got reloader.stakater.com/search for both',
  ],
  'of two flags': [
    ['--search-match-annotation=a/b', '--ignore-annotation=a/b'],
    'expected --search-match-annotation other than --ignore-annotation, got a/b for both',
  ],
};

for (const [sentence, [argv, message]] of Object.entries(ONE_KEY_TWO_MEANINGS)) {
  test(`one key with two meanings is refused: ${sentence}`, () =>
    assert.deepEqual(parseOptions(argv, {}), { type: 'usage-error', message }));
}

const ONE_KEY_ONE_MEANING: Record<string, string[]> = {
  'one list may name ConfigMaps and Secrets': ['--configmap-annotation=a/b', '--secret-annotation=a/b'],
  'one key may ask for everything': ['--auto-annotation=a/b', '--configmap-auto-annotation=a/b'],
  'a workload and an object may have the same key': [
    '--auto-search-annotation=a/b',
    '--search-match-annotation=a/b',
  ],
  'two keys may be exchanged': [
    `--auto-annotation=${STAKATER_KEYS.search}`,
    `--auto-search-annotation=${STAKATER_KEYS.auto}`,
  ],
};

for (const [sentence, argv] of Object.entries(ONE_KEY_ONE_MEANING)) {
  test(sentence, () => assert.equal(parseOptions(argv, {}).type, 'run'));
}

test('a deletion that cannot be told from a lost label does not count, and that is said', () => {
  const command = parseOptions(['--reload-on-delete', '--resource-label-selector=app=web'], {});
  assert.ok(command.type === 'run');
  assert.match(command.notices.join(), /--reload-on-delete has no effect with --resource-label-selector/);
});

const REFUSED: Record<string, string> = {
  '--dialects=klingon': '--dialects: expected one of collaborne, stakater, sap, wave, got "klingon"',
  '--reload-strategy=restart': '--reload-strategy: expected one of env-vars, annotations, got "restart"',
  '--pause-period=-5m': '--pause-period: expected a duration',
  '--auto-annotation=a b': '--auto-annotation: expected an annotation key such as',
};

for (const [flag, message] of Object.entries(REFUSED)) {
  test(`${flag} is refused`, () => {
    const command = parseOptions([flag], {});
    assert.ok(command.type === 'usage-error' && command.message.startsWith(message), JSON.stringify(command));
  });
}
