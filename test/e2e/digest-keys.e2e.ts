/** The Secret with the key of the digests: made, deleted, and out of reach. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { startCluster } from '../control-plane/test-cluster.ts';
import { digestOf, KEYED } from '../digests.ts';
import { installRights } from '../faults/rights.ts';
import { digestIn, type ReloaderProcess } from '../integration/reloader-process.ts';
import { type JsonObject, objectOf, objectsOf, stringOf } from '../sandbox/json.ts';
import { endsAt, restsAt } from './endings.ts';
import { Stage } from './stage.ts';
import { web } from './workloads.ts';

const cluster = await startCluster();
after(() => cluster[Symbol.asyncDispose]());
const skip = !cluster.access.hasAccounts && 'service accounts are needed';

const SECRET = 'secrets/reloader-state-key';
const WEB = web();
/** What the log says of a state that cannot be begun. */
const UNREAD = /cannot read the digest keys; nothing is watched until they are read/;

/** The data of the Secret: the id of the key in use, and each key. */
async function keysIn(stage: Stage): Promise<{ readonly current: string; readonly keys: JsonObject }> {
  const { current, ...keys } = objectOf((await stage.expect('GET', SECRET))['data']);
  return { current: Buffer.from(stringOf(current) ?? '', 'base64').toString(), keys };
}

/** Resolves when every digest in the state matches. */
async function stateIs(stage: Stage, digest: string): Promise<void> {
  await stage.until(`the state has digests as ${digest}`, async () => {
    const entries = Object.values(await stage.entries());
    return entries.every((entry) => new RegExp(`^${digest}$`).test(digestIn(entry)));
  });
}

/** What a start must not change: which objects have an entry, and the stamps of the template. */
async function keptIn(stage: Stage): Promise<readonly unknown[]> {
  return [Object.keys(await stage.entries()), await stage.stamps(WEB)];
}

/** A stage with the pair `web`, and a reloader that has rolled it once. */
async function rolledOnce(stage: Stage, flags: readonly string[] = []): Promise<ReloaderProcess> {
  await stage.createPair(WEB);
  const reloader = await stage.reloaderWithRights({ flags });
  await stage.changeAndRoll(WEB, 'B');
  await endsAt(stage, reloader, WEB, 2);
  return reloader;
}

const USER = 'reads-no-secrets';

/** All that a user can read who may read everything but Secrets. */
async function readableIn(stage: Stage): Promise<string> {
  const rbac = `/apis/rbac.authorization.k8s.io/v1/namespaces/${stage.namespace}`;
  const resources = ['configmaps', 'pods', 'events', 'deployments', 'replicasets'];
  const rules = [{ apiGroups: ['', 'apps', 'events.k8s.io'], resources, verbs: ['get', 'list'] }];
  await cluster.expect('POST', `${rbac}/roles`, { metadata: { name: USER }, rules });
  await cluster.expect('POST', `${rbac}/rolebindings`, {
    metadata: { name: USER },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: USER },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: USER }],
  });
  await assert.rejects(stage.kubectl(['get', SECRET, `--as=${USER}`]), /forbidden/);
  const get = ['get', resources.join(), '-o', 'yaml', '--show-managed-fields', `--as=${USER}`];
  let text = '';
  await stage.until('the user may read', async () => {
    text = await stage.kubectl(get).then(
      ({ stdout }) => stdout,
      () => '',
    );
    return text !== '';
  });
  return text;
}

/** Digests that can be made of a Secret of that one value without a key. */
function guessesOf(key: string): readonly string[] {
  const data = { key: Buffer.from(key).toString('base64') };
  const plain = digestOf('Secret', { metadata: { name: 'pin' }, data });
  const hashes = [key, data.key, `key=${data.key}`].flatMap((text) =>
    ['sha1', 'sha256'].map((algorithm) => createHash(algorithm).update(text).digest('hex').slice(0, 40)),
  );
  return [plain, ...hashes];
}

function roleIn({ namespace }: Stage): string {
  return `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles/reloader-state`;
}

/** Takes the right to the Secret from the reloader; the rules answered give it back. */
async function withoutKeys(stage: Stage): Promise<JsonObject> {
  const { rules = [] } = await cluster.expect('GET', roleIn(stage));
  const without = objectsOf(rules).filter(({ resources }) => !JSON.stringify(resources).includes('secrets'));
  await cluster.expect('PATCH', roleIn(stage), { rules: without });
  const namedFor = ['auth', 'can-i', 'create', SECRET];
  const account = `--as=system:serviceaccount:${stage.namespace}:reloader`;
  await stage.until('the right is gone', async () => {
    const answer = stage.kubectl([...namedFor, account]);
    return await answer.then(
      () => false,
      () => true,
    );
  });
  return { rules };
}

describe('the keys of the digests', { skip, concurrency: 3 }, () => {
  test('the first process makes a key, and who may not read it cannot guess a content', async () => {
    await using stage = await Stage.open(cluster);
    await stage.createMarker();
    const pin = web('pin', { follows: { Secret: ['pin'] } });
    await stage.put('pin', '12345', 'Secret');
    await stage.create(pin);
    const reloader = await stage.reloaderWithRights();
    await stage.changeAndRoll(pin, '67890');
    const stamps = await restsAt(stage, reloader, pin, 2);

    const { current, keys } = await keysIn(stage);
    assert.deepEqual(Object.keys(keys), [current]);
    assert.equal(Buffer.from(String(keys[current]), 'base64').length, 32);
    const digest = `${current}:[0-9a-f]{40}`;
    assert.match(stamps['_RELOADER_SECRET_PIN'] ?? '', new RegExp(`^${digest}\\.\\d{16}$`));
    await stateIs(stage, digest);
    const text = await readableIn(stage);
    assert.ok(text.includes(stamps['_RELOADER_SECRET_PIN'] ?? 'no stamp'), 'the stamp can be read');
    assert.match(text, /reason: Reloaded/);
    for (const guess of ['12345', '67890'].flatMap(guessesOf)) assert.ok(!text.includes(guess));
    assert.ok(!text.includes(String(keys[current])));
    assert.deepEqual(await reloader.stop(), { code: 0, signal: null });
  });

  test('plain digests get a key, and lose it again, without a rollout', async () => {
    await using stage = await Stage.open(cluster);
    const plain = '[0-9a-f]{40}';
    const first = await rolledOnce(stage, ['--digests=sha1']);
    await stateIs(stage, plain);
    assert.equal((await cluster.ask('GET', stage.path(SECRET))).status, 404);
    const before = await keptIn(stage);
    assert.deepEqual(await first.stop(), { code: 0, signal: null });

    const second = await stage.reloaderWithRights();
    await stateIs(stage, KEYED);
    assert.deepEqual(await keptIn(stage), before);
    await restsAt(stage, second, WEB, 2);
    assert.deepEqual(await second.stop(), { code: 0, signal: null });
    await stage.put('web', 'C');

    const third = await stage.reloaderWithRights({ flags: ['--digests=sha1'] });
    await stateIs(stage, plain);
    await endsAt(stage, third, WEB, 3);
    assert.deepEqual(await third.stop(), { code: 0, signal: null });
  });

  test('a Role without the Secret: plain digests, and a warning with the rule; where the state has keys, nothing until it may', async () => {
    await using stage = await Stage.open(cluster);
    await installRights(cluster, stage.namespace);
    const all = await withoutKeys(stage);
    const first = await rolledOnce(stage);
    await stateIs(stage, '[0-9a-f]{40}');
    // A right that is missing for half a minute is told with the rule to add.
    await first.hasSaid(/may not get, create, patch secrets reloader-state-key in namespace/);
    const warnings = first.lines.filter(({ level, message }) => level === 'warn' && /plain/.test(message));
    assert.deepEqual(
      warnings.map(({ message }) => /resourceNames: \[reloader-state-key\]/.test(message)),
      [false, true],
    );
    assert.deepEqual(await first.stop(), { code: 0, signal: null });

    await cluster.expect('PATCH', roleIn(stage), all);
    const second = await stage.reloaderWithRights();
    await stateIs(stage, KEYED);
    const before = await keptIn(stage);
    assert.deepEqual(await second.stop(), { code: 0, signal: null });

    await withoutKeys(stage);
    await stage.put('web', 'C');
    const token = await cluster.serviceAccountToken(stage.namespace, 'reloader');
    const third = await stage.startReloader({ as: { token } });
    await third.hasSaid(UNREAD);
    const { status, text } = await third.page('/readyz?verbose');
    assert.equal(status, 503);
    assert.match(text, /the state|the keys of the digests/);
    assert.deepEqual(await keptIn(stage), before);
    await cluster.expect('PATCH', roleIn(stage), all);
    await stage.ready(third);
    await endsAt(stage, third, WEB, 3);
    assert.deepEqual(await third.stop(), { code: 0, signal: null });
  });

  test('a Secret that is deleted costs a warning at the next start, which rolls nothing', async () => {
    await using stage = await Stage.open(cluster);
    const first = await rolledOnce(stage);
    const { current } = await keysIn(stage);
    await stage.expect('DELETE', SECRET);
    await stage.changeAndRoll(WEB, 'C');
    await endsAt(stage, first, WEB, 3);
    assert.deepEqual(await first.stop(), { code: 0, signal: null });
    const next = await stage.reloaderWithRights();
    await next.hasSaid(/The key of entries of the state is lost/);
    await restsAt(stage, next, WEB, 3);
    assert.notEqual((await keysIn(stage)).current, current);
    await stage.changeAndRoll(WEB, 'D');
    await endsAt(stage, next, WEB, 4);
    assert.deepEqual(await next.stop(), { code: 0, signal: null });
  });
});
