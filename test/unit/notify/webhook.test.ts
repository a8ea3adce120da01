import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import type { WriteResult } from '../../../lib/model/outcome.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import type { PostBody, PostResult } from '../../../lib/notify/http-post.ts';
import { bodyOf, tellWebhook } from '../../../lib/notify/webhook.ts';

const DIGEST = 'b'.repeat(40);
const NOW = new Date('2026-01-31T12:00:00Z');

/** A plan for these objects, each at a version; `undefined`: it is absent. `id`: that of the stamps. */
function planOf(objects: Readonly<Record<string, string | undefined>>, id = 1): RolloutPlan {
  return {
    workload: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    stamps: Object.keys(objects).map((config) => ({
      config,
      stamp: { digest: DIGEST, id },
      places: [],
      variables: [],
    })),
    versions: new Map(
      Object.entries(objects).map(([config, objectVersion]) => [
        config,
        { digest: DIGEST, changedAt: 0, objectVersion },
      ]),
    ),
    resourceVersion: '7',
    template: { annotations: {}, variables: [] },
    operations: [{ op: 'test', path: '/metadata/generation', value: 7 }],
  };
}

const PLAN = planOf({ 'shop/ConfigMap/web': '2', 'shop/Secret/tls': '5' });

const idOf = (plan: RolloutPlan): unknown => (JSON.parse(bodyOf(plan, NOW).text) as { id: unknown }).id;

test('the body names the workload and every object, and no content or digest of one', () => {
  const { contentType, text } = bodyOf(PLAN, NOW);
  assert.equal(contentType, 'application/json');
  assert.deepEqual(JSON.parse(text), {
    webhook: 'update successful',
    id: idOf(PLAN),
    time: '2026-01-31T12:00:00.000Z',
    workload: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    objects: [
      { kind: 'ConfigMap', namespace: 'shop', name: 'web' },
      { kind: 'Secret', namespace: 'shop', name: 'tls' },
    ],
  });
  assert.ok(!text.includes(DIGEST));
});

describe('the id', () => {
  test('is the same for the same versions, whatever the fence, the order and the process', () => {
    const again = { ...planOf({ 'shop/Secret/tls': '5', 'shop/ConfigMap/web': '2' }, 9), operations: [] };
    assert.equal(idOf(again), idOf(PLAN));
  });

  test('is another one for the next rollout, although the content is the same again', () => {
    assert.notEqual(idOf(planOf({ 'shop/ConfigMap/web': '3', 'shop/Secret/tls': '5' })), idOf(PLAN));
    const [first, second] = [1, 2].map((id) => idOf(planOf({ 'shop/ConfigMap/web': undefined }, id)));
    assert.notEqual(first, second, 'an object that is deleted again');
  });
});

const RESULTS: Record<string, [PostResult, WriteResult<undefined>]> = {
  'what is taken is done, and the workload as it was': [
    { kind: 'taken' },
    { kind: 'accepted', object: undefined },
  ],
  'what is refused is a refusal at once': [
    { kind: 'refused', message: 'm' },
    { kind: 'rejected', code: 'forbidden', message: 'm' },
  ],
  'what is not answered is told again later, without a look at the workload': [
    { kind: 'later', message: 'm', retryAfterMs: 5 },
    { kind: 'throttled', message: 'm', retryAfterMs: 5 },
  ],
};

describe('the webhook', () => {
  for (const [sentence, [answer, result]] of Object.entries(RESULTS)) {
    test(sentence, async () => {
      const posted: PostBody[] = [];
      const post = async (body: PostBody): Promise<PostResult> => {
        posted.push(body);
        return answer;
      };
      assert.deepEqual(await tellWebhook(PLAN, { post }), result);
      assert.equal(posted.length, 1);
    });
  }
});

describe('with a key', () => {
  /** The bodies that are sent, and the result, where the file holds `key`. */
  async function told(readKey: () => Promise<string>): Promise<[PostBody[], WriteResult<undefined>]> {
    const sent: PostBody[] = [];
    const poster = {
      post: (body: PostBody) => {
        sent.push(body);
        return Promise.resolve({ kind: 'taken' } as const);
      },
    };
    const result = await tellWebhook(PLAN, poster, readKey);
    return [sent, result];
  }

  for (const key of ['hunter2', ' hunter2\r\n'])
    test(`the text that is sent is signed: ${JSON.stringify(key)}`, async () => {
      const [[body]] = await told(() => Promise.resolve(key));
      const expected = createHmac('sha256', 'hunter2')
        .update(body?.text ?? '')
        .digest('hex');
      assert.equal(body?.signature, `sha256=${expected}`);
    });

  for (const readKey of [
    () => Promise.reject(new Error('ENOENT')),
    () => Promise.resolve(''),
    () => Promise.resolve(' \n'),
  ])
    test('nothing is sent while there is none, and it is tried again', async () => {
      const [sent, result] = await told(readKey);
      assert.deepEqual(sent, []);
      assert.equal(result.kind, 'throttled');
    });
});
