/** What is watched, in the words of Stakater Reloader. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type Options, workloadKindsOf } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

type Env = Readonly<Record<string, string>>;

function optionsOf(argv: readonly string[], env: Env = {}): Options {
  const command = parseOptions(argv, env);
  assert.equal(command.type, 'run', JSON.stringify(command));
  return command.options;
}

function errorOf(argv: readonly string[]): string {
  const command = parseOptions(argv, {});
  assert.equal(command.type, 'usage-error', JSON.stringify(command));
  return command.message;
}

describe('--namespaces', () => {
  test('is --namespace, and is named where it was written', () => {
    const { scope } = optionsOf(['--namespaces', 'a, b', '--namespaces=c']);
    assert.deepEqual(scope, { type: 'namespaces', names: ['a', 'b', 'c'], source: '--namespaces' });
  });

  test('adds to --namespace', () => {
    const { scope } = optionsOf(['--namespaces=a', '--namespace=b']);
    assert.deepEqual(scope, { type: 'namespaces', names: ['a', 'b'], source: '--namespace' });
  });

  test('is complained of under the name that was written', () => {
    assert.match(errorOf(['--namespaces=A']), /^--namespaces: expected the name of a namespace/);
    assert.equal(errorOf(['--namespacess=a']), 'unknown flag "--namespacess": expected --namespaces');
  });
});

describe('--resources-to-ignore', () => {
  const kinds = { configmaps: 'ConfigMap', ConfigMaps: 'ConfigMap', secrets: 'Secret' };
  for (const [word, kind] of Object.entries(kinds)) {
    test(`knows ${word}`, () => {
      assert.deepEqual(optionsOf(['--resources-to-ignore', word]).ignoredConfigKinds, [kind]);
    });
  }

  const errors: Record<string, RegExp> = {
    'secrets,configmaps': /^--resources-to-ignore: .*not both: nothing would be watched$/,
    pods: /^--resources-to-ignore: expected v1.ConfigMap \(configmaps\) or v1.Secret \(secrets\), got "pods"$/,
  };
  for (const [words, error] of Object.entries(errors)) {
    test(`refuses ${words}`, () => assert.match(errorOf([`--resources-to-ignore=${words}`]), error));
  }
});

describe('the kinds of workload', () => {
  const kindsOf = (...argv: string[]): string =>
    workloadKindsOf(optionsOf(argv))
      .map(({ kind }) => kind)
      .join();
  const cases: Record<string, { argv: string[]; kinds: string }> = {
    'are those that replace their pods': { argv: [], kinds: 'Deployment,StatefulSet,DaemonSet' },
    'are CronJobs too with --cronjob-reload=run-now': {
      argv: ['--cronjob-reload=run-now'],
      kinds: 'Deployment,StatefulSet,DaemonSet,CronJob',
    },
    'are Jobs too with --job-reload': {
      argv: ['--job-reload=recreate-running'],
      kinds: 'Deployment,StatefulSet,DaemonSet,Job',
    },
    'are without those that --ignored-workload-types names': {
      argv: [
        '--cronjob-reload=run-now',
        '--ignored-workload-types=jobs,CronJobs',
        '--ignored-workload-types=daemonset',
      ],
      kinds: 'Deployment,StatefulSet',
    },
  };
  for (const [sentence, { argv, kinds }] of Object.entries(cases))
    test(sentence, () => assert.equal(kindsOf(...argv), kinds));

  const errors: Record<string, RegExp> = {
    '--ignored-workload-types=pods':
      /^--ignored-workload-types: expected one of deployments, statefulsets, daemonsets, cronjobs, jobs, got "pods"$/,
    '--ignored-workload-types=deployments,statefulsets,daemonsets': /nothing would be watched$/,
    '--job-reload=run-now': /^--job-reload: expected one of none, recreate, recreate-running, got "run-now"$/,
    '--cronjob-reload=always': /^--cronjob-reload: expected one of none, run-now, got "always"$/,
  };
  for (const [flag, error] of Object.entries(errors))
    test(`refuse ${flag}`, () => assert.match(errorOf([flag]), error));

  const contradictions: Record<string, { argv?: string[]; env?: Env; notices: string[] }> = {
    'that are both ignored and to be reloaded are told of': {
      argv: ['--ignored-workload-types=cronjobs', '--cronjob-reload=run-now'],
      notices: [
        '--cronjob-reload has no effect with --ignored-workload-types: take cronjobs out of that list',
      ],
    },
    'are told of one by one, where it was said': {
      argv: ['--ignored-workload-types=jobs,cronjobs'],
      env: { RELOADER_OPT_JOB_RELOAD: 'recreate-running', RELOADER_OPT_CRONJOB_RELOAD: 'run-now' },
      notices: [
        'RELOADER_OPT_CRONJOB_RELOAD has no effect with --ignored-workload-types: take cronjobs out of that list',
        'RELOADER_OPT_JOB_RELOAD has no effect with --ignored-workload-types: take jobs out of that list',
      ],
    },
    'that are ignored and not to be reloaded anyway are not': {
      argv: ['--ignored-workload-types=jobs', '--job-reload=none'],
      notices: [],
    },
    'of which one is ignored and another reloaded are not': {
      argv: ['--ignored-workload-types=jobs', '--cronjob-reload=run-now'],
      notices: [],
    },
  };
  for (const [sentence, { argv = [], env = {}, notices }] of Object.entries(contradictions)) {
    test(sentence, () => {
      const command = parseOptions(argv, env);
      assert.ok(command.type === 'run');
      assert.deepEqual(command.notices, notices);
    });
  }
});

describe('--namespaces-to-ignore', () => {
  test('leaves namespaces out of all of them', () => {
    const { ignoredNamespaces } = optionsOf([
      '-A',
      '--namespaces-to-ignore=a, b',
      '--namespaces-to-ignore=c',
    ]);
    assert.deepEqual(ignoredNamespaces, ['a', 'b', 'c']);
  });

  test('alone means all namespaces, as it does for Stakater Reloader', () => {
    assert.equal(optionsOf(['--namespaces-to-ignore=a']).scope.type, 'all');
  });

  test('is a list of names', () => {
    assert.match(errorOf(['-A', '--namespaces-to-ignore=kube-*']), /expected the name of a namespace/);
  });

  test('has no effect, and says so, where not all are watched', () => {
    for (const [argv, env, source] of [
      [['--namespace=a'], {}, '--namespace'],
      [[], { KUBERNETES_NAMESPACE: 'a' }, 'KUBERNETES_NAMESPACE'],
    ] as const) {
      const command = parseOptions([...argv, '--namespaces-to-ignore=b'], env);
      assert.ok(command.type === 'run');
      assert.deepEqual(command.options.ignoredNamespaces, []);
      assert.deepEqual(command.notices, [
        `--namespaces-to-ignore has no effect with ${source}: it needs --all-namespaces`,
      ]);
    }
  });
});

/** What is written, and what the API server is asked. */
const SELECTORS: Readonly<Record<string, string>> = {
  team: 'team',
  '!team': '!team',
  '! team': '!team',
  'team=a': 'team=a',
  'team == a': 'team=a',
  'team!=a': 'team!=a',
  'team=': 'team=',
  'team:a': 'team=a',
  'team:*': 'team',
  'team=*': 'team',
  'example.com/team=a.b_c-d': 'example.com/team=a.b_c-d',
  'team in (a, b)': 'team in (a,b)',
  'team notin (a)': 'team notin (a)',
  'team in(a)': 'team in (a)',
  ' team in (a,b) , !old,, tier:front ': 'team in (a,b),!old,tier=front',
  'team=a,team=a': 'team=a',
};

describe('--resource-label-selector', () => {
  for (const [written, asked] of Object.entries(SELECTORS)) {
    test(`takes ${JSON.stringify(written)}`, () => {
      assert.equal(optionsOf(['--resource-label-selector', written]).resourceLabelSelector, asked);
    });
  }

  test('joins what is repeated', () => {
    const argv = ['--resource-label-selector=team in (a,b)', '--resource-label-selector=!old'];
    assert.equal(optionsOf(argv).resourceLabelSelector, 'team in (a,b),!old');
  });

  test('is everything where it is not given', () => {
    assert.equal('resourceLabelSelector' in optionsOf([]), false);
  });

  test('comes from a variable', () => {
    const env = { RELOADER_OPT_RESOURCE_LABEL_SELECTOR: 'team in (a,b),!old' };
    assert.equal(optionsOf([], env).resourceLabelSelector, 'team in (a,b),!old');
  });

  const malformed = [
    '',
    ',',
    'team in a',
    'team in (a',
    'team in (a))',
    'team (a)',
    'te am',
    'team=a b',
    'team!=*',
    'team=-a',
    'team>1',
    'a/b/c=d',
    '!',
    '=a',
    'team=a=b',
    'good,!',
    `team=${'a'.repeat(64)}`,
  ];
  for (const text of malformed) {
    test(`refuses ${JSON.stringify(text)}`, () => {
      assert.match(
        errorOf([`--resource-label-selector=${text}`]),
        /^--resource-label-selector: expected a label selector: key, !key, key=value, .*, got "/,
      );
    });
  }
});

describe('--namespace-selector', () => {
  test('is a selector of all namespaces', () => {
    const argv = ['-A', '--namespace-selector=team:a', '--namespace-selector=!old'];
    assert.equal(optionsOf(argv).namespaceSelector, 'team=a,!old');
    assert.equal(optionsOf(['--namespace-selector=team']).scope.type, 'all');
  });

  test('has no effect, and says so, where not all are watched', () => {
    const command = parseOptions(['--namespace=a', '--namespace-selector=team'], {});
    assert.ok(command.type === 'run');
    assert.equal('namespaceSelector' in command.options, false);
    assert.deepEqual(command.notices, [
      '--namespace-selector has no effect with --namespace: it needs --all-namespaces',
    ]);
    const alone = parseOptions([], { RELOADER_OPT_NAMESPACE_SELECTOR: 'team' });
    assert.ok(alone.type === 'run');
    assert.deepEqual(alone.notices, [
      'RELOADER_OPT_NAMESPACE_SELECTOR has no effect: it needs --all-namespaces',
    ]);
  });

  test('is refused where it is none', () => {
    assert.match(
      errorOf(['-A', '--namespace-selector=a b']),
      /^--namespace-selector: expected a label selector/,
    );
  });
});
