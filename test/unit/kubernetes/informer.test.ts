import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Informer } from '../../../lib/kubernetes/informer.ts';
import { sourceOf } from '../../../lib/kubernetes/sources.ts';
import type { StreamNews } from '../../../lib/model/health.ts';
import type { RawConfigObject } from '../../../lib/model/raw-objects.ts';
import { type InformerEvent, Timeline } from '../../../lib/model/timeline.ts';

import {
  type Answer,
  bookmark,
  configMap,
  line,
  listOf,
  openWatchOf,
  refused,
  type Script,
  scripted,
  settle,
  watchOf,
} from './scripted-send.ts';

interface Setup {
  readonly comparable?: boolean;
  readonly handler?: (event: InformerEvent<string>) => void;
  readonly project?: (raw: RawConfigObject) => string;
  readonly observe?: (news: StreamNews) => void;
}

interface Running {
  readonly events: InformerEvent<string>[];
  readonly logged: string[];
  readonly script: Script;
}

const GONE = line('ERROR', { kind: 'Status', code: 410 });
const NEVER = Number.NEGATIVE_INFINITY;

/** Runs an informer over the answers until nothing more happens; the projection is the value of `data.x`. */
async function informed(t: TestContext, answers: Answer[], setup: Setup = {}): Promise<Running> {
  const timeline = new Timeline();
  timeline.comparable = setup.comparable ?? true;
  const [events, logged]: [InformerEvent<string>[], string[]] = [[], []];
  const say = (message: string, fields?: object) => void logged.push(`${message} ${JSON.stringify(fields)}`);
  const script = scripted(...answers);
  const informer = new Informer<RawConfigObject, string>({
    send: script.send,
    source: sourceOf({ kind: 'ConfigMap', namespace: 'ns' }),
    timeline,
    project: setup.project ?? (({ data }) => data?.['x'] ?? ''),
    handler: (event) => {
      events.push(event);
      setup.handler?.(event);
    },
    observe: setup.observe ?? (() => undefined),
    log: { debug: say, info: say, warn: say, error: say },
    random: () => 0,
  });
  const controller = new AbortController();
  const running = informer.run(controller.signal);
  t.after(async () => {
    controller.abort();
    await running;
  });
  await settle();
  return { events, logged, script };
}

/** An event in short. */
function short(event: InformerEvent<string>): string {
  if (event.type === 'synced') return 'synced';
  const span = `${event.span.from}..${event.span.to}`;
  if (event.type === 'absent') return `${event.key} absent ${span}`;
  const { isInInitialList, isRelisted } = event;
  const marks = [isInInitialList && ' initial', isRelisted && ' relisted']
    .filter((mark) => mark !== false)
    .join('');
  return `${event.key} = ${event.object} ${span}${marks}`;
}

const cm = (name: string, version: string, x = ''): object => configMap(name, version, { x });

test('the first list is told as such, then that it is complete, then what changes', async (t) => {
  const { events } = await informed(t, [
    listOf('20', [cm('a', '11', 'A'), cm('b', '12', 'B')]),
    openWatchOf(
      line('MODIFIED', cm('a', '21', 'A2')),
      line('ADDED', cm('c', '23')),
      line('DELETED', cm('b', '25')),
    ),
  ]);
  assert.deepEqual(events.map(short), [
    `ns/ConfigMap/a = A ${NEVER}..11 initial`,
    `ns/ConfigMap/b = B ${NEVER}..12 initial`,
    'synced',
    'ns/ConfigMap/a = A2 20..21',
    'ns/ConfigMap/c =  22..23',
    'ns/ConfigMap/b absent 24..25',
  ]);
});

test('a relist tells what differs, since the last sign of life, and what is gone', async (t) => {
  const { events } = await informed(t, [
    listOf('20', [cm('same', '11'), cm('changed', '12'), cm('gone', '13')]),
    watchOf(bookmark('30'), GONE),
    listOf('40', [cm('same', '11'), cm('changed', '35'), cm('new', '36')]),
    openWatchOf(),
  ]);
  assert.deepEqual(events.slice(4).map(short), [
    'ns/ConfigMap/changed =  30..35 relisted',
    'ns/ConfigMap/new =  30..36 relisted',
    'ns/ConfigMap/gone absent 30..40',
    'synced',
  ]);
});

test('an object older than before tells that versions went back, though the list is not older; it is not told', async (t) => {
  let turns = 0;
  const answers = [
    listOf('1000', [cm('a', '990', 'A'), cm('b', '100')]),
    watchOf(GONE),
    listOf('1005', [cm('a', '700', 'A0'), cm('b', '100')]),
    openWatchOf(),
  ];
  const observe = ({ type }: StreamNews): void => {
    if (type === 'turned-back') turns += 1;
  };
  const { events } = await informed(t, answers, { observe });
  assert.deepEqual(events.slice(3).map(short), ['synced']);
  assert.equal(turns, 1);
});

test('where versions do not compare, spans follow the order of arrival', async (t) => {
  const { events } = await informed(
    t,
    [
      listOf('20', [cm('a', '11')]),
      watchOf(line('MODIFIED', cm('a', '21')), GONE),
      listOf('40', [cm('a', '35')]),
      openWatchOf(),
    ],
    { comparable: false },
  );
  const spans = events.flatMap((event) => (event.type === 'synced' ? [] : [event.span]));
  const [first, changed, relisted] = spans;
  assert.ok(first && changed && relisted);
  assert.equal(first.from, NEVER);
  assert.ok(first.to < changed.from && changed.from < changed.to, 'a change lies after the list');
  assert.ok(changed.to < relisted.from && relisted.from < relisted.to, 'and a relist after the change');
});

test('what a list that had to begin anew no longer shows is gone', async (t) => {
  const { events } = await informed(t, [
    listOf('20', [cm('a', '11'), cm('b', '12')], 'more'),
    refused(410),
    listOf('30', [cm('b', '12'), cm('c', '21')]),
    openWatchOf(),
  ]);
  assert.deepEqual(events.map(short), [
    `ns/ConfigMap/a =  ${NEVER}..11 initial`,
    `ns/ConfigMap/b =  ${NEVER}..12 initial`,
    `ns/ConfigMap/c =  ${NEVER}..21 initial`,
    `ns/ConfigMap/a absent ${NEVER}..30`,
    'synced',
  ]);
});

test('the version that is known is not told again', async (t) => {
  const { events } = await informed(t, [
    listOf('20', [cm('a', '11')]),
    openWatchOf(
      line('ADDED', cm('a', '11')),
      line('MODIFIED', cm('a', '21')),
      line('MODIFIED', cm('a', '21')),
    ),
  ]);
  assert.deepEqual(events.slice(2).map(short), ['ns/ConfigMap/a =  20..21']);
});

test('an object that comes back after it was deleted is told', async (t) => {
  const { events } = await informed(t, [
    listOf('20', [cm('a', '11')]),
    openWatchOf(line('DELETED', cm('a', '21')), line('ADDED', cm('a', '22'))),
  ]);
  assert.deepEqual(events.slice(2).map(short), ['ns/ConfigMap/a absent 20..21', 'ns/ConfigMap/a =  21..22']);
});

test('what is gone is told once', async (t) => {
  const { events } = await informed(t, [
    listOf('20', [cm('a', '11')]),
    watchOf(line('DELETED', cm('a', '21')), GONE),
    listOf('30', []),
    openWatchOf(),
  ]);
  assert.deepEqual(events.slice(2).map(short), ['ns/ConfigMap/a absent 20..21', 'synced']);
});

test("a handler's exception is logged, and the stream goes on", async (t) => {
  const { events, logged } = await informed(
    t,
    [listOf('20', [cm('a', '11'), cm('b', '12')]), openWatchOf(line('ADDED', cm('c', '21')))],
    {
      handler: () => {
        throw new Error('a bug');
      },
    },
  );
  assert.equal(events.length, 4);
  assert.equal(
    logged.filter((text) => text.startsWith('a handler failed') && text.includes('a bug')).length,
    4,
  );
});

test("an observer's exception is logged, and the stream goes on", async (t) => {
  const fail = (): never => {
    throw new Error('a bug');
  };
  const { events, script } = await informed(
    t,
    [
      listOf('20', [cm('a', '11')]),
      watchOf(line('ADDED', cm('c', '21')), GONE),
      listOf('30', []),
      openWatchOf(),
    ],
    { observe: fail, handler: fail },
  );
  assert.deepEqual(
    events.map(({ type }) => type),
    ['present', 'synced', 'present', 'absent', 'absent', 'synced'],
  );
  assert.equal(script.left(), 0);
});

test('an object that cannot be read is named, not quoted, and the others go on', async (t) => {
  const project = ({ metadata, data }: RawConfigObject): string => {
    if (data?.['x'] === 'hunter2') throw new Error(`cannot read ${data['x']}`);
    return metadata.name;
  };
  const { events, logged } = await informed(
    t,
    [
      listOf('20', [cm('a', '11', 'fine'), cm('b', '12', 'hunter2'), cm('c', '13')]),
      watchOf(line('MODIFIED', cm('a', '21', 'hunter2')), GONE),
      listOf('30', [cm('a', '21', 'hunter2'), cm('c', '13')]),
      openWatchOf(line('MODIFIED', cm('a', '31', 'fine'))),
    ],
    { project },
  );
  assert.deepEqual(events.map(short), [
    `ns/ConfigMap/a = a ${NEVER}..11 initial`,
    `ns/ConfigMap/c = c ${NEVER}..13 initial`,
    'synced',
    'synced',
    'ns/ConfigMap/a = a 30..31',
  ]);
  assert.ok(logged.some((text) => text.includes('ns/ConfigMap/b')));
  assert.ok(!logged.join().includes('hunter2'));
});
