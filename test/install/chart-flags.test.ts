/** Every flag of the program has one value of the chart that sets it. */

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { TYPES } from '../../lib/options/value-types.ts';
import { CHART_FLAGS, type ChartFlag, ELSEWHERE_BY_KEY, schemaOf } from '../docs/chart-flags.ts';
import { type Json, type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { objectionTo, render, skipWithoutHelm } from './chart.ts';

const skip = skipWithoutHelm();

/** A value of the flag's type that is not its default, and the text that the program is to get. */
function sampleOf({ flag }: ChartFlag): readonly [value: Json, text: string] {
  const { enum: words = [], type, minimum } = schemaOf({ ...flag, isList: false });
  const text = WORDS.find((word) => TYPES[flag.type].parse(word) !== undefined) ?? 'text';
  if (flag.type === 'switch') return flag.default === 'true' ? [false, 'false'] : [true, ''];
  if (flag.isList) return [[text], text];
  if (Array.isArray(words) && words.length > 0) return [String(words[1]), String(words[1])];
  return minimum !== undefined && !JSON.stringify(type).includes('string') ? [777, '777'] : [text, text];
}

const WORDS = ['daemonsets', 'sap', '20s', 'https://a.example.com', '::1', 'a.example.com/key', 'name'];

describe('a member of config', { skip }, () => {
  const members = CHART_FLAGS.filter(({ isInConfig }) => isInConfig);
  let container: JsonObject = {};
  let secret: JsonObject = {};
  before(() => {
    const samples = members.map((member): [string, Json] => [member.key, sampleOf(member)[0]]);
    const objects = render({ config: Object.fromEntries(samples) });
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    container = objectsOf(pick(deployment, 'spec', 'template', 'spec', 'containers'))[0] ?? {};
    secret = objectOf(objects.find(({ kind }) => kind === 'Secret')?.['data']);
  });

  for (const member of members) {
    const { flag, key, isSecret } = member;
    const [, text] = sampleOf(member);
    if (isSecret)
      test(`${key} sets --${flag.name} by a variable of a Secret`, () => {
        const name = `RELOADER_OPT_${flag.name.toUpperCase().replaceAll('-', '_')}`;
        assert.equal(Buffer.from(String(secret[name]), 'base64').toString(), text);
        assert.ok(objectsOf(container['env']).some((variable) => variable['name'] === name));
      });
    else
      test(`${key} sets --${flag.name}`, () => {
        const argument = text === '' ? `--${flag.name}` : `--${flag.name}=${text}`;
        assert.ok((container['args'] as string[]).includes(argument), argument);
      });
  }
});

describe('a flag that another value sets', { skip }, () => {
  for (const [key, value] of Object.entries(ELSEWHERE_BY_KEY))
    test(`config.${key} is refused, which says so`, () => {
      const said = objectionTo({ config: { [key]: 'text' } }) ?? '';
      assert.ok(said.includes(`config.${key} is set by another value: use ${value}\n`), said);
    });
});

describe('the schema of config', { skip }, () => {
  const REFUSED: readonly (readonly [config: JsonObject, path: string])[] = [
    [{ coalescePeriodd: '5s' }, "additional properties 'coalescePeriodd' not allowed"],
    [{ coalescePeriod: 'soon' }, "at '/config/coalescePeriod'"],
    [{ coalescePeriod: -1 }, "at '/config/coalescePeriod'"],
    [{ maxConcurrentPatches: 0 }, "at '/config/maxConcurrentPatches'"],
    [{ port: 70_000 }, "at '/config/port'"],
    [{ dialects: ['stakatr'] }, "at '/config/dialects/0'"],
    [{ dialects: 'sap' }, "at '/config/dialects'"],
    [{ dryRun: 'yes' }, "at '/config/dryRun'"],
    [{ jobReload: 'always' }, "at '/config/jobReload'"],
  ];
  for (const [config, path] of REFUSED)
    test(`refuses ${JSON.stringify(config)}`, () => {
      const said = objectionTo({ config }) ?? '';
      assert.ok(said.includes(path), said);
    });

  test('takes each duration that the program takes', () => {
    const pattern = new RegExp(String(schemaOf({ type: 'duration', isList: false })['pattern']));
    for (const text of ['0', '5000', '500ms', '10s', '1.5h', '1h30m', 'soon', '5 s', '10', '1d', ''])
      assert.equal(pattern.test(text), TYPES.duration.parse(text) !== undefined, text);
  });
});
