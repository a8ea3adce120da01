/** What is known of rights once the API server has been asked for them. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type MissingPermission,
  missingOf,
  questionsOf,
  review,
  reviewReader,
} from '../../../lib/kubernetes/access-reviews.ts';
import { type Permission, permissionsFor } from '../../../lib/kubernetes/permissions.ts';
import type { Send } from '../../../lib/kubernetes/transport.ts';
import { SCOPE } from './permission-scope.ts';
import { type Answer, ok, refused, scripted } from './scripted-send.ts';

interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
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

/** What is positively known to be missing. */
async function missingPermissions(
  send: Send,
  permissions: readonly Permission[],
): Promise<MissingPermission[]> {
  return missingOf((await review(send, questionsOf(permissions))).refused);
}

test('for all namespaces the rights are asked once, without a namespace, but for the state and its keys', async () => {
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
    ...['get', 'create', 'patch'].map((verb) => ({
      verb,
      group: '',
      resource: 'secrets',
      namespace: 'home',
      name: 'reloader-state-key',
    })),
    { verb: 'list', group: '', resource: 'secrets' },
    { verb: 'watch', group: '', resource: 'secrets' },
    { verb: 'create', group: '', resource: 'events' },
  ]);
});

test('a missing right is told with its verbs and the rule to add', async () => {
  const send = reviewer(
    ({ resource, verb, namespace }) => resource !== 'secrets' || verb === 'list' || namespace !== 'one',
  );
  const [missing, ...others] = await missingPermissions(send, permissionsFor(SCOPE));
  assert.deepEqual(others, []);
  assert.equal(missing?.permission.purpose, 'config');
  assert.equal(missing.permission.kind, 'Secret');
  assert.deepEqual(missing.verbs, ['watch']);
  assert.equal(
    missing.sentence,
    'The service account may not watch secrets in namespace one. Add to a Role in namespace one: - {apiGroups: [""], resources: [secrets], verbs: [list, watch]}',
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

test('of a rule with names only the first has to be granted', async () => {
  const may = (granted: string) =>
    reviewer(({ name = granted, resource }) => name === granted || resource === 'secrets');
  assert.deepEqual(await missingPermissions(may('reloader-state'), permissionsFor(SCOPE)), []);
  const [missing] = await missingPermissions(may('reloader-state-1'), permissionsFor(SCOPE));
  assert.match(
    missing?.sentence ?? '',
    /^The service account may not get, create, patch configmaps reloader-state in namespace home\./,
  );
});

test('what is refused, what is not answered and what is allowed are three things', async () => {
  const [, , ...streams] = permissionsFor({ ...SCOPE, namespaces: ['one'], workloadKinds: [] });
  const answers: Record<string, boolean> = { configmaps: true, secrets: false };
  const reviewed = await review(
    reviewer(({ resource }) => answers[resource]),
    questionsOf(streams),
  );
  const told = (questions: typeof reviewed.refused): string[] =>
    questions.map(({ permission, verb }) => `${verb} ${permission.rule.resources}`);
  assert.deepEqual(told(reviewed.refused), ['list secrets', 'watch secrets']);
  assert.deepEqual(told(reviewed.unanswered), ['create events']);
});

for (const answer of [refused(429), refused(500), new Error('ECONNREFUSED')]) {
  const what = answer instanceof Error ? answer.message : answer.status;
  test(`of rights: after ${what} the rest of the round is not asked`, async () => {
    const [, , ...streams] = permissionsFor({ ...SCOPE, namespaces: ['one'], workloadKinds: [] });
    const { send, requests } = scripted(answer, answer, ok({}));
    const questions = questionsOf(streams.slice(0, 2));
    assert.deepEqual(await review(send, questions), { refused: [], unanswered: questions });
    assert.equal(requests.length, 2);
  });
}

describe('the bearer of a token', () => {
  const USER = { username: 'jane', uid: '1', groups: ['dev'], extra: { scopes: ['a', 'b'] } };
  const known = ok({ status: { authenticated: true, user: USER } });
  const verdictOf = (...answers: Answer[]): Promise<string> => {
    const { send } = scripted(...answers);
    return reviewReader(send, 'hunter2', '/metrics', new AbortController().signal);
  };

  test('is asked for by the token, then for the path with all that is known of the account', async () => {
    const { send, requests } = scripted(known, ok({ status: { allowed: true } }));
    assert.equal(await reviewReader(send, 'hunter2', '/metrics', new AbortController().signal), 'allowed');
    const specs = requests.map(({ body = '' }) => JSON.parse(body));
    const { username: user, ...account } = USER;
    assert.deepEqual(specs, [
      { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'hunter2' } },
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: { user, ...account, nonResourceAttributes: { path: '/metrics', verb: 'get' } },
      },
    ]);
  });

  const CLOSED: Readonly<Record<string, readonly [answers: readonly Answer[], verdict: string]>> = {
    'is unknown with an error': [[ok({ status: { error: 'invalid bearer token' } })], 'unauthenticated'],
    'is unknown without a word': [[ok({})], 'unauthenticated'],
    'is unknown in other words': [[ok({ status: { authenticated: 'true', user: USER } })], 'unauthenticated'],
    'may not': [[known, ok({ status: { allowed: false } })], 'forbidden'],
    'may not without a word': [[known, ok({})], 'forbidden'],
    'may not although it may': [[known, ok({ status: { allowed: true, denied: true } })], 'forbidden'],
  };
  for (const [name, [answers, verdict]] of Object.entries(CLOSED))
    test(name, async () => assert.equal(await verdictOf(...answers), verdict));

  for (const answer of [refused(403), refused(500), new Error('no answer'), ok([])])
    test('is none of these without an answer, and the error does not have the token', async () => {
      const isClosed = (error: unknown): boolean => {
        assert.ok(!JSON.stringify([error, String(error)]).includes('hunter2'));
        return true;
      };
      await assert.rejects(verdictOf(answer), isClosed);
      await assert.rejects(verdictOf(known, answer), isClosed);
    });
});
