import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ConfigRef, keyOf, type WorkloadRef } from '../../../lib/model/object-ref.ts';
import {
  configRefOf,
  entryKeyBeside,
  entryKeyOf,
  formatEntry,
  formatOverrides,
  localEntryKeyOf,
  overridesKeyOf,
  parseEntry,
  parseOverrides,
  parseStateKey,
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
  'overrides name an object without its namespace': [localEntryKeyOf(CFG), 'v1.ConfigMap_cfg'],
  'some keys of an object follow its name': [
    entryKeyOf({ ...CFG, keys: ['LOG_LEVEL', 'app.conf'] }, 'home'),
    'v1.ConfigMap_cfg_LOG__LEVEL_.app.conf',
  ],
  'the overrides of a workload': [overridesKeyOf(WEB, 'home'), 'ran.Deployment_web'],
  'the overrides of a workload in another namespace': [
    overridesKeyOf(WEB, 'kube'),
    'home_ran.Deployment_web',
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
      assert.equal(parseStateKey(a, 'home')?.type, 'entry');
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

test('law: no entry and no overrides share a key, and a key says its type and kind', () => {
  fc.assert(
    fc.property(refs, workloadRefs, (ref, workload) => {
      const [entry, overrides] = [entryKeyOf(ref, 'home'), overridesKeyOf(workload, 'home')];
      assert.notEqual(entry, overrides);
      const { kind, namespace } = ref;
      assert.deepEqual(parseStateKey(entry, 'home'), { type: 'entry', kind, namespace });
      const about = { type: 'overrides', kind: workload.kind, namespace: workload.namespace };
      assert.deepEqual(parseStateKey(overrides, 'home'), about);
    }),
  );
});

test('law: the name in overrides leads to the entry, in any namespace', () => {
  const long = refs.map((ref) => ({ ...ref, name: ref.name.repeat(80) }));
  fc.assert(
    fc.property(fc.oneof(refs, long), workloadRefs, fc.constantFrom('home', 'a'), (ref, workload, home) => {
      const own = { ...ref, namespace: workload.namespace };
      const named = localEntryKeyOf(own);
      assert.equal(entryKeyBeside(overridesKeyOf(workload, home), named, home), entryKeyOf(own, home));
    }),
  );
});

test('law: two workloads have the same key of overrides exactly if they are the same', () => {
  fc.assert(
    fc.property(workloadRefs, workloadRefs, (a, b) => {
      const isSame = a.kind === b.kind && a.namespace === b.namespace && a.name === b.name;
      assert.equal(overridesKeyOf(a, 'home') === overridesKeyOf(b, 'home'), isSame);
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
      assert.equal(parseStateKey(a, 'home')?.namespace, one[2]);
    }),
  );
});

const FOREIGN_KEYS = ['', 'cfg', 'v1.ConfigMap', 'v1.ConfigMap_', 'v2.ConfigMap_a', 'ran_x', 'A_v1.Secret_x'];

for (const key of FOREIGN_KEYS) {
  test(`'${key}' is not a key of ours`, () => assert.equal(parseStateKey(key, 'home'), undefined));
}

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

test('law: an entry is read as it was written', () => {
  fc.assert(
    fc.property(digests, fc.array(halts, { maxLength: 3 }), (digest, halts) => {
      const entry = { digest, ...(halts.length > 0 && { halts }) };
      assert.deepEqual(parseEntry(formatEntry(entry), knows), entry);
    }),
  );
});

test('law: overrides are parsed as they were written, and have one text for any order', () => {
  const overrides = fc.dictionary(fc.stringMatching(/^v1\.Secret_[a-z]{1,3}$/), fc.constantFrom('?', '?7'), {
    minKeys: 1,
    noNullPrototype: true,
  });
  fc.assert(
    fc.property(overrides, (before) => {
      const text = formatOverrides(before);
      assert.ok(text !== undefined);
      assert.deepEqual(parseOverrides(text), before);
      assert.equal(formatOverrides(Object.fromEntries(Object.entries(before).reverse())), text);
    }),
  );
});

test('without overrides there is no text', () => assert.equal(formatOverrides({}), undefined));

const GARBAGE = ['', '{', 'null', '[]', '"?"', '7'];

for (const text of GARBAGE) {
  test(`'${text}' is not the text of overrides`, () => assert.equal(parseOverrides(text), undefined));
}

test('any other text of a mark is a doubt', () => {
  const marks = parseOverrides(`{"a":"?7","b":7,"c":"","d":"${A}","e":"?7.1","f":{}}`);
  assert.deepEqual(marks, { a: '?7', b: '?', c: '?', d: '?', e: '?', f: '?' });
});
