/** How old the templates of workloads are, as a server tells it. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiRequest, ApiResponse, Send } from '../../../lib/kubernetes/transport.ts';
import { readBirths } from '../../../lib/kubernetes/workloads/pod-births.ts';

const REVISION = 'deployment.kubernetes.io/revision';
const AT = '2026-01-01T12:00:00Z';

function replicaSet(uid: string, revision: string, creationTimestamp?: string): object {
  const ownerReferences = [
    { kind: 'Rollout', uid: 'other' },
    { kind: 'Deployment', uid, controller: true },
  ];
  return {
    metadata: { name: revision, annotations: { [REVISION]: revision }, ownerReferences, creationTimestamp },
  };
}

async function birthsOf(send: Send): Promise<object> {
  const reading = await readBirths(send, 'ns');
  assert.ok(reading.kind === 'listed');
  return Object.fromEntries(reading.births);
}

/** A server with these pages, which may fail at the one that is undefined. */
function serverOf(...pages: readonly (readonly object[] | undefined)[]): { send: Send; asked: ApiRequest[] } {
  const asked: ApiRequest[] = [];
  const send: Send = (request) => {
    const page = pages[asked.length];
    asked.push(request);
    const next = asked.length < pages.length ? { continue: `token ${asked.length}` } : {};
    return Promise.resolve(answerOf(page === undefined ? 403 : 200, { metadata: next, items: page }));
  };
  return { send, asked };
}

function answerOf(status: number, body: object): ApiResponse {
  return {
    status,
    headers: {},
    body: (async function* () {
      yield JSON.stringify(body);
    })(),
  };
}

test('of each Deployment the one of the highest revision counts, over all pages, and metadata are enough', async () => {
  const { send, asked } = serverOf(
    [replicaSet('a', '9', AT), replicaSet('b', '1', AT), { metadata: { name: 'nobody' } }],
    [replicaSet('a', '10', AT), replicaSet('a', '2')],
  );
  const births = await birthsOf(send);
  assert.deepEqual(births, {
    a: { revision: '10', createdAt: Date.parse(AT) / 1000 },
    b: { revision: '1', createdAt: Date.parse(AT) / 1000 },
  });
  assert.deepEqual(
    asked.map(({ path }) => path),
    [
      '/apis/apps/v1/namespaces/ns/replicasets?limit=500',
      '/apis/apps/v1/namespaces/ns/replicasets?limit=500&continue=token%201',
    ],
  );
  assert.match(asked[0]?.headers?.['accept'] ?? '', /^application\/json;as=PartialObjectMetadataList/);
});

test('where a page cannot be had it fails', async () => {
  for (const pages of [[undefined], [[replicaSet('a', '1', AT)], undefined]]) {
    const { kind } = await readBirths(serverOf(...pages).send, 'ns');
    assert.equal(kind, 'failed');
  }
});

test('pages have an end', async () => {
  const { send, asked } = serverOf(...new Array<readonly object[]>(1000).fill([replicaSet('a', '1', AT)]));
  assert.deepEqual(await birthsOf(send), {});
  assert.equal(asked.length, 100);
});
