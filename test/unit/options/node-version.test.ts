import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wrongOfNode } from '../../../lib/options/node-version.ts';

const WRONGS: Readonly<Record<string, string | undefined>> = {
  '20.20.2': 'needs Node 24 or later, this is 20.20.2',
  '9.9.9': 'needs Node 24 or later, this is 9.9.9',
  '24.0.0': undefined,
  '100.0.0': undefined,
};

for (const [version, wrong] of Object.entries(WRONGS))
  test(`Node ${version} is ${wrong === undefined ? 'new enough' : 'too old'}`, () =>
    assert.equal(wrongOfNode(version), wrong));
