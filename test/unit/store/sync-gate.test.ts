import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Stream, SyncGate } from '../../../lib/store/sync-gate.ts';

const stream = (kind: string, namespace?: string): Stream => ({
  kind,
  namespace,
  isWorkload: kind !== 'ConfigMap' && kind !== 'Secret',
});
const KINDS = ['ConfigMap', 'Secret', 'Deployment', 'StatefulSet'];

function gate(namespaces: readonly (string | undefined)[], ...unlisted: readonly string[]): SyncGate {
  const streams = namespaces.flatMap((namespace) => KINDS.map((kind) => stream(kind, namespace)));
  const result = new SyncGate(streams);
  for (const one of streams) if (!unlisted.includes(`${one.namespace}/${one.kind}`)) result.markSynced(one);
  return result;
}

const CASES: Record<string, readonly [boolean, boolean]> = {
  'everything is listed': [gate(['ns']).isSynced('ns', 'Secret'), true],
  'a kind of workload is not': [gate(['ns'], 'ns/StatefulSet').isSynced('ns', 'Secret'), false],
  'the kind itself is not': [gate(['ns'], 'ns/Secret').isSynced('ns', 'Secret'), false],
  'another kind of object is not': [gate(['ns'], 'ns/Secret').isSynced('ns', 'ConfigMap'), true],
  'only workloads are asked for': [gate(['ns'], 'ns/Secret', 'ns/ConfigMap').isSynced('ns'), true],
  'another namespace is not': [gate(['ns', 'far'], 'far/Deployment').isSynced('ns', 'Secret'), true],
  'a stream of all namespaces is not': [
    gate([undefined], 'undefined/Deployment').isSynced('ns', 'Secret'),
    false,
  ],
  'streams of all namespaces are': [gate([undefined]).isSynced('any', 'Secret'), true],
  'no stream covers the namespace': [gate(['ns']).isSynced('far', 'Secret'), false],
};

test('a namespace that the streams of all leave out is never synced', () => {
  const one = { ...stream('Deployment'), except: ['far', 'away'] };
  const except = new SyncGate([one]);
  except.markSynced(one);
  assert.deepEqual(
    [except.isSynced('ns'), except.isSynced('far'), except.isSynced('away')],
    [true, false, false],
  );
});

for (const [sentence, [actual, expected]] of Object.entries(CASES)) {
  test(`synced or not: ${sentence}`, () => assert.equal(actual, expected));
}

test('where namespaces are selected nothing is synced before they are listed', () => {
  const [one, namespaces] = [stream('Deployment'), { ...stream('Namespace'), isWorkload: false }];
  const selective = new SyncGate([one, namespaces]);
  selective.markSynced(one);
  assert.equal(selective.isSynced('ns'), false);
  selective.markSynced(namespaces);
  assert.equal(selective.isSynced('ns'), true);
});

const [ITS, OTHER] = ['StatefulSet', 'ConfigMap'].map((kind) => stream(kind, 'ns')) as [Stream, Stream];
const DEPLOYMENTS = stream('Deployment', 'ns');

/** A gate whose StatefulSets failed and are refused if `isRefused`, with the answers to each question about ConfigMaps. */
function answers(isRefused: boolean, prepare: (gate: SyncGate) => void = () => undefined) {
  const one = new SyncGate([ITS, OTHER, DEPLOYMENTS]);
  one.markSynced(OTHER);
  one.markSynced(DEPLOYMENTS);
  one.mark(ITS, 'failing');
  if (isRefused) one.mark(ITS, 'refused');
  prepare(one);
  return {
    all: one.isSynced('ns', 'ConfigMap'),
    forbidden: one.isSynced('ns', 'ConfigMap', 'forbidden'),
    refused: one.isSynced('ns', 'ConfigMap', 'refused'),
    failing: one.isSynced('ns', 'ConfigMap', 'failing'),
    awaited: one.awaited().includes(ITS),
    lists: one.lists('StatefulSet', undefined),
  };
}

const FAILS = { all: false, forbidden: false, refused: false, failing: true, awaited: true, lists: false };
const REFUSED = { all: false, forbidden: false, refused: true, failing: true, awaited: false, lists: false };
const FORBIDDEN = { ...REFUSED, forbidden: true };
const WELL = { all: true, forbidden: true, refused: true, failing: true, awaited: false, lists: true };

test('a kind that fails is waited for by all but a baseline, one that is forbidden by nothing but what removes', () => {
  assert.deepEqual(answers(false), FAILS);
  assert.deepEqual(answers(true), REFUSED);
  assert.deepEqual(
    answers(true, (one) =>
      assert.deepEqual([one.mark(ITS, 'forbidden'), one.mark(ITS, 'forbidden')], [true, false]),
    ),
    FORBIDDEN,
  );
});

test('what is not refused is not forbidden', () => {
  const early = (one: SyncGate): void => assert.equal(one.mark(ITS, 'forbidden'), false);
  assert.deepEqual(answers(false, early), FAILS);
  const late = (one: SyncGate): void => {
    one.mark(ITS, 'forbidden');
    one.markWell(ITS);
    one.mark(ITS, 'failing');
    one.mark(ITS, 'refused');
  };
  assert.deepEqual(answers(true, late), REFUSED, 'for as long as before');
});

test('what is refused is left out no longer once it has listed', () => {
  assert.deepEqual(
    answers(true, (one) => one.markSynced(ITS)),
    WELL,
  );
});

test('an answer that comes after a list succeeded refuses nothing any more', () => {
  const late = (one: SyncGate): void => {
    one.markSynced(ITS);
    assert.equal(one.mark(ITS, 'refused'), false);
  };
  assert.deepEqual(answers(false, late), WELL);
});

test('what had listed before it was refused is not complete any more', () => {
  const later = (one: SyncGate): void => {
    one.markSynced(ITS);
    one.mark(ITS, 'failing');
    assert.equal(one.mark(ITS, 'refused'), true);
  };
  assert.deepEqual(answers(false, later), FORBIDDEN, 'but what it listed stays');
});

test('where every kind of workload is refused all of them are awaited: there is nothing to serve', () => {
  const one = new SyncGate([ITS, OTHER]);
  one.markSynced(OTHER);
  one.mark(ITS, 'failing');
  one.mark(ITS, 'refused');
  assert.deepEqual(one.awaited(), [ITS]);
});

test('of objects that are not listed nothing is written, refused or not', () => {
  const one = new SyncGate([ITS, OTHER]);
  one.markSynced(ITS);
  one.mark(OTHER, 'failing');
  one.mark(OTHER, 'refused');
  for (const leftOut of ['none', 'forbidden', 'refused', 'failing'] as const)
    assert.equal(one.isSynced('ns', 'ConfigMap', leftOut), false);
});

test('that a stream has listed is news once', () => {
  const [one, other] = [stream('Secret', 'ns'), stream('Deployment', 'ns')];
  const fresh = new SyncGate([one, other]);
  assert.deepEqual([fresh.markSynced(one), fresh.markSynced(one)], [true, false]);
  assert.deepEqual(fresh.awaited(), [other]);
});
