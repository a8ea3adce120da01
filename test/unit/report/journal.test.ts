import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Log } from '../../../lib/model/log.ts';
import { describeAll } from '../../../lib/model/object-ref.ts';
import { REASONS, type Reason } from '../../../lib/model/reasons.ts';
import { Journal } from '../../../lib/report/journal.ts';
import type { Note } from '../../../lib/tracking/effects.ts';

const WORKLOAD = { kind: 'Deployment', namespace: 'ns', name: 'web' };
const CONFIG = { kind: 'ConfigMap', namespace: 'ns', name: 'cfg' } as const;
const DIGEST = `3f2a${'0'.repeat(36)}`;

function recorded(): { readonly journal: Journal; readonly lines: unknown[][] } {
  const lines: unknown[][] = [];
  const at = (level: string) => (message: string, fields?: object) =>
    void lines.push([level, message, fields]);
  const log: Log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  return { journal: new Journal(log), lines };
}

const about = (reason: Reason, detail?: string): Note => ({
  reason,
  workload: WORKLOAD,
  config: CONFIG,
  ...(detail === undefined ? {} : { detail }),
});

const SENTENCES: Record<string, Note> = {
  'Deployment/web follows ConfigMap/cfg (baseline 3f2a…; nothing rolled)': about('baseline', DIGEST),
  'Deployment/web follows ConfigMap/cfg (3f2a…; nothing rolled)': about('followed', DIGEST),
  'Deployment/web follows ConfigMap/cfg (which does not exist yet)': about('followed', ''),
  'Deployment/web no longer follows ConfigMap/cfg': about('unfollowed'),
  'ConfigMap/cfg changed back: nothing left to roll for Deployment/web': about('changed-back'),
  'ConfigMap/cfg changed before this start: Deployment/web is out of date': about('changed-before-start'),
  'ConfigMap/cfg is gone: nothing is rolled until it returns': { reason: 'absent', config: CONFIG },
  'Deployment/web lost its stamp before it had rolled: removed or replaced by argocd': about(
    'stamp-reverted',
    'argocd',
  ),
  [`Deployment/web: x: ${REASONS.refused}`]: { reason: 'refused', workload: WORKLOAD, detail: 'x' },
};

for (const [sentence, note] of Object.entries(SENTENCES)) {
  test(`a person reads: ${sentence}`, () => {
    const { journal, lines } = recorded();
    journal.note(note);
    assert.equal(journal.decisions[0]?.message, sentence);
    assert.deepEqual(lines[0]?.slice(1), [sentence, { reason: note.reason, namespace: 'ns' }]);
  });
}

const LEVELS: Partial<Record<Reason, string>> = {
  changed: 'info',
  rolled: 'info',
  retry: 'info',
  unchanged: 'debug',
  conflict: 'debug',
  refused: 'warn',
  'stamp-reverted': 'warn',
  'state-damaged': 'warn',
};

for (const [reason, level] of Object.entries(LEVELS)) {
  test(`'${reason}' is a line of level ${level}`, () => {
    const { journal, lines } = recorded();
    journal.say(reason as Reason, 'x');
    assert.equal(lines[0]?.[0], level);
  });
}

test('the last fifty decisions are kept, the newest first, each with its time', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 });
  const { journal } = recorded();
  for (let index = 0; index < 60; index += 1) journal.say('rolled', `${index}`, 'ns');
  assert.equal(journal.decisions.length, 50);
  assert.deepEqual(journal.decisions[0], {
    time: '1970-01-01T00:00:00.000Z',
    level: 'info',
    reason: 'rolled',
    message: '59',
    namespace: 'ns',
  });
  assert.equal(journal.decisions.at(-1)?.message, '10');
});

test('names for a line: three, and how many more there are', () => {
  const refs = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ ...WORKLOAD, name }));
  assert.equal(describeAll(refs.slice(0, 3)), 'Deployment/a, Deployment/b, Deployment/c');
  assert.equal(describeAll(refs), 'Deployment/a, Deployment/b, Deployment/c and 2 more');
});

test('beyond what is kept the namespace that has the most loses its oldest decision', () => {
  const { journal } = recorded();
  journal.say('rolled', 'quiet', 'quiet');
  journal.say('rolled', 'of none');
  for (let index = 0; index < 200; index += 1) journal.say('missing', `loud ${index}`, 'loud');
  const messages = journal.decisions.map(({ message }) => message);
  assert.equal(messages.length, 50);
  assert.deepEqual([messages[0], messages[47]], ['loud 199', 'loud 152']);
  assert.deepEqual(messages.slice(48), ['of none', 'quiet']);
});
