import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { WATCH_ENDS } from '../../../lib/model/health.ts';
import { REASONS, type Reason } from '../../../lib/model/reasons.ts';
import type { ChangeStatus, StatusReport } from '../../../lib/model/status-report.ts';
import { findOf, STATUS_PAGE_HEADERS, statusPage } from '../../../lib/telemetry/status-page.ts';
import { timeWords } from '../../../lib/telemetry/status-page-parts.ts';
import type { About } from '../../../lib/telemetry/status-view.ts';
import { change, current, NOW, outdated, outdatedWorkload, report, wait, workload } from './reports.ts';

const ABOUT: About = {
  version: '1.2.3',
  namespaces: ['default'],
  state: 'default/reloader-state',
  isDryRun: false,
};
function pageOf(parts: Partial<StatusReport> = {}, query = '', about: Partial<About> = {}): string {
  return statusPage({
    find: findOf(query),
    about: { ...ABOUT, ...about },
    report: report(parts),
    now: NOW,
  });
}

const ENTITIES: Readonly<Record<string, string>> = {
  quot: '"',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  rarr: '→',
};

/** What a person reads of it. */
function textOf(page: string): string {
  return page
    .replace(/<(style|script)>.*?<\/\1>/gs, '')
    .replaceAll('<wbr>', '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/\s+/g, ' ')
    .replace(/ ([.;])/g, '$1');
}

/** The content of the only `<tag>` of the page. */
function only(page: string, tag: string): string {
  const found = [...page.matchAll(new RegExp(`<${tag}>(.*?)</${tag}>`, 'gs'))];
  assert.equal(found.length, 1, tag);
  return found[0]?.[1] ?? '';
}

const FULL: Partial<StatusReport> = {
  changes: [change('staged')],
  workloads: [
    workload('calm', { follows: [current('ConfigMap/calm'), current('Secret/tls')] }),
    outdatedWorkload('new', 3.9),
    outdatedWorkload('old', 7500, {
      follows: [
        outdated('ConfigMap/old', { runningDigest: '?', why: 'unknown' }),
        outdated('Secret/x', { why: 'unknown' }),
      ],
      state: 'refused',
      waiting: wait('refused', 'denied by "guard"', 200.2),
    }),
    outdatedWorkload('next', 1, { waiting: wait('queued', 'it is next') }),
    workload('odd', { findings: [{ reason: 'malformed', about: '', message: 'A,,B is no list of names.' }] }),
  ],
  decisions: [
    {
      time: '2026-11-21T09:30:04.999Z',
      level: 'info',
      reason: 'changed',
      message: 'now',
      namespace: 'default',
    },
    { time: '2026-11-20T23:59:59.000Z', level: 'warn', reason: 'refused', message: 'then' },
  ],
  watches: [
    {
      stream: 'ConfigMap',
      isUp: true,
      sinceSeconds: 61,
      lastSignOfLifeSeconds: 2,
      restarts: 2,
      lastReason: 'expired',
    },
    { stream: 'Secret', isUp: false, sinceSeconds: 5, restarts: 0, problem: 'secrets is forbidden' },
  ],
};

describe('the first sentence', () => {
  const cases: Record<string, [Partial<StatusReport>, RegExp]> = {
    'says what is awaited': [
      { isReady: false, waitingFor: ['the list of Secret', 'the list of ConfigMap'] },
      /Not ready: waiting for the list of Secret, the list of ConfigMap\./,
    ],
    'names three of what is awaited': [
      { isReady: false, waitingFor: ['a', 'b', 'c', 'd', 'e'] },
      /waiting for a, b, c and 2 more\./,
    ],
    'says that nothing follows anything, and what to do': [
      {},
      /Nothing follows anything yet\..*kubectl annotate/,
    ],
    'does not count those that follow nothing': [
      {
        workloads: [
          workload('a', { follows: [], findings: [{ reason: 'malformed', about: '', message: '' }] }),
        ],
      },
      /Nothing follows anything yet\. No watch is open yet\./,
    ],
    'says that all is well': [{ workloads: [workload('a')] }, /Every workload is up to date\. /],
    'counts one outdated workload': [
      { workloads: [outdatedWorkload('a', 5)] },
      /1 workload needs a rollout: 1 waiting\./,
    ],
    'says what fails although it is up to date': [
      { workloads: [workload('a', { state: 'failing' }), workload('b')] },
      /0 workloads need a rollout: 1 failing, 1 healthy\..*Out of date or failing 1 .*Deployment\/a default failing ConfigMap\/a aaaa… Its pods did not get ready\..* Up to date 1 .*Deployment\/b/,
    ],
    'counts several outdated workloads and those that failed': [
      FULL,
      /3 workloads need a rollout: 1 refused, 2 waiting, 2 healthy\. 1 of 2 watches is down\. As of 09:30:05 UTC\./,
    ],
  };
  for (const [name, [parts, want]] of Object.entries(cases)) {
    test(name, () => assert.match(textOf(pageOf(parts)), want));
  }
});

describe('the page says', () => {
  const text = textOf(pageOf(FULL));
  const cases: Record<string, RegExp> = {
    'which workloads are out of date, for how long, why and until when, the oldest first':
      /Out of date or failing 3 .*Deployment\/old default refused 2.h 5.min ConfigMap\/old pods run unknown → , current is bbbb… what the pods read is not known Secret\/x .* what the pods read is not known denied by "guard" refused Next look in 3.min 21.s\. Deployment\/new default waiting 3.s ConfigMap\/new pods run aaaa… → , current is bbbb… the content changed it is rolled soon quiet Next look in 4.s\. Deployment\/next default waiting 1.s .* it is next queued /,
    'what is worth a look':
      /Worth a look 1 .*Deployment\/odd default A,,B is no list of names\. malformed ConfigMap\/odd aaaa…/,
    'what follows what':
      /Up to date 1 Workload Follows Deployment\/calm default ConfigMap\/calm aaaa… Secret\/tls aaaa…/,
    'the last decisions, with the date where it is another day':
      /Last decisions 2 .*09:30:04 changed now default 2026-11-20 23:59:59 refused then Watches/,
    'how the watches fare, what is down first':
      /Watches 2 .*Secret down for 5.s secrets is forbidden none yet never ConfigMap open for 1.min 1.s 2.s ago 2 times, last: expired/,
    'what it runs as': /Version 1\.2\.3 watches namespace default\. .*ConfigMap default\/reloader-state/,
  };
  for (const [name, want] of Object.entries(cases)) test(name, () => assert.match(text, want));

  const rows: Record<string, [Partial<ChangeStatus>, RegExp]> = {
    'how far a change in stages has come, who is not ready and why': [
      {},
      /Changes in progress 1 .*ConfigMap\/ca default Stage 2 of 4: 20 of 200 begun, 17 ready\. Deployment\/slow its pods are not ready yet and 2 more /,
    ],
    'why a change is halted': [
      { halted: 'ConfigMap/ca is halted' },
      /17 ready\. ConfigMap\/ca is halted Deployment\/slow/,
    ],
  };
  for (const [name, [parts, want]] of Object.entries(rows))
    test(name, () => assert.match(textOf(pageOf({ changes: [change('ca', parts)] })), want));

  test('which namespaces it watches, in which cluster', () => {
    const several = textOf(pageOf(FULL, '', { namespaces: ['a', 'b'], clusterName: 'eu' }));
    assert.match(several, /eu · kubernetes-reloader .*kubernetes-reloader eu .*watches namespaces a, b\. /);
  });

  test('what the reasons on it mean, each once', () => {
    assert.equal(text.split(REASONS.malformed).length, 2);
    assert.equal(text.split(REASONS.refused).length, 2);
    assert.ok(!text.includes(REASONS.gone));
  });

  test('what does not exist yet, what is gone, and what is being recorded', () => {
    const follows = [
      { ...current('ConfigMap/a'), observed: undefined, committed: undefined },
      { ...current('ConfigMap/b'), observed: undefined },
      { ...current('ConfigMap/c'), observed: 'bbbb…' },
    ];
    assert.match(
      textOf(pageOf({ workloads: [workload('w', { follows })] })),
      /ConfigMap\/a does not exist yet ConfigMap\/b is gone; nothing is rolled until it returns ConfigMap\/c bbbb… being recorded/,
    );
  });

  test('why a change of something that is followed would roll nothing', () => {
    const policy = { asks: false, because: 'excluded' } as const;
    const follows = [{ ...current('ConfigMap/a'), policy }];
    assert.match(
      textOf(pageOf({ workloads: [workload('w', { follows })] })),
      /ConfigMap\/a is not asked for: an annotation of the workload excludes the object/,
    );
  });

  test('that a dry run writes nothing, and only then', () => {
    assert.match(textOf(pageOf({}, '', { isDryRun: true })), /Dry run: .* nothing is written/);
    assert.doesNotMatch(text, /Dry run/);
  });

  test('long addresses so that they can be broken after a slash', () => {
    const findings = [{ reason: 'malformed', about: '', message: 'a.b/c/<d' }] as const;
    const page = pageOf({ workloads: [workload('w', { findings })] });
    assert.ok(page.includes('a.b/<wbr>c/<wbr>&lt;d'));
  });

  test('a word for every reason and every end of a watch', () => {
    for (const reason of Object.keys(REASONS) as Reason[]) {
      const decisions = [{ time: NOW.toISOString(), level: 'info', reason, message: 'm' }] as const;
      assert.ok(textOf(pageOf({ decisions })).includes(` ${reason} `), reason);
    }
    for (const lastReason of WATCH_ENDS) {
      const watches = [{ stream: 'S', isUp: true, sinceSeconds: 1, restarts: 1, lastReason }];
      assert.match(textOf(pageOf({ watches })), /once, last: [a-z]{2}/, lastReason);
    }
  });
});

describe('the query', () => {
  test('finds workloads, says so, and stays in the field', () => {
    const page = pageOf(FULL, 'find=+calm%20');
    assert.match(textOf(page), /Only what contains “calm”: 1 workload\. Show everything/);
    assert.match(page, /<input [^>]*name="find"[^>]* value="calm"/);
    assert.doesNotMatch(textOf(page), /Deployment\/old/);
    assert.match(textOf(page), /3 workloads need a rollout/);
  });
});

describe('whatever it is made of, the page', () => {
  const evil = `"><img src=x onerror=alert(1)><script>'&`;
  const hostile: Partial<StatusReport> = {
    isReady: false,
    waitingFor: [evil],
    workloads: [
      workload(evil, {
        namespace: evil,
        findings: [{ reason: 'malformed', about: '', message: evil }],
        follows: [current(evil, evil)],
      }),
      outdatedWorkload(evil, 1, {
        namespace: `${evil}1`,
        waiting: wait(evil, evil),
        follows: [outdated(evil, { runningDigest: evil, observed: evil })],
      }),
      workload(evil, { namespace: `${evil}2` }),
    ],
    changes: [
      change(evil, {
        namespace: evil,
        unready: [{ workload: evil, why: evil }],
        halted: evil,
      }),
    ],
    decisions: [{ time: evil, level: 'warn', reason: 'refused', message: evil, namespace: evil }],
    watches: [{ stream: evil, isUp: false, sinceSeconds: 1, restarts: 1, problem: evil }],
  };
  const about = { version: evil, namespaces: [evil], state: evil, isDryRun: true, clusterName: evil };
  const pages: Record<string, string> = {
    'of nothing': pageOf(),
    'of everything': pageOf(FULL),
    'of hostile texts': pageOf(hostile, `find=${encodeURIComponent(evil)}`, about),
  };
  for (const [name, page] of Object.entries(pages)) {
    const body = page.replace(/<(style|script)>.*?<\/\1>/gs, '');

    test(`${name} holds only our own elements, all of them closed`, () => {
      const open: string[] = [];
      for (const [, slash, tag = ''] of body.matchAll(/<(\/?)([a-z][a-z0-9]*)/gi)) {
        if (['meta', 'link', 'input', 'br', 'wbr'].includes(tag)) continue;
        assert.notEqual(tag, 'img');
        if (slash === '') open.push(tag);
        else assert.equal(open.pop(), tag);
      }
      assert.deepEqual(open, []);
    });

    test(`${name} has no attribute that runs or styles, and every id once`, () => {
      const attributes = [...body.matchAll(/<[a-z][^<>]*>/gi)].flatMap(([tag]) =>
        [...tag.replace(/"[^"]*"/g, '""').matchAll(/\s([a-z-]+)(?==""|[\s>])/g)].map(
          ([, attribute]) => attribute,
        ),
      );
      assert.ok(attributes.includes('id'));
      assert.deepEqual(
        attributes.filter((attribute) => attribute === 'style' || attribute?.startsWith('on')),
        [],
      );
      const ids = [...body.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => id);
      assert.deepEqual(ids, [...new Set(ids)]);
    });

    test(`${name} needs nothing from elsewhere`, () => {
      const addresses = [...body.matchAll(/\s(?:href|src|action|srcset)="([^"]*)"/g)].map(
        ([, address = '']) => address,
      );
      const foreign = addresses.filter((address) => !/^(data:image\/svg|\?|[a-z.]+$)/.test(address));
      assert.deepEqual(foreign, []);
      assert.doesNotMatch(only(page, 'style'), /url\(|@import/);
    });

    test(`${name} runs and is styled by what its policy names`, () => {
      const policy = STATUS_PAGE_HEADERS['content-security-policy'] ?? '';
      for (const tag of ['style', 'script']) {
        const hash = createHash('sha256').update(only(page, tag)).digest('base64');
        assert.ok(policy.includes(`${tag}-src 'sha256-${hash}';`), tag);
      }
      assert.match(policy, /^default-src 'none';/);
      assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    });
  }

  test('of hostile texts shows them as they are', () => {
    const shown = pages['of hostile texts']?.split(
      '&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&lt;script&gt;&#39;&amp;',
    );
    assert.ok((shown?.length ?? 0) > 20);
  });
});

describe('ten thousand workloads', () => {
  const follows = Array.from({ length: 30 }, (_, i) => current(`ConfigMap/c${i}`));
  const workloads = Array.from({ length: 10_000 }, (_, i) =>
    i % 2 === 0
      ? workload(`w${i}`, { follows })
      : outdatedWorkload(`w${i}`, i, { follows: [...follows, outdated('Secret/s')] }),
  );
  const page = pageOf({ workloads });

  test('make a page of bounded size that says what it leaves out', () => {
    assert.ok(page.length < 500_000, `${page.length}`);
    assert.match(textOf(page), /Out of date or failing 5,000 .* 4,900 more are not shown/);
    assert.match(textOf(page), /Up to date 5,000 .* 4,900 more are not shown/);
  });

  test('show outdated workloads before the rest, also within a row', () => {
    assert.ok(page.indexOf('Deployment/w9999') < page.indexOf('Deployment/w0<'));
    assert.match(
      textOf(page),
      /Deployment\/w9999 default [^.]*? Secret\/s pods run .* ConfigMap\/c0 .* and 19 more/,
    );
  });
});

describe('a duration reads', () => {
  const cases: [number, boolean, string][] = [
    [0, false, '0 s'],
    [0.9, false, '0 s'],
    [59.9, false, '59 s'],
    [60, false, '1 min'],
    [192, false, '3 min 12 s'],
    [3600, false, '1 h'],
    [3605, false, '1 h'],
    [7500, false, '2 h 5 min'],
    [266_400, false, '3 d 2 h'],
    [-1, false, '0 s'],
    [0, true, 'now'],
    [-3, true, 'now'],
    [0.1, true, 'in 1 s'],
    [59.5, true, 'in 1 min'],
    [61, true, 'in 1 min 1 s'],
  ];
  for (const [seconds, isCountdown, want] of cases) {
    test(`${want} for ${seconds}${isCountdown ? ' to come' : ''}`, () => {
      assert.equal(timeWords(seconds, isCountdown).replaceAll('\u00a0', ' '), want);
    });
  }
});
