/** Very large annotations: the items that count are bounded, and the work is linear in the text. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_NAMES } from '../../../lib/annotations/policy.ts';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import { deployment, vocabulary } from './defaults.ts';

const NATIVE = 'reloader.k8s.collaborne.com/configmap';
const NATIVE_SECRETS = 'reloader.k8s.collaborne.com/secret';
const STAKATERS = 'configmap.reloader.stakater.com/reload';
const EXCLUDED = 'reloader.k8s.collaborne.com/exclude-configmap';
const DIALECT = vocabulary();

function names(count: number, prefix = 'cm'): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
}

function follows(annotations: Record<string, string>, known: readonly string[] = []): readonly string[] {
  const refs = DIALECT.follows(deployment(DIALECT, annotations), () => known);
  return refs.map(({ name }) => name);
}

function messages(annotations: Record<string, string>): readonly string[] {
  return DIALECT.mistakesOf(deployment(DIALECT, annotations)).map(({ message }) => message);
}

test('as many names as may be are followed, and nothing is said', () => {
  const annotations = { [NATIVE]: names(MOST_NAMES).join() };
  assert.equal(follows(annotations).length, MOST_NAMES);
  assert.deepEqual(messages(annotations), []);
});

test('beyond the limit the first names are followed, and one finding says so', () => {
  const annotations = { [NATIVE]: names(20_000).join() };
  assert.deepEqual(follows(annotations), names(MOST_NAMES));
  const [message, ...others] = messages(annotations);
  assert.match(message ?? '', /names more than 1000 objects, .* and 19000 are not/);
  assert.deepEqual(others, []);
  const workload = deployment(DIALECT, annotations);
  const ref = (name: string): ConfigRef => ({ kind: 'ConfigMap', namespace: workload.ref.namespace, name });
  assert.ok(DIALECT.judge(workload, ref('cm-999'), {}).asks);
  assert.ok(!DIALECT.judge(workload, ref('cm-1000'), {}).asks);
});

test('a name that stands there again and again is one', () => {
  const annotations = { [NATIVE]: [...Array(5_000).fill('web'), 'api'].join() };
  assert.deepEqual(follows(annotations), ['web', 'api']);
  assert.deepEqual(messages(annotations), []);
});

test('the lists of one workload count together, of all kinds and vocabularies', () => {
  const annotations = {
    [NATIVE]: names(400).join(),
    [NATIVE_SECRETS]: names(400, 's').join(),
    [STAKATERS]: ['web-.*', ...names(400, 't')].join(),
  };
  const followed = follows(annotations, ['web-1']);
  assert.equal(followed.length, MOST_NAMES);
  assert.ok(followed.includes('web-1') && !followed.includes('t-399'));
  assert.match(
    messages(annotations).join(),
    new RegExp(`${STAKATERS} names more than 1000 .* and 201 are not`),
  );
});

test('what is excluded is excluded, be it thousands', () => {
  const annotations = { 'reloader.k8s.collaborne.com/auto': 'true', [EXCLUDED]: names(20_000).join() };
  const envFrom = [{ configMapRef: { name: 'cm-19999' } }, { configMapRef: { name: 'web' } }];
  const workload = deployment(DIALECT, annotations, { spec: { containers: [{ name: 'app', envFrom }] } });
  const asks = (name: string): boolean =>
    DIALECT.judge(workload, { kind: 'ConfigMap', namespace: workload.ref.namespace, name }, {}).asks;
  assert.deepEqual([asks('cm-19999'), asks('web')], [false, true]);
});

test('an annotation is parsed once, whatever is asked about it', (t) => {
  const calls = (count: number): number => {
    const workload = deployment(DIALECT, {
      [STAKATERS]: names(count).join(),
      [EXCLUDED]: names(count).join(),
    });
    const split = t.mock.method(String.prototype, 'split');
    for (const name of names(count))
      DIALECT.judge(workload, { kind: 'ConfigMap', namespace: workload.ref.namespace, name }, {});
    DIALECT.follows(workload, () => names(count));
    const { length } = split.mock.calls;
    split.mock.restore();
    return length;
  };
  assert.equal(calls(400), calls(100));
});

test('findings are short and few, however many mistakes there are', () => {
  const long = `${'x'.repeat(300)}_`;
  const strays = Object.fromEntries(
    names(5_000).map((name) => [`reloader.k8s.collaborne.com/configmap-${name}`, long.repeat(10)]),
  );
  for (const annotations of [
    { [NATIVE]: names(20_000, 'Wrong_').join() },
    { [NATIVE]: `${long},`.repeat(800) },
    { [STAKATERS]: `(${long},`.repeat(800) },
    { [NATIVE]: 'web', ...strays },
  ]) {
    const all = messages(annotations);
    assert.ok(all.length >= 1 && all.length <= 110, `${all.length} findings`);
    for (const message of all) assert.ok(message.length < 2_000, message.slice(0, 100));
  }
});

test('a mistyped key is found among some annotations, and thousands are not compared', () => {
  const others = (count: number): readonly [string, string][] =>
    names(count, 'a.example/note').map((key) => [key, 'x']);
  const mistyped = ['reloader.stakater.com/aut', 'true'] as const;
  const said = (count: number): readonly string[] =>
    messages(Object.fromEntries([...others(count), mistyped]));
  assert.match(said(150)[0] ?? '', /reloader\.stakater\.com\/aut has no effect/);
  assert.deepEqual(said(20_000), []);
});
