/** Windows, holds, approvals and urgent changes: the findings about values that cannot be read. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  configGatingMistakes,
  heldUntil,
  isNamespaceAnnotation,
  isUrgent,
  namespaceGatingMistakes,
  tokenOf,
} from '../../../lib/annotations/gating.ts';
import { deployment, vocabulary } from './defaults.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const vocabularies = vocabulary();
const REF = { kind: 'ConfigMap', namespace: 'home', name: 'cfg' } as const;

const HOLDS: Readonly<Record<string, number | undefined>> = {
  true: Number.POSITIVE_INFINITY,
  false: undefined,
  '2026-11-25T18:00:00Z': Date.UTC(2026, 10, 25, 18),
  '2026-11-25T18:00:00.5+01:00': Date.UTC(2026, 10, 25, 17) + 500,
  '2026-11-25T18:00Z': Date.UTC(2026, 10, 25, 18),
  '2026-11-25T18:00:00': undefined,
  '2026-11-25': undefined,
  '2026-13-25T18:00:00Z': undefined,
  '2030-02-31T00:00:00Z': undefined,
  '2030-01-31T24:00:00Z': undefined,
  '2028-02-29T00:00:00+02:00': Date.UTC(2028, 1, 28, 22),
  yes: undefined,
  '': undefined,
};

describe('a hold', () => {
  for (const [value, until] of Object.entries(HOLDS))
    test(`of ${JSON.stringify(value)} ends ${until ?? 'before it begins'}`, () =>
      assert.equal(heldUntil({ [`${PREFIX}/hold`]: value }), until));
});

test('only true is urgent', () => {
  const values = ['true', 'false', 'True', '1', ''];
  assert.deepEqual(
    values.filter((value) => isUrgent({ [`${PREFIX}/urgent`]: value })),
    ['true'],
  );
});

describe('a token', () => {
  const digests = fc.dictionary(fc.constantFrom('home/Secret/a', 'home/Secret/b'), fc.constantFrom('1', '2'));
  test('is that of the same contents in any order, and of no others', () =>
    fc.assert(
      fc.property(digests, digests, (one, other) => {
        const [a, b] = [one, other].map((each) => JSON.stringify(Object.entries(each).sort()));
        assert.equal(tokenOf(Object.entries(one)) === tokenOf(Object.entries(other).reverse()), a === b);
      }),
    ));
  test('is short, and no digest', () =>
    assert.match(tokenOf([['home/Secret/a', 'a'.repeat(40)]]), /^(?!a{10})[0-9a-f]{10}$/));
});

/** The messages about these annotations, of a workload and of an object that it follows. */
function told(words: Readonly<Record<string, string>>): readonly (readonly string[])[] {
  const annotations = Object.fromEntries(
    Object.entries(words).map(([word, value]) => [`${PREFIX}/${word}`, value]),
  );
  const own = vocabularies.mistakesOf(deployment(vocabularies, annotations));
  const ofObject = configGatingMistakes(REF, annotations);
  return [own, ofObject].map((findings) => findings.map(({ message }) => message));
}

describe('people are told', () => {
  test('what is wrong with a window, and that it does not count', () => {
    const [own, ofObject] = told({ 'reload-window': 'Mon 09:00-10:00 Mars/Phobos' });
    assert.deepEqual(own, [
      `"Mon 09:00-10:00 Mars/Phobos" of ${PREFIX}/reload-window names a time zone that is not known: Mars/Phobos; it does not count`,
    ]);
    assert.deepEqual(ofObject, []);
    assert.match(told({ 'reload-window': 'x' })[0]?.[0] ?? '', / joined by semicolons; it does not count$/);
  });

  test('of a hold that holds nothing, with the object that has it', () => {
    assert.deepEqual(told({ hold: 'yes' }), [
      [`"yes" of ${PREFIX}/hold holds nothing; write true, or a time such as 2030-01-31T18:00:00Z`],
      [
        `"yes" of ${PREFIX}/hold of ConfigMap/cfg holds nothing; write true, or a time such as 2030-01-31T18:00:00Z`,
      ],
    ]);
  });

  test('of an object that is neither urgent nor not', () => {
    const [, ofObject] = told({ urgent: 'very' });
    assert.deepEqual(ofObject, [
      `"very" of ${PREFIX}/urgent of ConfigMap/cfg is neither true nor false and does not count; write ${PREFIX}/urgent: "true"`,
    ]);
  });

  test('of an approval that is neither required nor not, and of what is notify-only or not', () => {
    assert.deepEqual(told({ approval: 'yes', 'notify-only': 'yes' }), [
      [
        `"yes" of ${PREFIX}/approval is neither required nor none and does not count; write ${PREFIX}/approval: required`,
        `"yes" of ${PREFIX}/notify-only is neither true nor false and does not count; write ${PREFIX}/notify-only: "true"`,
      ],
      [],
    ]);
  });

  test('of what is wrong on a namespace, with its name', () => {
    const words = { approval: 'x', hold: 'x', 'notify-only': 'x', 'reload-window': 'x' };
    const annotations = Object.fromEntries(
      Object.entries(words).map(([word, value]) => [`${PREFIX}/${word}`, value]),
    );
    const messages = namespaceGatingMistakes('home', annotations).map(({ message }) => message);
    assert.equal(messages.length, 4);
    for (const message of messages) assert.match(message, /^"x" of [^ ]+ of Namespace\/home /);
  });

  test('nothing of what can be read', () => {
    for (const approval of ['required', 'none'])
      assert.deepEqual(told({ approval, approved: 'any text', 'notify-only': 'false' }), [[], []]);
    for (const hold of ['true', 'false', '2026-11-25T18:00:00Z', '1999-11-25T18:00:00Z'])
      assert.deepEqual(told({ hold, 'reload-window': 'always' }), [[], []]);
    assert.deepEqual(told({ urgent: 'false' })[1], []);
  });
});

test('they are annotations that are read, of workloads and of objects', () => {
  const read = (word: string): readonly boolean[] => [
    vocabularies.isPolicyAnnotation(`${PREFIX}/${word}`),
    vocabularies.isConfigAnnotation(`${PREFIX}/${word}`),
  ];
  const ofNamespaces = (word: string): boolean => isNamespaceAnnotation(`${PREFIX}/${word}`);
  const words = ['reload-window', 'hold', 'urgent', 'approval', 'approved', 'notify-only'];
  assert.deepEqual(words.filter(ofNamespaces), ['reload-window', 'hold', 'approval', 'notify-only']);
  assert.deepEqual(words.map(read), [
    [true, false],
    [true, true],
    [false, true],
    [true, false],
    [true, false],
    [true, false],
  ]);
});
