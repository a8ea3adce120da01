/** A stream whose objects are completed by further requests: until these are answered, nothing is told. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '../../../lib/kubernetes/api-error.ts';
import type { RawObject } from '../../../lib/model/raw-objects.ts';
import { A, after, start } from './reflector-stage.ts';
import { bookmark, configMap, line, listOf, openWatchOf, settle } from './scripted-send.ts';

const NAMED = (raw: RawObject): RawObject => ({
  ...raw,
  metadata: { ...raw.metadata, name: `full ${raw.metadata.name}` },
});

/** The first `failures` objects cannot be completed. */
function failing(failures: number) {
  let left = failures;
  return async (raw: RawObject): Promise<RawObject> => {
    await Promise.resolve();
    left -= 1;
    if (left >= 0) throw new ApiError('unavailable', 'not now');
    return NAMED(raw);
  };
}

const CHANGED = line('MODIFIED', configMap('a', '8'));

test('a list tells completed objects, and begins its page again after a failure', async (t) => {
  const { told, asked, stop } = start(
    t,
    [listOf('7', [A]), listOf('7', [A]), openWatchOf()],
    undefined,
    failing(1),
  );
  await after(t, 500);
  assert.deepEqual(asked(), ['list', 'list', 'watch 7']);
  assert.deepEqual(
    told.filter((word) => /^(list|end|failure)/.test(word)),
    ['failure unavailable, again in 500', 'list full a', 'end 7'],
  );
  await stop();
});

test('an event that cannot be completed is asked for again, ever later, and what is gone needs nothing', async (t) => {
  const events = [CHANGED, line('DELETED', configMap('a', '9')), bookmark('10')];
  const watches = [openWatchOf(...events), openWatchOf(...events), openWatchOf(...events)];
  const { told, asked, stop } = start(t, [listOf('7', []), ...watches], () => 0.9999, failing(2));
  await after(t, 1000);
  await after(t, 1999);
  assert.deepEqual(asked(), ['list', 'watch 7', 'watch 7']);
  await after(t, 1);
  await settle();
  assert.deepEqual(asked(), ['list', 'watch 7', 'watch 7', 'watch 7']);
  assert.deepEqual(
    told.filter((word) => /^[A-Z]/.test(word)),
    ['MODIFIED 8', 'DELETED 9', 'BOOKMARK 10'],
  );
  await stop();
});
