/** A stamp is one of a content under whichever algorithm it names, if its key is known. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keyedAlgorithm, SHA1 } from '../../../lib/model/digest.ts';
import { Contents } from '../../faults/contents.ts';

const KEY = Buffer.alloc(32, 1);
const REF = { kind: 'ConfigMap', namespace: 'home', name: 'web' } as const;
const KEYED = keyedAlgorithm('k00000001', KEY);

test('a stamp tells which content it is of, under the algorithm that it names', () => {
  const contents = new Contents('home');
  contents.add('web', 'A');
  const stampOf = (key: string, { digestOf } = KEYED): string =>
    `${digestOf(REF, { metadata: { name: 'web' }, data: { key } })}.17`;
  assert.equal(contents.indexOf('web', stampOf('A')), -1, 'the key is not known');
  contents.takeKeys({ k00000001: KEY.toString('base64'), current: btoa('k00000001') });
  assert.equal(contents.indexOf('web', stampOf('A')), 0);
  assert.equal(contents.indexOf('web', stampOf('B')), -1, 'before it is added');
  contents.add('web', 'B');
  assert.equal(contents.indexOf('web', stampOf('B')), 1);
  assert.equal(contents.indexOf('web', stampOf('B', SHA1)), 1);
  assert.equal(contents.indexOf('web', ''), -1);
  assert.equal(contents.indexOf('other', stampOf('A')), -1);
});
