/** Which items of a list of expressions no name can match, and which may match one. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../../lib/model/finding.ts';
import { deployment, vocabulary } from './defaults.ts';

const LIST = 'configmap.reloader.stakater.com/reload';
/** Items of a list of expressions that no name matches, and the correction. */
const MATCHLESS: Record<string, string> = {
  my_secret:
    'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'My-Secret':
    'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'shared/app': 'only objects of the own namespace are; copy',
  'ns/app': 'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'configmap/app':
    'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  './app': 'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  '"app"': 'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'a b': 'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'a;b': 'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'web，api':
    'cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'app-*, web':
    '"app-*" of LIST cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'app-[a-z]{1,5}':
    '"app-[a-z]{1", "5}" of LIST cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  'web, My_App, api-.*':
    '"My_App" of LIST cannot be the name of an object; list names, or expressions such as web-.*, separated by commas',
  '[app': 'is no expression that RE2 understands',
};

for (const [list, text] of Object.entries(MATCHLESS))
  test(`no name matches an item of the list ${list}`, () => {
    const [finding, ...others] = findingsOfList(list);
    assert.deepEqual([finding?.reason, others], ['malformed', []]);
    assert.ok(finding?.message.includes(text.replaceAll('LIST', LIST)), finding?.message);
  });

for (const list of [
  'web',
  'a.b',
  'app-.*',
  'app-[a-z]+',
  'app-[A-Z_]?x',
  '(?i)My-App',
  'app_?',
  'a{2}',
  'x|A',
  '^app$',
  'app-\\d*',
  '.*',
  '[a-z]*-app',
  'app-[0-9a-f]{8}',
  'a/*b',
])
  test(`a name may match the list ${list}`, () => assert.deepEqual(findingsOfList(list), []));

function findingsOfList(list: string): readonly Finding[] {
  const vocabularies = vocabulary();
  return vocabularies.mistakesOf(deployment(vocabularies, { [LIST]: list }));
}
