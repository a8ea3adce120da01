/** Holds and reload windows: what they keep is neither lost nor rolled for nothing, over deaths, reverts and other changes. */

import { type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

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
  'a window opens by itself': {
    steps: [window('*/10 * * * * 1m'), wait(120_000), change('B'), wait(900_000)],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
};

testCases(CASES);
