/** The table of `reloader top`: what it shows of a report, and how it fits a terminal. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stripVTControlCharacters, styleText } from 'node:util';
import { topOf } from '../../../lib/commands/top/top-answer.ts';
import { topLines, type View } from '../../../lib/commands/top/top-text.ts';
import type { StatusReport } from '../../../lib/model/status-report.ts';
import { change, outdated, outdatedWorkload, report, workload } from '../telemetry/reports.ts';

const SOURCE = { reloader: 'Deployment/reloader in reloader', source: 'Pod/reloader-1', problems: [] };
const plain: View = { paint: (_, text) => text };

const BUSY = report({
  workloads: [
    workload('calm'),
    outdatedWorkload('old', 4000, { waitsFor: 'queued' }),
    outdatedWorkload('young', 192),
    workload('left', { isOutdated: true, follows: [outdated('ConfigMap/left')], outdatedForSeconds: 9 }),
    workload('bad', {
      isOutdated: true,
      follows: [outdated('ConfigMap/bad')],
      outdatedForSeconds: 60,
      waitsFor: 'halt',
    }),
    workload('new', { rolling: 'starting' }),
    outdatedWorkload('twice', 1, {
      rolling: 'replacing',
      follows: [outdated('ConfigMap/a'), outdated('ConfigMap/b'), ...workload('c').follows],
    }),
    outdatedWorkload('failed', 2, { waitsFor: 'backoff', problem: 'quota\u001b[2J\nexceeded' }),
    workload('alone', { follows: [] }),
    outdatedWorkload('far', 5, { namespace: 'shop' }),
  ],
});

function linesOf(shown: StatusReport, view: Partial<View> = {}, namespace?: string): readonly string[] {
  return topLines(topOf(shown, SOURCE, namespace), { ...plain, ...view });
}

test('what rolls comes first, then what waits, then the rest, the longest outdated before others', () => {
  assert.deepEqual(linesOf(BUSY), [
    'reloader  Deployment/reloader in reloader',
    'source    Pod/reloader-1',
    'state     ready',
    'totals    9 workloads, 11 objects: 7 out of date, 5 waiting, 2 rolling',
    '',
    'NAMESPACE  WORKLOAD           OUT OF DATE WITH          SINCE       STATE        WHAT HAPPENS',
    'default    Deployment/twice   ConfigMap/a, ConfigMap/b  1 s         rolling      pods are being replaced; quiet period: rolls in 4 s',
    'default    Deployment/new     -                         -           rolling      new pods are not ready yet',
    'default    Deployment/old     ConfigMap/old             1 h 6 min   waits        being patched, or next',
    'default    Deployment/young   ConfigMap/young           3 min 12 s  waits        quiet period: rolls in 4 s',
    'default    Deployment/bad     ConfigMap/bad             1 min       halted       a person: the change is halted',
    'shop       Deployment/far     ConfigMap/far             5 s         waits        quiet period: rolls in 4 s',
    'default    Deployment/failed  ConfigMap/failed          2 s         waits        next try in 4 s; quota [2J exceeded',
    'default    Deployment/left    ConfigMap/left            9 s         out of date',
  ]);
});

test('a narrow terminal makes columns narrower, and a low one counts what has no room', () => {
  assert.deepEqual(
    linesOf(BUSY, { size: { columns: 72, rows: 10 }, footer: 'q quits', trouble: 'not read again' }),
    [
      'reloader  Deployment/reloader in reloader',
      'source    Pod/reloader-1',
      'state     ready',
      'totals    9 workloads, 11 objects: 7 out of date, 5 waiting, 2 rolling',
      'not read again',
      '',
      'NAMESPA…  WORKLOAD       OUT OF DATE…  SINCE       STATE        WHAT HA…',
      'default   Deployment/t…  ConfigMap/a…  1 s         rolling      pods ar…',
      '… and 7 more',
      'q quits',
    ],
  );
});

test('changes in stages come before the workloads, those that are halted first', () => {
  const changes = [change('web'), change('bad', { halted: 'Deployment/a did not get ready', unready: [] })];
  const shown = report({ changes, workloads: [outdatedWorkload('web', 1, { waitsFor: 'stage' })] });
  assert.deepEqual(linesOf(shown).slice(4), [
    '',
    'NAMESPACE  CHANGE         STAGE   STATE                        WHAT HAPPENS',
    'default    ConfigMap/bad  2 of 4  halted                       Deployment/a did not get ready',
    'default    ConfigMap/web  2 of 4  rolling 20 of 200, 17 ready  Deployment/slow: its pods are not ready yet',
    '',
    'NAMESPACE  WORKLOAD        OUT OF DATE WITH  SINCE  STATE  WHAT HAPPENS',
    'default    Deployment/web  ConfigMap/web     1 s    waits  its stage of a change in 4 s',
  ]);
});

test('a namespace that is named is the only one', () => {
  const { rows, totals } = topOf(BUSY, SOURCE, 'shop');
  assert.deepEqual(
    rows.map(({ namespace, workload: name }) => [namespace, name]),
    [['shop', 'Deployment/far']],
  );
  assert.deepEqual(totals, { workloads: 1, objects: 1, outdated: 1, waiting: 1, rolling: 0 });
});

test('parts of one object count as one object, and nothing to do is said', () => {
  const follows = ['a', 'b'].flatMap((key) => workload(`web (key ${key})`).follows);
  assert.deepEqual(linesOf(report({ workloads: [workload('web', { follows })] })).slice(3), [
    'totals    1 workload, 1 object: 0 out of date, 0 waiting, 0 rolling',
    '',
    'Nothing is out of date, waits or rolls.',
  ]);
});

test('a reloader that does not decide yet says what it waits for', () => {
  const top = topOf(report({ isReady: false, waitingFor: ['the state'] }), SOURCE);
  assert.equal(top.state, 'not ready: it waits for the state');
});

test('problems are red, and states have their colours', () => {
  const paint: View['paint'] = (style, text) => `<${style}>${text}</>`;
  const lines = linesOf(BUSY, { paint }).join('\n');
  assert.match(lines, /<green>rolling<\/> {6}pods/);
  assert.match(lines, /<red>halted<\/>/);
  assert.match(lines, /<red>next try in 4 s; quota/);
  assert.match(lines, /<yellow>waits<\/> {8}quiet/);
});

describe('a terminal', () => {
  const sizes = [70, 80, 120, 200].flatMap((columns) => [3, 8, 12, 40].map((rows) => ({ columns, rows })));
  for (const size of sizes)
    test(`of ${size.columns}×${size.rows} holds it`, () => {
      const paint: View['paint'] = (style, text) => styleText(style, text, { validateStream: false });
      const painted = linesOf({ ...BUSY, changes: [change('web')] }, { size, paint, footer: 'q quits' });
      assert.ok(painted.length <= size.rows);
      for (const line of painted) assert.ok([...stripVTControlCharacters(line)].length <= size.columns, line);
    });
});
