/** The sandbox over HTTP: tokens, and faults as broken connections. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createSandbox } from '../../sandbox/sandbox.ts';
import { serve } from '../../sandbox/serve.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('over HTTP', () => {
  test('a token that is not among the accepted ones is 401; they may be rotated; no token is the administrator', async () => {
    const tokens = new Set(['old']);
    await using served = await serve(createSandbox().handle, { tokens });
    const status = async (token?: string): Promise<number> => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
      const response = await fetch(served.url + CONFIG_MAPS, { headers });
      await response.text();
      return response.status;
    };
    assert.deepEqual([await status('old'), await status('new'), await status()], [200, 401, 200]);
    tokens.clear();
    tokens.add('new');
    assert.deepEqual([await status('old'), await status('new')], [401, 200]);
  });

  test('a request that is refused or lost is a connection that breaks', async () => {
    const sandbox = createSandbox();
    await using served = await serve(sandbox.handle);
    for (const kind of ['refused', 'lost'] as const) {
      sandbox.addFault({ match: { verb: 'list' }, effect: { kind } });
      await assert.rejects(fetch(served.url + CONFIG_MAPS));
    }
    assert.equal((await fetch(served.url + CONFIG_MAPS)).status, 200);
  });

  test('closing ends the watches that are open', async () => {
    const sandbox = createSandbox();
    const served = await serve(sandbox.handle);
    const response = await fetch(`${served.url}${CONFIG_MAPS}?watch=1`);
    const read = assert.rejects(response.text());
    assert.equal(sandbox.openWatches().length, 1);
    await served.close();
    await read;
    sandbox.close();
  });
});
