/** Items of lists that are expressions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RE2JS } from 're2js';
import { expressionsIn, itemsOf, matches, mistakeIn } from '../../../lib/annotations/name-list.ts';
import { describe } from '../../../lib/model/object-ref.ts';
import type { Workload } from '../../../lib/model/workload.ts';
import { deployment, vocabulary } from './defaults.ts';
import { named, STAKATER } from './judged.ts';

const MATCHING: Record<string, readonly [pattern: string, yes: readonly string[], no: readonly string[]]> = {
  'the whole name is matched': ['web-.*', ['web-', 'web-a.b'], ['my-web-a', 'web']],
  'a name within a longer one is not matched': ['web', ['web'], ['webs', 'my-web', '']],
  'an alternative is one of the whole': ['web|api', ['web', 'api'], ['webx', 'xapi', 'web|api']],
  'a dot is any character': ['a.b', ['a.b', 'a-b', 'axb'], ['ab', 'a--b']],
  'an escaped dot is a dot': ['a\\.b', ['a.b'], ['a-b']],
  'anchors of one’s own do no harm': ['^web$', ['web'], ['webs']],
  'a class and a count': ['tls-[0-9]{2}', ['tls-07'], ['tls-7', 'tls-777']],
  'capitals are other letters': ['WEB', [], ['web']],
  'a line break ends no name': ['web$', ['web'], ['web\n']],
};

for (const [sentence, [pattern, yes, no]] of Object.entries(MATCHING)) {
  test(sentence, () => {
    assert.deepEqual(
      [...yes, ...no].filter((name) => matches(pattern, name)),
      yes,
    );
    assert.equal(mistakeIn(pattern), undefined);
  });
}

for (const pattern of [
  '(',
  'a**',
  '[z-a]',
  '(?=a)',
  '(a)\\1',
  'a{1001}',
  '(a{1000}){1000}',
  '('.repeat(5_000),
]) {
  test(`what RE2 does not understand matches nothing: ${pattern.slice(0, 20)}`, () => {
    assert.ok(!matches(pattern, 'a') && !matches(pattern, pattern));
    assert.match(mistakeIn(pattern) ?? '', /^error parsing regexp: /);
  });
}

test('an item of small letters, digits and dashes is its own name, any other may match more', () => {
  const others = ['web.v1', 'web*', 'Web', 'a|b', 'a b', ''];
  assert.deepEqual(expressionsIn(['web', 'web-1', '-', ...others]).counted, others);
});

test('thousands of expressions are matched rightly, and not remembered without end', () => {
  for (let index = 0; index < 2_500; index += 1) {
    assert.ok(matches(`web-${index}.*`, `web-${index}-x`));
    assert.ok(!matches(`web-${index}.*`, `web-x-${index}`));
  }
});

for (const pattern of ['(a*)*b', '(a|aa)+b', '(a|a)*b', '.*.*.*.*.*.*.*.*.*.*b', '(?:a?){250}a{250}b']) {
  test(`an expression over which others think for ever is matched at once: ${pattern}`, () => {
    const shortest = Math.min(
      ...[1, 2, 3].map(() => millisecondsOf(() => matches(pattern, 'a'.repeat(253)))),
    );
    assert.ok(shortest < 500, `${shortest} ms`);
  });
}

function millisecondsOf(work: () => boolean): number {
  const startedAt = performance.now();
  assert.equal(work(), false);
  return performance.now() - startedAt;
}

test('beside an invalid expression the other items count, and one finding says so', () => {
  const vocabularies = vocabulary();
  const workload = deployment(vocabularies, named(STAKATER, 'web-[', 'api', 'tls-.*'));
  const known = {
    ConfigMap: ['web-[', 'web-a', 'tls-a', 'a-tls-'],
    Secret: ['tls-b'],
    SecretProviderClass: [],
  };
  const refs = vocabularies.follows(workload, (kind) => known[kind]);
  assert.deepEqual(refs.map(describe), ['ConfigMap/api', 'ConfigMap/tls-a']);
  assert.deepEqual(vocabularies.mistakesOf(workload), [
    {
      reason: 'malformed',
      about: 'configmap.reloader.stakater.com/reload: "web-["',
      message:
        '"web-[" of configmap.reloader.stakater.com/reload is no expression that RE2 understands (error parsing regexp: missing closing ]: `[`); the other items count',
    },
  ]);
});

const TOO_MUCH =
  'is too much: the expressions of a list may be a hundred, with 1000 letters once what they repeat is written out, or 40000 where they are names joined by |; list names, or simpler expressions; the other items count';

const MANY = '(.?){1000}'.repeat(25_000);
const LONG = `.*${'(a|b)'.repeat(200)}`;

/** Each a list, which of its items count as expressions, and which are too much. */
const LISTS: Readonly<
  Record<string, readonly [list: string, counted: readonly string[], excess: readonly string[]]>
> = {
  'a count that is far too high': ['(.?){1000}, web-.*', ['web-.*'], ['(.?){1000}']],
  'counts within counts': ['((.?){30}){30}, web-.*', ['web-.*'], ['((.?){30}){30}']],
  'many of them': [MANY, [], [MANY]],
  'a long text': [LONG, [], [LONG]],
  'several that are too much together, as far as there is room': [
    'a{600}, b{600}, c{300}, d{200}, e{100}',
    ['a{600}', 'c{300}', 'e{100}'],
    ['b{600}', 'd{200}'],
  ],
  'as many letters as may be': ['a{1000}', ['a{1000}'], []],
  'short ones are no more than a hundred': ['a*,'.repeat(120), Array(100).fill('a*'), Array(20).fill('a*')],
  'names with dots count to the letter even then': ['a.b,'.repeat(120), Array(100).fill('a.b'), []],
  'a count that people need': ['[a-z]{40}-(tls|ca)-[0-9]{4}', ['[a-z]{40}-(tls|ca)-[0-9]{4}'], []],
};
for (const [sentence, [list, counted, excess]] of Object.entries(LISTS)) {
  test(`a list has only so much of expressions: ${sentence}`, () => {
    assert.deepEqual(expressionsIn(itemsOf(list)), { counted, excess });
  });
}

test('names that are joined by | may be a thousand, and no more than can be worked with', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `service-${index}\\.settings.v1`);
  for (const joined of [names.join('|'), `^(${names.join('|')})$`]) {
    assert.deepEqual(expressionsIn(['web', joined, 'a.b']), { counted: [joined, 'a.b'], excess: [] });
    assert.ok(matches(joined, 'service-777.settings-v1') && !matches(joined, 'service-777-settings-v1'));
    const doubled = `${joined}|${joined}`;
    assert.deepEqual(expressionsIn([joined, doubled]), { counted: [joined], excess: [doubled] });
  }
});

test('expressions beyond the limit match nothing, and one finding says so', () => {
  const vocabularies = vocabulary();
  const large = `${'(.?){1000}'.repeat(50)}`;
  const follows = (workload: Workload): readonly string[] =>
    vocabularies
      .follows(workload, (kind) => (kind === 'ConfigMap' ? ['web-a', 'web-1'] : []))
      .map(({ name }) => name);
  const one = deployment(vocabularies, named(STAKATER, large, 'api', 'web-[a-z]+'));
  assert.deepEqual(follows(one), ['api', 'web-a']);
  const key = 'configmap.reloader.stakater.com/reload';
  const shown = JSON.stringify(large.slice(0, 60));
  assert.deepEqual(vocabularies.mistakesOf(one), [
    { reason: 'malformed', about: `${key}: ${shown}`, message: `${shown} of ${key} ${TOO_MUCH}` },
  ]);
  const many = deployment(
    vocabularies,
    named(STAKATER, ...Array.from({ length: 900 }, (_, i) => `web-.${i}?`)),
  );
  assert.deepEqual(follows(many), ['web-a', 'web-1']);
  assert.deepEqual(
    vocabularies.mistakesOf(many).map(({ message }) => message),
    [`"web-.100?" and 799 more of ${key} ${TOO_MUCH}`],
  );
});

test('a name with a dot is asked for although nothing of that name is known, and matches others besides', () => {
  const vocabularies = vocabulary();
  const workload = deployment(vocabularies, named(STAKATER, 'web.v1'));
  const follows = (...names: string[]): readonly string[] =>
    vocabularies.follows(workload, (kind) => (kind === 'ConfigMap' ? names : [])).map(({ name }) => name);
  assert.deepEqual(follows(), ['web.v1']);
  assert.deepEqual(follows('web.v1', 'web-v1', 'web-v2'), ['web.v1', 'web-v1']);
  assert.ok(vocabularies.hasPatterns(workload));
  assert.ok(!vocabularies.hasPatterns(deployment(vocabularies, named(STAKATER, 'web-v1', 'api'))));
});

test('the expressions of a pod template are read where the workload has no words, and so are their mistakes', () => {
  const vocabularies = vocabulary();
  const template = { metadata: { annotations: named(STAKATER, 'web-.*', '(') } };
  const follows = (own: Readonly<Record<string, string>>): readonly string[] =>
    vocabularies.follows(deployment(vocabularies, own, template), () => ['web-a']).map(describe);
  assert.deepEqual(follows({}), ['ConfigMap/web-a']);
  assert.deepEqual(follows({ [STAKATER.auto]: 'false' }), []);
  const about = vocabularies
    .mistakesOf(deployment(vocabularies, {}, template))
    .map((finding) => finding.about);
  assert.deepEqual(about, ['configmap.reloader.stakater.com/reload: "("']);
});

test('what expressions learn from names is forgotten but for the last few, and they answer the same', (t) => {
  const patterns = Array.from({ length: 20 }, (_, index) => `web-[a-z]{${index + 1}}`);
  const answers = (): readonly boolean[] => patterns.map((pattern) => matches(pattern, 'web-abc'));
  const first = answers();
  const resets = t.mock.method(RE2JS.prototype, 'reset');
  assert.deepEqual(answers(), first);
  assert.equal(resets.mock.callCount(), 20);
  for (let round = 0; round < 9; round += 1) matches('web-[a-z]{20}', 'web-abc');
  assert.equal(resets.mock.callCount(), 20);
  assert.deepEqual(
    first.flatMap((isMatch, index) => (isMatch ? [index] : [])),
    [2],
  );
});

test('compiled expressions are not kept without an end', (t) => {
  const compiled = t.mock.method(RE2JS, 'compile');
  const large = Array.from({ length: 8 }, (_, index) => `${'name|'.repeat(7_000)}n${index}`);
  for (let round = 0; round < 2; round += 1) for (const pattern of large) matches(pattern, 'name');
  assert.ok(compiled.mock.callCount() > large.length);
  const before = compiled.mock.callCount();
  for (let round = 0; round < 5; round += 1) matches('a+', 'a');
  assert.ok(compiled.mock.callCount() <= before + 1);
});
