import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigKind } from '../../../lib/model/object-ref.ts';
import { type Entries, parseState, STATE_VERSION_ANNOTATION } from '../../../lib/model/persisted-state.ts';
import { NO_STATE, together } from '../../../lib/model/shards.ts';
import { entryKeyOf, formatEntry } from '../../../lib/model/state-entry.ts';
import { fc } from '../../laws.ts';
import { knows } from '../../settings.ts';

type Data = Readonly<Record<string, string>>;
const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.Secret_tls';
const d = (letter: string): string => letter.repeat(40);

/** One shard; contents are single letters. */
function shard(data: Data): Entries {
  const long = Object.entries(data).map(([key, value]) => [
    key,
    value.replace(/(?<=^|")[a-f](?=\.|"|$)/g, d),
  ]);
  const parsed = parseState(Object.fromEntries(long), { [STATE_VERSION_ANNOTATION]: '1' }, 'home', knows);
  assert.ok(parsed.type === 'state' && parsed.unreadable.length === 0);
  return parsed.entries;
}

function short(text: string): string {
  return text.replace(/([a-f])\1{39}/g, '$1');
}

function shortEntries(entries: Entries): Record<string, string> {
  return Object.fromEntries([...entries].map(([key, entry]) => [key, short(formatEntry(entry))]));
}

interface Row {
  readonly shards: readonly Data[];
  readonly entries: Data;
  readonly marked?: readonly string[];
}

const ROWS: Record<string, Row> = {
  'entries of all shards count': {
    shards: [{ [CFG]: 'a.1' }, { [TLS]: 'b.1' }],
    entries: { [CFG]: 'a.1', [TLS]: 'b.1' },
  },
  'of two entries of one object that of the lower shard counts': {
    shards: [{}, { [CFG]: 'a.1' }, { [CFG]: 'b.1' }],
    entries: { [CFG]: 'a.1' },
  },
  'the marks of an entry count with it': {
    shards: [{ [CFG]: 'a.1?Deployment/web' }, { [CFG]: 'b.1?Deployment/api', [TLS]: 'b.1?Deployment/web=7' }],
    entries: { [CFG]: 'a.1?Deployment/web', [TLS]: 'b.1?Deployment/web=7' },
    marked: [CFG, TLS],
  },
};

for (const [sentence, row] of Object.entries(ROWS)) {
  test(`together: ${sentence}`, () => {
    const state = together(row.shards.map(shard));
    assert.deepEqual(shortEntries(state.entries), row.entries);
    assert.deepEqual([...state.marked.keys()], row.marked ?? []);
  });
}

test('nothing known is one empty shard', () => {
  assert.deepEqual([NO_STATE.shards.length, NO_STATE.entries.size], [1, 0]);
});

test('law: however the objects are spread over shards, together they say the same', () => {
  const name = fc.constantFrom('a', 'b', 'x'.repeat(250));
  const namespace = fc.constantFrom('home', 'far');
  const fact = fc.record({
    ref: fc.record({ kind: fc.constantFrom<ConfigKind>('ConfigMap', 'Secret'), namespace, name }),
    behind: fc.uniqueArray(fc.constantFrom('web', 'api', 'y'.repeat(250))),
    shard: fc.nat({ max: 3 }),
  });
  const facts = fc.uniqueArray(fact, { selector: ({ ref }) => JSON.stringify(ref) });
  fc.assert(
    fc.property(facts, (all) => {
      const dataOf = (own: typeof all): Data =>
        Object.fromEntries(
          own.map(({ ref, behind }) => [
            entryKeyOf(ref, 'home'),
            `${d('a')}.1${behind.map((workload) => `?Deployment/${workload}`).join('')}`,
          ]),
        );
      const spread = together(
        [0, 1, 2, 3].map((at) => shard(dataOf(all.filter(({ shard: s }) => s === at)))),
      );
      const one = together([shard(dataOf(all))]);
      assert.deepEqual([spread.entries, spread.marked], [one.entries, one.marked]);
    }),
  );
});
