import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  missingPermissions,
  type Permission,
  type PermissionScope,
  permissionsFor,
  ruleYaml,
} from '../../../lib/kubernetes/permissions.ts';
import type { Send } from '../../../lib/kubernetes/transport.ts';
import { ok, refused } from './scripted-send.ts';

const SCOPE: PermissionScope = {
  namespaces: ['one', 'two'],
  stateNamespace: 'home',
  stateName: 'reloader-state',
  configKinds: ['ConfigMap', 'Secret'],
  workloadKinds: ['Deployment', 'StatefulSet', 'DaemonSet'],
  isDryRun: false,
};

const STATES = ['reloader-state', ...Array.from({ length: 9 }, (_, index) => `reloader-state-${index + 1}`)];

interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Permissions in short: `home: get,create,patch configmaps reloader-state`. */
function short({ namespace, rule }: Permission): string {
  const { apiGroups, resources, resourceNames = [], verbs } = rule;
  const what = [
    ...resources.map((resource) => `${apiGroups[0] ? `${apiGroups[0]}/` : ''}${resource}`),
    ...resourceNames,
  ];
  return `${namespace ?? '*'}: ${verbs.join()} ${what.join(' ')}`;
}

/** Answers each review by `decide`: true, false, or no answer. */
function reviewer(decide: (attributes: Attributes) => boolean | undefined, asked: Attributes[] = []): Send {
  return async ({ method, path, body }) => {
    assert.equal(`${method} ${path}`, 'POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
    const attributes: Attributes = JSON.parse(body ?? '').spec.resourceAttributes;
    asked.push(attributes);
    const allowed = decide(attributes);
    return allowed === undefined ? refused(500) : ok({ status: { allowed } });
  };
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

test('to select namespaces they have to be listed and watched', () => {
  const own = permissionsFor(SCOPE).map(short);
  const more = permissionsFor({ ...SCOPE, namespaces: undefined, selectsNamespaces: true }).map(short);
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
    ['state'],
  );
});

test('for all namespaces the rights are asked once, without a namespace, but for the state', async () => {
  const asked: Attributes[] = [];
  const permissions = permissionsFor({
    ...SCOPE,
    namespaces: undefined,
    configKinds: ['Secret'],
    workloadKinds: [],
  });
  assert.deepEqual(
    await missingPermissions(
      reviewer(() => true, asked),
      permissions,
    ),
    [],
  );
  assert.deepEqual(asked, [
    ...['get', 'create', 'patch'].map((verb) => ({
      verb,
      group: '',
      resource: 'configmaps',
      namespace: 'home',
      name: 'reloader-state',
    })),
    { verb: 'list', group: '', resource: 'secrets' },
    { verb: 'watch', group: '', resource: 'secrets' },
    { verb: 'create', group: '', resource: 'events' },
  ]);
});

test('a missing right is told with its verbs and the rule to add', async () => {
  const send = reviewer(
    ({ resource, verb, namespace }) => resource !== 'secrets' || verb === 'list' || namespace === 'two',
  );
  const [missing, ...others] = await missingPermissions(send, permissionsFor(SCOPE));
  assert.deepEqual(others, []);
  assert.equal(missing?.permission.purpose, 'config');
  assert.equal(missing.permission.kind, 'Secret');
  assert.deepEqual(missing.verbs, ['watch']);
  assert.equal(
    missing.sentence,
    [
      'The service account may not watch secrets in namespace one. Add to a Role in namespace one:',
      '- apiGroups: [""]',
      '  resources: ["secrets"]',
      '  verbs: ["list","watch"]',
    ].join('\n'),
  );
});

test('a review that fails says nothing', async () => {
  assert.deepEqual(
    await missingPermissions(
      reviewer(() => undefined),
      permissionsFor(SCOPE),
    ),
    [],
  );
  const broken: Send = async () => {
    throw new Error('ECONNREFUSED');
  };
  assert.deepEqual(await missingPermissions(broken, permissionsFor(SCOPE)), []);
  assert.deepEqual(await missingPermissions(async () => ok({}), permissionsFor(SCOPE)), []);
});

test('a rule names the objects that it is for', () => {
  const [state] = permissionsFor(SCOPE);
  assert.ok(state);
  assert.match(ruleYaml(state.rule), /^ {2}resourceNames: \["reloader-state","reloader-state-1",.*-9"\]$/m);
});

test('of a rule with names only the first has to be granted', async () => {
  const may = (granted: string) => reviewer(({ name = granted }) => name === granted);
  assert.deepEqual(await missingPermissions(may('reloader-state'), permissionsFor(SCOPE)), []);
  const [missing] = await missingPermissions(may('reloader-state-1'), permissionsFor(SCOPE));
  assert.match(
    missing?.sentence ?? '',
    /^The service account may not get, create, patch configmaps reloader-state in namespace home\./,
  );
});
