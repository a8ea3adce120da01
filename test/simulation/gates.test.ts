/** Holds, reload windows and approvals: what they keep is neither lost nor rolled for nothing, over deaths, reverts and other changes. */

import assert from 'node:assert/strict';
import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';
import { factsOf } from './timeline.ts';

const PREFIX = 'reloader.k8s.collaborne.com';
const OTHER = 'Deployment/other';

/** The workload is held from now on, or is not any more. */
function hold(value: 'true' | null, workload = WEB): Step {
  return { do: 'annotate', workload, annotations: { [`${PREFIX}/hold`]: value } };
}

/** The times at which it may be rolled. */
function window(text: string | null): Step {
  return { do: 'annotate', workload: WEB, annotations: { [`${PREFIX}/reload-window`]: text } };
}

/** Each rollout needs an approval from now on. */
function requireApproval(value: 'required' | null = 'required', workload = WEB): Step {
  return { do: 'annotate', workload, annotations: { [`${PREFIX}/approval`]: value } };
}

/** The namespace has the annotation from now on, or not any more. */
function annotateNamespace(word: string, value: string | null): Step {
  return { do: 'annotate-namespace', annotations: { [`${PREFIX}/${word}`]: value } };
}

/** A person does what the last Event that wants an approval says. */
const APPROVE: Step = { do: 'approve', workload: WEB };

function notifyOnly(value: 'true' | null): Step {
  return { do: 'annotate', workload: WEB, annotations: { [`${PREFIX}/notify-only`]: value } };
}

/** The reloader dies at its next write, which takes effect or not. */
function dyingAtWrite(effect: 'before' | 'after'): Step {
  return { do: 'crash', slot: 0, atWrite: 1, effect, downtimeMs: 1000 };
}

/** What is approved, and dies at its first write from then on. */
function dyingWhileApproved(effect: 'before' | 'after'): readonly Step[] {
  return [
    requireApproval(),
    wait(10_000),
    change('B'),
    wait(60_000),
    dyingAtWrite(effect),
    APPROVE,
    wait(120_000),
    change('C'),
    wait(120_000),
  ];
}

/** Open in the first minute of every third hour: never in the time of a history, unless that waits for it. */
const RARELY = '30 */3 * * * 1m';

const CASES: Readonly<Record<string, Case>> = {
  'what changed in a hold is one rollout at its end': {
    steps: [hold('true'), wait(10_000), change('B'), wait(120_000), change('C'), wait(120_000), hold(null)],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
  'a death in a hold loses nothing and rolls nothing': {
    workloads: following(WEB, OTHER),
    steps: [
      hold('true'),
      wait(10_000),
      change('B'),
      wait(60_000),
      crash(),
      wait(60_000),
      crash(),
      wait(60_000),
      hold(null),
    ],
    rollouts: { [WEB]: 1, [OTHER]: 1 },
    reads: 'B',
  },
  'a hold that is taken away while no reloader runs': {
    steps: [hold('true'), wait(10_000), change('B'), wait(60_000), crash(60_000), hold(null), wait(120_000)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'what is taken back in a hold rolls nothing, also over a death': {
    steps: [
      hold('true'),
      wait(10_000),
      change('B'),
      wait(60_000),
      change('A'),
      wait(10_000),
      crash(),
      wait(60_000),
      hold(null),
    ],
    rollouts: { [WEB]: 0 },
    reads: 'A',
  },
  'a release of its owner in a hold brings the change: nothing is left to roll': {
    steps: [
      hold('true'),
      wait(10_000),
      change('B'),
      wait(60_000),
      { do: 'apply', workload: WEB },
      wait(120_000),
      hold(null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'a window that is closed keeps a change, and one that is taken away lets it go': {
    steps: [window(RARELY), wait(10_000), change('B'), wait(300_000), crash(), wait(60_000), window(null)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'what is not approved is not rolled, over a death, and what is, once': {
    workloads: following(WEB, OTHER),
    steps: [
      requireApproval(),
      wait(10_000),
      change('B'),
      wait(120_000),
      crash(),
      wait(120_000),
      APPROVE,
      wait(60_000),
    ],
    rollouts: { [WEB]: 1, [OTHER]: 1 },
    reads: 'B',
  },
  'an approval of one content is none of the next': {
    steps: [
      requireApproval(),
      wait(10_000),
      change('B'),
      wait(60_000),
      change('C'),
      APPROVE,
      wait(120_000),
      change('B'),
      wait(120_000),
      APPROVE,
      wait(60_000),
      change('C'),
      wait(120_000),
    ],
    rollouts: { [WEB]: 2 },
    reads: 'C',
  },
  'an approval is used up: the same content needs another one': {
    steps: [
      requireApproval(),
      wait(10_000),
      change('B'),
      wait(60_000),
      APPROVE,
      wait(60_000),
      change('A'),
      wait(60_000),
      APPROVE,
      wait(60_000),
      change('B'),
      wait(120_000),
      requireApproval(null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 3 },
    reads: 'B',
  },
  'a death before the patch that uses an approval loses neither': {
    steps: dyingWhileApproved('before'),
    rollouts: { [WEB]: 2 },
    reads: 'C',
  },
  'a death after it uses it up all the same': {
    steps: dyingWhileApproved('after'),
    rollouts: { [WEB]: 2 },
    reads: 'C',
  },
  'notify-only rolls nothing, and what an owner brings meanwhile is not rolled afterwards': {
    steps: [
      notifyOnly('true'),
      wait(10_000),
      change('B'),
      wait(120_000),
      crash(),
      wait(60_000),
      { do: 'restart', workload: WEB },
      wait(120_000),
      notifyOnly(null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'a hold of the namespace lasts over a death, and what changed in it is one rollout': {
    settings: { selected: true },
    workloads: following(WEB, OTHER),
    steps: [
      annotateNamespace('hold', 'true'),
      wait(10_000),
      change('B'),
      wait(120_000),
      crash(),
      wait(120_000),
      change('C'),
      wait(120_000),
      annotateNamespace('hold', null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 1, [OTHER]: 1 },
    reads: 'C',
  },
  'a hold of the namespace is known before anything is rolled after a start, although its list is late': {
    settings: { selected: true },
    steps: [
      annotateNamespace('hold', 'true'),
      wait(10_000),
      change('B'),
      wait(60_000),
      {
        do: 'fault',
        rule: {
          match: { verb: 'list', resource: 'namespaces' },
          times: 6,
          effect: { kind: 'status', code: 500 },
        },
      },
      crash(),
      wait(300_000),
    ],
    rollouts: { [WEB]: 0 },
    reads: 'A',
    inForce: 'B',
    isExcused: true,
  },
  'a hold of the namespace is known to who takes over': {
    settings: { selected: true, election: true },
    steps: [
      annotateNamespace('hold', 'true'),
      { do: 'start', slot: 1 },
      wait(30_000),
      change('B'),
      wait(60_000),
      crash(600_000),
      wait(120_000),
      annotateNamespace('hold', null),
      wait(60_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
    also: (trace) => {
      const [patch] = factsOf(trace, 'write').filter(({ to }) => to === WEB);
      assert.ok((patch?.ms ?? 0) > 210_000, 'not before the hold was taken away');
    },
  },
  'an approval that the namespace requires': {
    settings: { selected: true },
    steps: [
      annotateNamespace('approval', 'required'),
      wait(10_000),
      change('B'),
      wait(120_000),
      change('C'),
      APPROVE,
      wait(120_000),
      APPROVE,
      wait(60_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'C',
  },
  'a window opens by itself': {
    steps: [window('*/10 * * * * 1m'), wait(120_000), change('B'), wait(900_000)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
};

testCases(CASES);
