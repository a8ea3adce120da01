/** Rules of lists, selectors and watches. */

import assert from 'node:assert/strict';
import { type ApiRules, configMap, deployment, metadataOf, type RuleClient, versionOf } from './api-rules.ts';
import { type Json, type JsonObject, objectsOf } from './json.ts';

/** By name: cases for `runRule`. */
export const READ_RULES: ApiRules = {
  'a list holds its objects by name, without kind, under a version of its own': async (api) => {
    for (const name of ['b', 'a', 'c']) await api.created('configmaps', configMap(name));
    const { body } = await api.get('configmaps');
    assert.equal(body['kind'], 'ConfigMapList');
    assert.deepEqual(namesOf(body).filter(isOurs), ['a', 'b', 'c']);
    assert.ok(objectsOf(body['items']).every((item) => item['kind'] === undefined));
    assert.ok(versionOf(body).length > 0);
  },
  'pages show one moment: what is written between them does not appear': async (api) => {
    for (const name of ['a', 'b', 'c']) await api.created('configmaps', configMap(name, {}, OURS));
    const first = (await api.get('configmaps?limit=2&labelSelector=ours')).body;
    assert.deepEqual(namesOf(first), ['a', 'b']);
    await api.delete('configmaps/c');
    await api.created('configmaps', configMap('d', {}, OURS));
    const token = encodeURIComponent(String(metadataOf(first, 'continue')));
    const second = (await api.get(`configmaps?limit=2&labelSelector=ours&continue=${token}`)).body;
    assert.deepEqual(namesOf(second), ['c']);
    assert.equal(versionOf(second), versionOf(first));
    assert.ok(!metadataOf(second, 'continue'));
  },
  'label selectors know =, !=, in, notin and existence': async (api) => {
    const sets: readonly (readonly [string, JsonObject])[] = [
      ['a', { tier: 'front', ours: '' }],
      ['b', { tier: 'back', ours: '' }],
      ['c', { ours: '' }],
    ];
    for (const [name, labels] of sets) await api.created('configmaps', configMap(name, {}, { labels }));
    const cases = {
      'tier=front': ['a'],
      'tier!=front': ['b', 'c'],
      'tier in (front,back)': ['a', 'b'],
      'tier notin (front)': ['b', 'c'],
      tier: ['a', 'b'],
      '!tier': ['c'],
      'tier in (front, back),tier!=back': ['a'],
    };
    for (const [selector, names] of Object.entries(cases)) {
      const { body } = await api.get(`configmaps?labelSelector=${encodeURIComponent(`ours,${selector}`)}`);
      assert.deepEqual(namesOf(body), names, selector);
    }
  },
  'field selectors know names, and the type of a Secret; others are 400': async (api) => {
    for (const [name, type] of [
      ['a', 'Opaque'],
      ['b', 'example.com/x'],
      ['c', 'example.com/y'],
    ]) {
      await api.created('secrets', { metadata: { name }, type });
    }
    const list = async (selector: string): Promise<readonly string[]> =>
      namesOf((await api.get(`secrets?fieldSelector=${encodeURIComponent(selector)}`)).body);
    assert.deepEqual(await list('metadata.name=b'), ['b']);
    assert.deepEqual(await list('metadata.name!=b'), ['a', 'c']);
    assert.deepEqual(await list('type!=example.com/x,type!=example.com/y'), ['a']);
    assert.equal((await api.get('secrets?fieldSelector=data.x%3Dy')).status, 400);
  },
  'a field selector of the type of Secrets holds for lists and watches': async (api) => {
    const secret = (name: string, type: string): JsonObject => ({ metadata: { name }, type });
    await api.created('secrets', secret('a', 'Opaque'));
    await api.created('secrets', secret('release-1', 'helm.sh/release.v1'));
    const selector = encodeURIComponent('type!=helm.sh/release.v1,type!=kubernetes.io/service-account-token');
    const list = await api.get(`secrets?limit=100&fieldSelector=${selector}`);
    assert.deepEqual(namesOf(list.body), ['a']);
    const from = `fieldSelector=${selector}&resourceVersion=${versionOf(list.body)}`;
    const watch = await api.watch(`secrets?${from}&allowWatchBookmarks=true`);
    await api.created('secrets', secret('release-2', 'helm.sh/release.v1'));
    await api.created('secrets', secret('b', 'Opaque'));
    assert.deepEqual(await take(watch, 1), ['ADDED b']);
  },
  'a field selector leaves namespaces out of what is listed and watched in all of them': async (api) => {
    const others = [`${api.namespace}-x`, `${api.namespace}-y`];
    const metadata = { labels: { [api.namespace]: '' } };
    for (const name of others) await api.created('/api/v1/namespaces', { metadata: { name } });
    const put = async (collection: string, name: string): Promise<void> => {
      const object = { metadata: { name, ...metadata } };
      const manifest = collection.endsWith('deployments') ? { ...deployment(name), ...object } : object;
      for (const namespace of [...others, api.namespace])
        await api.created(within(collection, namespace), manifest);
    };
    const outside = others.map((namespace) => `metadata.namespace!=${namespace}`).join(',');
    for (const collection of ['/api/v1/configmaps', '/api/v1/secrets', '/apis/apps/v1/deployments']) {
      await put(collection, 'a');
      const fields = collection.endsWith('secrets') ? `type!=example.com/x,${outside}` : outside;
      const query = `labelSelector=${api.namespace}&fieldSelector=${encodeURIComponent(fields)}`;
      const { body } = await api.get(`${collection}?${query}&limit=500`);
      assert.deepEqual(namesOf(body), ['a'], collection);
      assert.equal(metadataOf(objectsOf(body['items'])[0], 'namespace'), api.namespace);
      const watch = await api.watch(`${collection}?${query}&resourceVersion=${versionOf(body)}`);
      await put(collection, 'b');
      for (const namespace of [...others, api.namespace])
        await api.delete(`${within(collection, namespace)}/a`);
      assert.deepEqual(await take(watch, 2), ['ADDED b', 'DELETED a']);
    }
  },
  'a watch of a version from the future is 200 and silent': async (api) => {
    const watch = await api.watch('configmaps?resourceVersion=99999999999&timeoutSeconds=1');
    assert.equal(watch.status, 200);
    await api.created('configmaps', configMap('a'));
    assert.equal(await watch.next(), undefined);
  },
  'versions of lists of different kinds are decimal and ascend in the order of the lists': async (api) => {
    const versions: string[] = [];
    for (const resource of ['configmaps', 'deployments', 'secrets', 'configmaps']) {
      versions.push(versionOf((await api.get(`${resource}?limit=1`)).body));
      await api.created('configmaps', configMap(`between-${versions.length}`));
    }
    assert.ok(
      versions.every((version) => /^\d+$/.test(version)),
      versions.join(),
    );
    const numbers = versions.map(Number);
    assert.ok(
      numbers.every((number, i) => i === 0 || number > (numbers[i - 1] ?? 0)),
      versions.join(),
    );
  },
  'a watch from the version of a list tells what came after it, in order': async (api) => {
    await api.created('configmaps', configMap('a', {}, OURS));
    const { body } = await api.get('configmaps?labelSelector=ours');
    await api.patch('configmaps/a', 'merge-patch', { data: { key: '1' } });
    const watch = await api.watch(`configmaps?labelSelector=ours&resourceVersion=${versionOf(body)}`);
    await api.created('configmaps', configMap('b', {}, OURS));
    const deleted = await api.delete('configmaps/a');
    assert.equal(deleted.status, 200);
    assert.deepEqual(await take(watch, 3), ['MODIFIED a', 'ADDED b', 'DELETED a']);
  },
  'a watch without a version begins with what is there': async (api) => {
    await api.created('configmaps', configMap('a', {}, OURS));
    const watch = await api.watch('configmaps?labelSelector=ours');
    assert.deepEqual(await take(watch, 1), ['ADDED a']);
  },
  'the last word on a deleted object carries the version of its deletion': async (api) => {
    const created = await api.created('configmaps', configMap('a'));
    const watch = await api.watch(`configmaps?resourceVersion=${versionOf(created)}`);
    await api.delete('configmaps/a');
    const event = await watch.next();
    assert.equal(event?.['type'], 'DELETED');
    assert.notEqual(versionOf(event['object']), versionOf(created));
  },
  'a watch with a selector tells of objects that enter and leave the selection': async (api) => {
    const created = await api.created('configmaps', configMap('a'));
    const watch = await api.watch(`configmaps?labelSelector=ours&resourceVersion=${versionOf(created)}`);
    await api.patch('configmaps/a', 'merge-patch', { metadata: { labels: { ours: '' } } });
    await api.patch('configmaps/a', 'merge-patch', { data: { key: '2' } });
    await api.patch('configmaps/a', 'merge-patch', { metadata: { labels: { ours: null } } });
    await api.patch('configmaps/a', 'merge-patch', { data: { key: '3' } });
    await api.patch('configmaps/a', 'merge-patch', { metadata: { labels: { ours: '' } } });
    assert.deepEqual(await take(watch, 4), ['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED a']);
  },
  'namespaces enter and leave a selection by their labels too': async (api) => {
    const own = `/api/v1/namespaces/${api.namespace}`;
    const all = `/api/v1/namespaces?labelSelector=${encodeURIComponent(`ours=${api.namespace},!old`)}`;
    const { body } = await api.get(`${all}&limit=500`);
    assert.deepEqual(namesOf(body), []);
    const watch = await api.watch(`${all}&resourceVersion=${versionOf(body)}`);
    const label = async (labels: JsonObject): Promise<void> => {
      await api.patch(own, 'merge-patch', { metadata: { labels } });
    };
    await label({ ours: api.namespace });
    await label({ other: 'x' });
    await label({ old: '' });
    await label({ old: null });
    const told = ['ADDED', 'MODIFIED', 'DELETED', 'ADDED'].map((type) => `${type} ${api.namespace}`);
    assert.deepEqual(await take(watch, 4), told);
    assert.deepEqual(namesOf((await api.get(all)).body), [api.namespace]);
  },
  'a watch ends after its timeoutSeconds': async (api) => {
    const created = await api.created('configmaps', configMap('a'));
    const watch = await api.watch(`configmaps?resourceVersion=${versionOf(created)}&timeoutSeconds=1`);
    assert.equal(await watch.next(), undefined);
  },
};

const OURS = { labels: { ours: '' } };

/** The collection of one namespace: `/api/v1/configmaps` → `/api/v1/namespaces/a/configmaps`. */
function within(collection: string, namespace: string): string {
  return collection.replace('/v1/', `/v1/namespaces/${namespace}/`);
}

function isOurs(name: string): boolean {
  return name !== 'kube-root-ca.crt';
}

function namesOf(list: JsonObject): readonly string[] {
  return objectsOf(list['items']).map((item) => String(metadataOf(item, 'name')));
}

async function take(
  watch: Awaited<ReturnType<RuleClient['watch']>>,
  count: number,
): Promise<readonly string[]> {
  const told: string[] = [];
  while (told.length < count) {
    const event: { readonly [key: string]: Json | undefined } | undefined = await watch.next();
    if (event === undefined) break;
    if (event['type'] !== 'BOOKMARK')
      told.push(`${String(event['type'])} ${String(metadataOf(event['object'], 'name'))}`);
  }
  return told;
}
