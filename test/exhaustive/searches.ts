/** The searches: which part of everything that may happen, from where. The tests look at some states of each. */

import { atRest, untouched } from './beginnings.ts';
import { play } from './search.ts';
import { EVERYTHING, NOTHING_ELSE, type Scope } from './steps.ts';
import type { World } from './world.ts';

/** One search. */
export interface Search {
  readonly name: string;
  readonly scope: Scope;
  readonly begin: () => World | Promise<World>;
  /** Of all states that the tests look at, the part of this search; 0: the tests leave it to `npm run exhaustive`. */
  readonly share: number;
  /** Why it is not run at all. */
  readonly leftOut: string | undefined;
}

/** Why histories are left out; the README's limits say the same. */
export const COUNTERS_LIMIT =
  'a limit: where versions of different kinds cannot be compared, a stream is taken to be no later than its last sign of life';

/** A search, to be made once with comparable versions and once with those of several counters. */
interface Subject {
  readonly name: string;
  readonly scope: Partial<Scope>;
  readonly begin: (comparable: boolean) => World | Promise<World>;
  readonly share: number;
  /** With versions of several counters it runs into the limit. */
  readonly isLimitedIfNotComparable?: true;
}

const one = (comparable: boolean): World => atRest(comparable, false);
const inTerms = (comparable: boolean): World => atRest(comparable, false, 0);
const twoInTerms = (comparable: boolean): World => atRest(comparable, true, 0);
/** A leader has sent a patch, another process leads, and the content is what it was. */
const afterLatePatch = async (comparable: boolean): Promise<World> =>
  await after(inTerms(comparable), ['another process takes over', 'r becomes a', 'news of r arrive']);
/** A leader has rolled w1 and not w2, and has sent that to be written; another process leads and rolls w2. */
const afterLateWrite = async (comparable: boolean): Promise<World> =>
  await after(twoInTerms(comparable), [
    'the patch of w1 is in force',
    'the answer to the patch of w1 arrives',
    'the window of w2 ends',
    'the patch of w2 is refused',
    'a write of the state is sent',
    'another process takes over',
    'the window of w2 ends',
    'the patch of w2 is in force',
  ]);
/** A workload is dirty: its pods have read, or are about to read, what comes and goes. */
const whileRolling = async (comparable: boolean): Promise<World> =>
  await after(inTerms(comparable), [
    'the patch of w1 is in force',
    'the answer to the patch of w1 arrives',
    'r becomes a',
    'w1 replaces a pod',
  ]);
const SUBJECTS: readonly Subject[] = [
  { name: 'contents alone, three of them', scope: { contents: ['a', 'b', 'c'] }, begin: one, share: 0.1 },
  { name: 'refusals', scope: { refusals: true }, begin: atRest, share: 0.15 },
  { name: 'deaths', scope: { crashes: true, lostOptIns: true }, begin: one, share: 0.15 },
  { name: 'deaths and refusals', scope: { crashes: true, refusals: true }, begin: atRest, share: 0.1 },
  { name: 'a first start', scope: { crashes: true }, begin: untouched, share: 0.1 },
  { name: 'owners', scope: { owners: true, refusals: true }, begin: one, share: 0.1 },
  { name: 'owners and deaths', scope: { owners: true, crashes: true }, begin: one, share: 0.1 },
  {
    name: 'owners, lost answers and watches that are cut',
    scope: { owners: true, lostOptIns: true, relists: true },
    begin: one,
    share: 0.1,
  },
  {
    name: 'followers that come and go',
    scope: { following: true, refusals: true },
    begin: one,
    share: 0.1,
    isLimitedIfNotComparable: true,
  },
  {
    name: 'watches that are cut, and absence',
    scope: { relists: true, missingObject: true },
    begin: one,
    share: 0.1,
  },
  {
    name: 'take-overs: requests that arrive late, lost answers',
    scope: { takeOvers: true, lostOptIns: true },
    begin: inTerms,
    share: 0.1,
  },
  {
    name: 'take-overs after a late patch',
    scope: { takeOvers: true },
    begin: afterLatePatch,
    share: 0.1,
  },
  {
    name: 'take-overs after a late write, two workloads',
    scope: { takeOvers: true },
    begin: afterLateWrite,
    share: 0.12,
  },
  {
    name: 'take-overs from a leader that does not know',
    scope: { takeOvers: true, overlaps: true },
    begin: inTerms,
    share: 0.08,
  },
  {
    name: 'take-overs and a state that people label',
    scope: { takeOvers: true, labels: true },
    begin: whileRolling,
    share: 0.06,
  },
  {
    name: 'take-overs, two workloads: everything but owners and absence',
    scope: {
      ...{ takeOvers: true, overlaps: true, labels: true },
      ...{ refusals: true, crashes: true, lostOptIns: true },
    },
    begin: twoInTerms,
    share: 0,
  },
  {
    name: 'take-overs and owners',
    scope: { takeOvers: true, overlaps: true, owners: true },
    begin: inTerms,
    share: 0,
  },
  {
    name: 'two workloads: refusals, deaths and lost answers',
    scope: { refusals: true, crashes: true, lostOptIns: true },
    begin: atRest,
    share: 0,
  },
  {
    name: 'two workloads: owners, refusals and deaths',
    scope: { owners: true, refusals: true, crashes: true },
    begin: atRest,
    share: 0,
  },
  {
    name: 'two workloads: absence, cut watches, refusals and deaths',
    scope: { missingObject: true, relists: true, refusals: true, crashes: true },
    begin: atRest,
    share: 0,
  },
  {
    name: 'two workloads: everything but followers that come and go',
    scope: { ...EVERYTHING, following: false },
    begin: atRest,
    share: 0,
    isLimitedIfNotComparable: true,
  },
];

async function after(world: World, history: readonly string[]): Promise<World> {
  const scope = { ...NOTHING_ELSE, takeOvers: true, refusals: true };
  await play(world, scope, ['r becomes b', 'news of r arrive']);
  await play(world, scope, ['the window of w1 ends']);
  const marked = ['a write of the state is sent', 'the state is written', 'the window of w1 ends'];
  await play(world, scope, [...marked, ...history]);
  return world;
}

/** Every search. */
export const SEARCHES: readonly Search[] = SUBJECTS.flatMap((subject) =>
  [true, false].map((comparable) => ({
    name: `${subject.name}, versions ${comparable ? 'comparable' : 'of several counters'}`,
    scope: { ...NOTHING_ELSE, ...subject.scope },
    begin: () => subject.begin(comparable),
    share: subject.share / 2,
    leftOut: subject.isLimitedIfNotComparable === true && !comparable ? COUNTERS_LIMIT : undefined,
  })),
);

/** What a violation is told as. */
export function told({
  message,
  history,
}: {
  readonly message: string;
  readonly history: readonly string[];
}): string {
  return [message, ...history].join('\n  ');
}
