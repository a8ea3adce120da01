import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConfigKind } from '../../../lib/model/object-ref.ts';
import {
  type PersistedState,
  parseState,
  STATE_VERSION_ANNOTATION,
} from '../../../lib/model/persisted-state.ts';
import { NO_STATE, together } from '../../../lib/model/shards.ts';
import {
  entryKeyOf,
  formatEntry,
  localEntryKeyOf,
  type Overrides,
  overridesKeyOf,
} from '../../../lib/model/state-entry.ts';
import { fc } from '../../laws.ts';
import { knows } from '../../settings.ts';

type Data = Readonly<Record<string, string>>;
const CFG = 'v1.ConfigMap_cfg';
const TLS = 'v1.Secret_tls';
const WEB = 'ran.Deployment_web';
const d = (letter: string): string => letter.repeat(40);

/** One shard; contents are single letters. */
function shard(data: Data): PersistedState {
  const long = Object.entries(data).map(([key, value]) => [
    key,
    value.replace(/(?<=^|")[a-f](?=\.|"|$)/g, d),
  ]);
  const parsed = parseState(Object.fromEntries(long), { [STATE_VERSION_ANNOTATION]: '1' }, 'home', knows);
  assert.ok(parsed.type === 'state' && parsed.unreadable.length === 0);
  return parsed.state;
}

function short(text: string): string {
  return text.replace(/([a-f])\1{39}/g, '$1');
}

function shortEntries({ entries }: PersistedState): Record<string, string> {
  return Object.fromEntries([...entries].map(([key, entry]) => [key, short(formatEntry(entry))]));
}

function shortOverrides({ overrides }: PersistedState): Record<string, Overrides> {
  return JSON.parse(short(JSON.stringify(Object.fromEntries(overrides))));
}

interface Row {
  readonly shards: readonly Data[];
  readonly entries: Data;
  readonly overrides?: Record<string, Data>;
  readonly homes: Record<string, number>;
  readonly strays?: Record<number, readonly string[]>;
}

const ROWS: Record<string, Row> = {
  'entries of all shards count': {
    shards: [{ [CFG]: 'a.1' }, { [TLS]: 'b.1' }],
    entries: { [CFG]: 'a.1', [TLS]: 'b.1' },
    homes: { [CFG]: 0, [TLS]: 1 },
  },
  'of two entries of one object that of the lower shard counts': {
    shards: [{}, { [CFG]: 'a.1' }, { [CFG]: 'b.1' }],
    entries: { [CFG]: 'a.1' },
    homes: { [CFG]: 1 },
    strays: { 2: [CFG] },
  },
  'a workload may have overrides in several shards, each beside the entry of its object': {
    shards: [
      { [CFG]: 'a.1', [WEB]: `{"${CFG}":"?"}` },
      { [TLS]: 'a.1', [WEB]: `{"${TLS}":"?7"}` },
    ],
    entries: { [CFG]: 'a.1', [TLS]: 'a.1' },
    overrides: { [WEB]: { [CFG]: '?', [TLS]: '?7' } },
    homes: { [CFG]: 0, [TLS]: 1 },
  },
  'an override in another shard than its entry does not count': {
    shards: [{ [CFG]: 'a.1' }, { [WEB]: `{"${CFG}":"?"}` }],
    entries: { [CFG]: 'a.1' },
    homes: { [CFG]: 0 },
  },
  'an override beside an entry that does not count does not either': {
    shards: [{ [CFG]: 'a.1' }, { [CFG]: 'b.1', [WEB]: `{"${CFG}":"?"}` }],
    entries: { [CFG]: 'a.1' },
    homes: { [CFG]: 0 },
    strays: { 1: [CFG] },
  },
  'an override without an entry does not count': {
    shards: [{ [WEB]: `{"${CFG}":"?"}` }],
    entries: {},
    homes: {},
  },
  'other namespaces have overrides beside their own entries': {
    shards: [{ [CFG]: 'a.1' }, { [`far_${CFG}`]: 'b.1', [`far_${WEB}`]: `{"${CFG}":"?"}` }],
    entries: { [CFG]: 'a.1', [`far_${CFG}`]: 'b.1' },
    overrides: { [`far_${WEB}`]: { [CFG]: '?' } },
    homes: { [CFG]: 0, [`far_${CFG}`]: 1 },
  },
};

for (const [sentence, row] of Object.entries(ROWS)) {
  test(`together: ${sentence}`, () => {
    const state = together(row.shards.map(shard), 'home');
    assert.deepEqual(shortEntries(state), row.entries);
    assert.deepEqual(shortOverrides(state), row.overrides ?? {});
    assert.deepEqual(Object.fromEntries(state.homes), row.homes);
    assert.deepEqual(Object.fromEntries(state.strays), row.strays ?? {});
  });
}

test('nothing known is one empty shard', () => {
  assert.deepEqual([NO_STATE.shards.length, NO_STATE.entries.size, NO_STATE.overrides.size], [1, 0, 0]);
});

test('law: however the objects are spread over shards, together they say the same', () => {
  const name = fc.constantFrom('a', 'b', 'x'.repeat(250));
  const namespace = fc.constantFrom('home', 'far');
  const fact = fc.record({
    ref: fc.record({ kind: fc.constantFrom<ConfigKind>('ConfigMap', 'Secret'), namespace, name }),
    number: fc.nat({ max: 9 }),
    behind: fc.uniqueArray(fc.constantFrom('web', 'api', 'y'.repeat(250))),
    shard: fc.nat({ max: 3 }),
  });
  const facts = fc.uniqueArray(fact, { selector: ({ ref }) => JSON.stringify(ref) });
  fc.assert(
    fc.property(facts, (all) => {
      const dataOf = (own: typeof all): Data => {
        const data: Record<string, string> = {};
        for (const { ref, number, behind } of own) {
          data[entryKeyOf(ref, 'home')] = `${d('a')}.${number}`;
          for (const workload of behind) {
            const key = overridesKeyOf(
              { kind: 'Deployment', namespace: ref.namespace, name: workload },
              'home',
            );
            const before = JSON.parse(data[key] ?? '{}') as Overrides;
            data[key] = JSON.stringify({ ...before, [localEntryKeyOf(ref)]: '?' });
          }
        }
        return data;
      };
      const spread = together(
        [0, 1, 2, 3].map((at) => shard(dataOf(all.filter(({ shard: s }) => s === at)))),
        'home',
      );
      const one = together([shard(dataOf(all))], 'home');
      assert.deepEqual(spread.entries, one.entries);
      assert.deepEqual(spread.overrides, one.overrides);
      assert.equal(spread.strays.size, 0);
    }),
  );
});
