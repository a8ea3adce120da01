/** Rules of what a server does with versions that it no longer knows. */

import assert from 'node:assert/strict';
import { configMap, metadataOf, type ReadAnswer, type RuleClient, versionOf } from './api-rules.ts';
import { type JsonObject, objectsOf, pick } from './json.ts';

/** By name: rules that have to make the server forget its history; nothing else may use the server meanwhile. */
export const HISTORY_RULES: Readonly<
  Record<string, (api: RuleClient, forget: () => Promise<void>) => Promise<void>>
> = {
  'a watch of a version that is no longer known is 200 and one ERROR event 410, then its end': async (
    api,
    forget,
  ) => {
    const old = versionOf(await api.created('configmaps', configMap('a')));
    await api.created('configmaps', configMap('b'));
    await forget();
    const watch = await api.watch(`configmaps?resourceVersion=${old}`);
    assert.equal(watch.status, 200);
    const event = await watch.next();
    const [code, reason] = [pick(event?.['object'], 'code'), pick(event?.['object'], 'reason')];
    assert.deepEqual([event?.['type'], code, reason], ['ERROR', 410, 'Expired']);
    assert.equal(await watch.next(), undefined);
  },
  'a list that is continued when its version is no longer known is 410, and offers a token for the rest as it is now':
    async (api, forget) => {
      const ours = { labels: { ours: '' } };
      for (const name of ['a', 'b', 'c']) await api.created('configmaps', configMap(name, {}, ours));
      const first = (await api.get('configmaps?limit=2&labelSelector=ours')).body;
      await api.delete('configmaps/a');
      await api.created('configmaps', configMap('d', {}, ours));
      await forget();
      const more = (list: JsonObject): Promise<ReadAnswer> =>
        api.get(
          `configmaps?limit=2&labelSelector=ours&continue=${encodeURIComponent(String(metadataOf(list, 'continue')))}`,
        );
      const { status, body } = await more(first);
      assert.deepEqual([status, body['reason']], [410, 'Expired']);
      const rest = await more(body);
      assert.equal(rest.status, 200);
      const names = objectsOf(rest.body['items']).map((item) => metadataOf(item, 'name'));
      assert.deepEqual(names, ['c', 'd']);
      assert.ok(
        Number(versionOf(rest.body)) > Number(versionOf(first)),
        'of another moment than the first page',
      );
    },
};
