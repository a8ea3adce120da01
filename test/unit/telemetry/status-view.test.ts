import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { StatusReport } from '../../../lib/model/status-report.ts';
import { MOST_ROWS, namespacesOf, rowsOf } from '../../../lib/telemetry/status-view.ts';
import { change, current, outdatedWorkload, report, workload } from './reports.ts';

const NOTICES = [{ reason: 'malformed', about: '', message: 'not a name' }] as const;

/** The rows of each group of workloads, by name. */
function groups(parts: Partial<StatusReport>, find = ''): Record<string, string[]> {
  const { outdated, withFindings, current } = rowsOf(report(parts), find);
  const names = Object.entries({ outdated, withFindings, current }).map(([group, { shown }]) => [
    group,
    shown.map(({ namespace, workload }) => `${namespace}/${workload.replace('Deployment/', '')}`),
  ]);
  return Object.fromEntries(names);
}

test('what is watched is told in words, of one namespace, several or all', () => {
  const words = [['a'], ['a', 'b'], undefined].map((namespaces) => namespacesOf({ namespaces }));
  assert.deepEqual(words, ['namespace a', 'namespaces a, b', 'all namespaces']);
});

describe('workloads', () => {
  test('are outdated, have findings or are up to date, and never two of them', () => {
    const workloads = [
      workload('a'),
      outdatedWorkload('b', 1, { findings: NOTICES }),
      workload('c', { findings: NOTICES }),
      outdatedWorkload('d', 1),
    ];
    assert.deepEqual(groups({ workloads }), {
      outdated: ['default/b', 'default/d'],
      withFindings: ['default/c'],
      current: ['default/a'],
    });
  });

  test('that are outdated stand by age, the oldest first, then by name', () => {
    const workloads = [
      outdatedWorkload('b', 3),
      outdatedWorkload('c', 40),
      outdatedWorkload('a', 3),
      outdatedWorkload('d', 0.5),
    ];
    const unknown = workload('e', { state: 'unknown' });
    assert.deepEqual(groups({ workloads: [unknown, ...workloads] })['outdated'], [
      'default/c',
      'default/a',
      'default/b',
      'default/d',
      'default/e',
    ]);
  });

  test('that are up to date stand in the order of namespaces and names', () => {
    const workloads = [
      workload('b'),
      workload('a', { namespace: 'zoo' }),
      workload('a'),
      workload('z', { namespace: 'app' }),
    ];
    assert.deepEqual(groups({ workloads })['current'], ['app/z', 'default/a', 'default/b', 'zoo/a']);
  });

  const wanted: Record<string, [string, string[]]> = {
    'its name': ['eb', ['default/web']],
    'its kind and name': ['Deployment/w', ['default/web', 'shop/worker']],
    'its namespace and name': ['shop/deployment/W', ['shop/worker']],
    'an object that it follows': ['secret/TLS', ['default/api']],
    nothing: ['cron', []],
  };
  for (const [name, [find, want]] of Object.entries(wanted)) {
    test(`are found by ${name}`, () => {
      const workloads = [
        workload('web'),
        workload('worker', { namespace: 'shop' }),
        workload('api', { follows: [current('Secret/tls')] }),
      ];
      assert.deepEqual(groups({ workloads }, find)['current'], want);
    });
  }
});

test('each table is cut at its limit, and knows how many there are', () => {
  const many = <T>(make: (i: number) => T): T[] => Array.from({ length: 500 }, (_, i) => make(i));
  const rows = rowsOf(
    report({
      workloads: [
        ...many((i) => workload(`c${i}`)),
        ...many((i) => workload(`n${i}`, { findings: NOTICES })),
        ...many((i) => outdatedWorkload(`o${i}`, i)),
      ],
      changes: many((i) => change(`c${i}`)),
      watches: many((i) => ({ stream: `s${i}`, isUp: i !== 499, sinceSeconds: 1, restarts: 0 })),
    }),
    '',
  );
  for (const group of ['changes', 'outdated', 'withFindings', 'current', 'watches'] as const) {
    assert.deepEqual([rows[group].shown.length, rows[group].total], [MOST_ROWS, 500], group);
  }
  assert.equal(rows.outdated.shown[0]?.workload, 'Deployment/o499');
  assert.equal(rows.watches.shown[0]?.stream, 's499');
});

test('decisions stay in their order, and are found by what they say and where', () => {
  const decision = (message: string, namespace: string) =>
    ({ time: '2026-01-01T00:00:00.000Z', level: 'info', reason: 'rolled', message, namespace }) as const;
  const decisions = [decision('b rolled', 'x'), decision('a rolled', 'y'), decision('b is gone', 'y')];
  const messages = (find: string): string[] =>
    rowsOf(report({ decisions }), find).decisions.shown.map(({ message }) => message);
  assert.deepEqual(messages(''), ['b rolled', 'a rolled', 'b is gone']);
  assert.deepEqual(messages('ROLLED'), ['b rolled', 'a rolled']);
  assert.deepEqual(messages('y/'), ['a rolled', 'b is gone']);
});

test('changes stand with those that are halted first, and are found by their object and the workloads they name', () => {
  const changes = [
    change('a'),
    change('b', { namespace: 'shop', unready: [{ workload: 'StatefulSet/orders', why: 'not yet' }] }),
    change('c', { halted: 'Deployment/x did not get ready with it' }),
  ];
  const objects = (find: string): string[] =>
    rowsOf(report({ changes }), find).changes.shown.map(({ object }) => object);
  assert.deepEqual(objects(''), ['ConfigMap/c', 'ConfigMap/a', 'ConfigMap/b']);
  assert.deepEqual(objects('shop/'), ['ConfigMap/b']);
  assert.deepEqual(objects('ORDERS'), ['ConfigMap/b']);
});
