import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mark } from '../../../lib/model/edge.ts';
import { type ConfigRef, keyOf, type WorkloadRef } from '../../../lib/model/object-ref.ts';
import {
  configRefOf,
  entryKeyOf,
  formatEntry,
  type Marks,
  markKeyOf,
  markOfFollower,
  namespaceIn,
  parseEntry,
  type StateEntry,
} from '../../../lib/model/state-entry.ts';
import { fc } from '../../laws.ts';
import { knows } from '../../settings.ts';
import { refs, scopedRefs, workloadRefs } from './refs.ts';

const A = 'a'.repeat(40);
const CFG: ConfigRef = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' };
const WEB: WorkloadRef = { kind: 'Deployment', namespace: 'home', name: 'web' };

const KEYS: Record<string, readonly [string, string]> = {
  'an object of the home namespace has no prefix': [entryKeyOf(CFG, 'home'), 'v1.ConfigMap_cfg'],
  'an object of another namespace has one': [entryKeyOf(CFG, 'kube'), 'home_v1.ConfigMap_cfg'],
  'a Secret is told from a ConfigMap': [entryKeyOf({ ...CFG, kind: 'Secret' }, 'home'), 'v1.Secret_cfg'],
  'some keys of an object follow its name': [
    entryKeyOf({ ...CFG, keys: ['LOG_LEVEL', 'app.conf'] }, 'home'),
    'v1.ConfigMap_cfg_LOG__LEVEL_.app.conf',
  ],
};

for (const [sentence, [actual, expected]] of Object.entries(KEYS)) {
  test(sentence, () => assert.equal(actual, expected));
}

function decodeEntryKey(key: string): ConfigRef {
  const [, namespace = 'home', kind, name = ''] = /^(?:([^_]*)_)?v1\.([^_]*)_(.*)$/.exec(key) ?? [];
  assert.ok(kind === 'ConfigMap' || kind === 'Secret');
  return { kind, namespace, name };
}

test('law: up to 253 characters the reference can be read back from the key', () => {
  fc.assert(fc.property(refs, (ref) => assert.deepEqual(decodeEntryKey(entryKeyOf(ref, 'home')), ref)));
});

test('law: keys of objects have an entry of their own, valid, told apart, and read back', () => {
  fc.assert(
    fc.property(scopedRefs, scopedRefs, (one, other) => {
      const [a, b] = [entryKeyOf(one, 'home'), entryKeyOf(other, 'home')];
      assert.match(a, /^[-._a-zA-Z0-9]{1,253}$/);
      assert.equal(a === b, JSON.stringify(one) === JSON.stringify(other));
      assert.deepEqual(configRefOf(a, 'home'), { ...one });
      assert.equal(namespaceIn(a, 'home'), one.namespace);
    }),
  );
});

test('law: many keys end in a digest, which is never parsed as a key', () => {
  const many = fc
    .integer({ min: 230, max: 600 })
    .map((length) => ({ ...CFG, keys: ['a'.repeat(length), 'b'] }));
  fc.assert(
    fc.property(many, many, (one, other) => {
      const [a, b] = [entryKeyOf(one, 'home'), entryKeyOf(other, 'home')];
      assert.ok(a.length <= 253);
      assert.equal(a === b, one.keys[0] === other.keys[0]);
      const readBack = configRefOf(a, 'home');
      if (readBack !== undefined) assert.deepEqual(readBack, one);
    }),
  );
});

test('law: a key is never longer than 253 characters, valid, and long names are still told apart', () => {
  const ends = fc.tuple(
    fc.integer({ min: 200, max: 253 }),
    fc.constantFrom('x', 'y'),
    fc.constantFrom('home', 'n'.repeat(63)),
  );
  fc.assert(
    fc.property(ends, ends, (one, other) => {
      const keyFor = ([length, end, namespace]: typeof one): string =>
        entryKeyOf({ kind: 'ConfigMap', namespace, name: `${'a'.repeat(length - 1)}${end}` }, 'home');
      const [a, b] = [keyFor(one), keyFor(other)];
      for (const key of [a, b]) assert.match(key, /^[-._a-zA-Z0-9]{1,253}$/);
      assert.equal(a === b, one.join() === other.join());
      assert.equal(namespaceIn(a, 'home'), one[2]);
    }),
  );
});

const FOREIGN_KEYS = [
  '',
  'cfg',
  'v1.ConfigMap',
  'v1.ConfigMap_',
  'v2.ConfigMap_a',
  'ran.Deployment_x',
  'A_v1.Secret_x',
];

for (const key of FOREIGN_KEYS) {
  test(`'${key}' is not a key of ours`, () => assert.equal(namespaceIn(key, 'home'), undefined));
}

const marks = (given: Record<string, Mark>): Marks => new Map(Object.entries(given));

const ENTRIES: Record<string, readonly [string, StateEntry | undefined]> = {
  'a digest and a number that means nothing': [`${A}.12`, { digest: A }],
  'a bare digest is of the formula of Collaborne': [A, { digest: `collaborne:${A}` }],
  'a named algorithm is part of the digest': [`collaborne:${A}.3`, { digest: `collaborne:${A}` }],
  'a digest with the name of its algorithm alone': [`collaborne:${A}`, undefined],
  'absence alone': ['-', undefined],
  'a bare digest with a halt': [`${A}!0a=home/Deployment/web`, undefined],
  'an algorithm that is not known': [`sha256:${A}.1`, { digest: undefined }],
  'what halted the content, the oldest first': [
    `${A}.1!0a=home/Deployment/web!ff=shop/DaemonSet/agent`,
    {
      digest: A,
      halts: [
        { token: '0a', workload: 'home/Deployment/web' },
        { token: 'ff', workload: 'shop/DaemonSet/agent' },
      ],
    },
  ],
  'a halt of nothing': [`${A}.1!`, undefined],
  'a halt without a workload': [`${A}.1!0a=`, undefined],
  'a halt without a token': [`${A}.1!=home/Deployment/web`, undefined],
  'a halt whose token is no hexadecimal number': [`${A}.1!0A=home/Deployment/web`, undefined],
  'a halt with two workloads': [`${A}.1!0a=a/b/c=d/e/f`, undefined],
  'a mark, and one with the id of a stamp': [
    `${A}.1?Deployment/api?Deployment/web=7`,
    { digest: A, marks: marks({ 'Deployment/api': '?', 'Deployment/web': '?7' }) },
  ],
  'marks behind halts': [
    `${A}.1!0a=home/Deployment/web?*`,
    { digest: A, halts: [{ token: '0a', workload: 'home/Deployment/web' }], marks: marks({ '*': '?' }) },
  ],
  'any other text of a mark is a doubt': [
    `${A}.1?a/a=?b/b=x?c/c=7.1?d/d=${A}?e`,
    { digest: A, marks: marks({ 'a/a': '?', 'b/b': '?', 'c/c': '?', 'd/d': '?', e: '?' }) },
  ],
  'a mark behind a bare digest': [`${A}?Deployment/web`, undefined],
  'an empty text': ['', undefined],
  'a short digest': ['abc.1', undefined],
  'capital digits': [`${'A'.repeat(40)}.1`, undefined],
  'an empty number': [`${A}.`, undefined],
  'a negative number': [`${A}.-1`, undefined],
  'a fraction': [`${A}.1.5`, undefined],
  'a number of seventeen digits': [`${A}.00000000000000001`, undefined],
  'a line break behind it': [`${A}.1\n`, undefined],
  'a space before it': [` ${A}.1`, undefined],
  unknown: ['?.1', undefined],
};

for (const [sentence, [text, entry]] of Object.entries(ENTRIES)) {
  test(`an entry: ${sentence}`, () => assert.deepEqual(parseEntry(text, knows), entry));
}

const halts = fc.record(
  {
    token: fc.stringMatching(/^[0-9a-f]{8}$/),
    workload: workloadRefs.map((ref) => keyOf(ref)),
  },
  { noNullPrototype: true },
);
const digests = fc.stringMatching(/^(collaborne:)?[0-9a-f]{40}$/);

const followers = fc.array(fc.tuple(workloadRefs.map(markKeyOf), fc.constantFrom<Mark>('?', '?7')), {
  minLength: 1,
  maxLength: 3,
});

test('law: an entry is read as it was written, and marks have one text for any order', () => {
  const all = fc.record({
    digest: digests,
    halts: fc.array(halts, { maxLength: 3 }),
    marks: fc.option(followers),
  });
  fc.assert(
    fc.property(all, ({ digest, halts: own, marks: named }) => {
      const entry: StateEntry = {
        digest,
        ...(own.length > 0 && { halts: own }),
        ...(named !== null && { marks: new Map(named) }),
      };
      const text = formatEntry(entry);
      assert.deepEqual(parseEntry(text, knows), entry);
      const reversed = new Map([...(entry.marks ?? [])].reverse());
      assert.equal(formatEntry({ ...entry, marks: reversed }), text);
    }),
  );
});

test('one mark may stand for all followers', () => {
  const entry = { digest: A, marks: marks({ 'Deployment/api': '?7', '*': '?' }) };
  assert.deepEqual([markOfFollower(entry, WEB), markOfFollower(entry, { ...WEB, name: 'api' })], ['?', '?7']);
  assert.equal(markOfFollower({ digest: A }, WEB), undefined);
});
