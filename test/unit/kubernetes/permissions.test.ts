import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Permission, permissionsFor, ruleYaml } from '../../../lib/kubernetes/permissions.ts';
import { SCOPE } from './permission-scope.ts';

const STATES = ['reloader-state', ...Array.from({ length: 9 }, (_, index) => `reloader-state-${index + 1}`)];

/** Permissions in short: `home: get,create,patch configmaps reloader-state`. */
function short({ namespace, rule }: Permission): string {
  const { apiGroups, resources, resourceNames = [], verbs } = rule;
  const what = [
    ...resources.map((resource) => `${apiGroups[0] ? `${apiGroups[0]}/` : ''}${resource}`),
    ...resourceNames,
  ];
  return `${namespace ?? '*'}: ${verbs.join()} ${what.join(' ')}`;
}

test('each namespace needs the same rights, and the state ConfigMaps their own, by name', () => {
  const perNamespace = (namespace: string): string[] => [
    `${namespace}: list,watch configmaps`,
    `${namespace}: list,watch secrets`,
    `${namespace}: get,list,watch,patch apps/deployments`,
    `${namespace}: get,list,watch,patch apps/statefulsets`,
    `${namespace}: get,list,watch,patch apps/daemonsets`,
    `${namespace}: create events`,
  ];
  assert.deepEqual(permissionsFor(SCOPE).map(short), [
    `home: get,create,patch configmaps ${STATES.join(' ')}`,
    'home: get,create,patch secrets reloader-state-key',
    ...perNamespace('one'),
    ...perNamespace('two'),
  ]);
});

test('to start runs of CronJobs, Jobs have to be created, and nothing else is done with Jobs', () => {
  const own = permissionsFor(SCOPE).map(short);
  const more = permissionsFor({ ...SCOPE, namespaces: ['one'], workloadKinds: ['CronJob'] }).map(short);
  assert.ok(own.every((permission) => !permission.includes('batch')));
  assert.deepEqual(
    more.filter((permission) => permission.includes('batch')),
    ['one: get,list,watch,patch batch/cronjobs', 'one: create batch/jobs'],
  );
  const told = permissionsFor({ ...SCOPE, workloadKinds: ['CronJob'], onlyTells: true }).map(short);
  assert.ok(told.every((permission) => !permission.includes('batch/jobs')));
});

test('to create Jobs anew takes one rule, which runs of CronJobs need no other beside', () => {
  const workloadKinds = ['CronJob', 'Job'];
  const more = permissionsFor({ ...SCOPE, namespaces: ['one'], workloadKinds }).map(short);
  assert.deepEqual(
    more.filter((permission) => permission.includes('batch/jobs')),
    ['one: get,list,watch,create,delete batch/jobs'],
  );
});

test('to evict takes three rights, and none in a dry run or beside a webhook', () => {
  const toEvict = (changes: object): string[] =>
    permissionsFor({ ...SCOPE, namespaces: ['one'], ...changes })
      .map(short)
      .filter((permission) => /pods|replicasets/.test(permission));
  assert.deepEqual(toEvict({}), []);
  assert.deepEqual(toEvict({ evicts: true }), [
    'one: list pods',
    'one: list apps/replicasets',
    'one: create pods/eviction',
  ]);
  assert.deepEqual(toEvict({ evicts: true, isDryRun: true }), []);
  assert.deepEqual(toEvict({ evicts: true, onlyTells: true }), []);
});

test('to elect a leader takes one Lease by its name, but for its creation, and nothing where none is elected', () => {
  const isLease = (permission: string): boolean => permission.includes('leases');
  const lease = { namespace: 'far', name: 'lock' };
  assert.deepEqual(
    permissionsFor({ ...SCOPE, lease })
      .map(short)
      .filter(isLease),
    ['far: get,update coordination.k8s.io/leases lock', 'far: create coordination.k8s.io/leases'],
  );
  assert.deepEqual(permissionsFor(SCOPE).map(short).filter(isLease), []);
});

test('to select namespaces, or to read their annotations, they have to be listed and watched', () => {
  const own = permissionsFor(SCOPE).map(short);
  const more = permissionsFor({ ...SCOPE, namespaces: undefined, watchesNamespaces: true }).map(short);
  assert.ok(own.every((permission) => !permission.includes('namespaces')));
  assert.ok(more.includes('*: list,watch namespaces'));
});

test('a dry run needs only to read', () => {
  const workloadKinds = [...SCOPE.workloadKinds, 'CronJob'];
  const verbs = permissionsFor({ ...SCOPE, workloadKinds, isDryRun: true }).flatMap(({ rule }) => rule.verbs);
  assert.deepEqual([...new Set(verbs)].sort(), ['get', 'list', 'watch']);
});

test('where a webhook is told instead, workloads need not be patched, but the state must be', () => {
  const patched = permissionsFor({ ...SCOPE, onlyTells: true }).filter(({ rule }) =>
    rule.verbs.includes('patch'),
  );
  assert.deepEqual(
    patched.map(({ purpose }) => purpose),
    ['state', 'key'],
  );
});

test('a rule names the objects that it is for', () => {
  const [state] = permissionsFor(SCOPE);
  assert.ok(state);
  assert.match(
    ruleYaml(state.rule),
    /^- \{apiGroups: \[""\], .* resourceNames: \[reloader-state, reloader-state-1, .*-9\], verbs: /,
  );
});

test('to review the readers of pages takes two rights in the cluster, also in a dry run', () => {
  for (const isDryRun of [false, true]) {
    const own = permissionsFor({ ...SCOPE, isDryRun }).map(short);
    const more = permissionsFor({ ...SCOPE, isDryRun, reviewsReaders: true }).map(short);
    assert.deepEqual(
      more.filter((permission) => !own.includes(permission)),
      ['*: create authentication.k8s.io/tokenreviews', '*: create authorization.k8s.io/subjectaccessreviews'],
    );
  }
});
