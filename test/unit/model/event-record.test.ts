import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS, type EventRecord, eventNameOf, REASONS } from '../../../lib/model/reasons.ts';
import { fc } from '../../laws.ts';

const NEWS: EventRecord = {
  regarding: { kind: 'Deployment', namespace: 'ns', name: 'web' },
  uid: 'u',
  reason: 'ReloadRefused',
  about: 'x',
  message: 'no',
};

const OTHERS: Record<string, [other: EventRecord, isSame: boolean]> = {
  'in other words': [{ ...NEWS, message: 'not at all' }, true],
  'about something else': [{ ...NEWS, about: 'y' }, false],
  'of another reason': [{ ...NEWS, reason: 'StampReverted' }, false],
  'of another workload that has had the name since': [{ ...NEWS, uid: 'v' }, false],
};

for (const [sentence, [other, isSame]] of Object.entries(OTHERS)) {
  test(`news ${sentence} is ${isSame ? 'the same' : 'another'} Event`, () => {
    assert.equal(eventNameOf(NEWS) === eventNameOf(other), isSame);
  });
}

test('an Event is listed beside its workload', () => {
  assert.match(eventNameOf(NEWS), /^web\.[0-9a-f]{16}$/);
});

test('law: the name of an Event is one that the API server takes', () => {
  const letters = fc.constantFrom('a', '9', '-', '.');
  const names = fc
    .string({ unit: letters, maxLength: 253 })
    .map((text) => `a${text.slice(1, -1).replace(/[.-]+/g, (run) => run[0] ?? '')}z`);
  fc.assert(
    fc.property(names, (name) => {
      const eventName = eventNameOf({ ...NEWS, regarding: { ...NEWS.regarding, name } });
      assert.ok(eventName.length <= 253);
      assert.match(eventName, /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/);
    }),
  );
});

test('each Event tells another reason, and only what calls for a person is a Warning', () => {
  const told = Object.values(EVENTS).map(({ tells }) => tells);
  assert.equal(new Set(told).size, told.length);
  assert.ok(told.every((reason) => reason in REASONS));
  const normal = Object.entries(EVENTS).filter(([, { type }]) => type === 'Normal');
  assert.deepEqual(
    normal.map(([name]) => name),
    ['Reloaded', 'WebhookNotified', 'Paused', 'Resumed', 'WaitingForSlot', 'RolloutHeld'],
  );
});
