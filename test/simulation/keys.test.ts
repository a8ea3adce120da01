/** Pods that read single keys: what else changes of an object is nothing to them, and what they read may change with their template. */

import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import { type Step, wait } from './history.ts';

const API = 'Deployment/api';
const TOUCH: Step = { do: 'touch', config: C };
const MORE: Step = { do: 'read', workload: WEB, more: true };
const LESS: Step = { do: 'read', workload: WEB, more: false };
const SETTLED = wait(60_000);
const noCommit = failing('patch', 3);
/** The look outside the stream, by which keys are told apart, fails. */
const noLook = failing('list', 2);
const refuse = (status: 0 | 403): Step => ({ do: 'refuse', workload: WEB, status });
const REFUSED: readonly Step[] = [refuse(403), change('B'), SETTLED];
const ACCEPTED: readonly Step[] = [wait(30_000), refuse(0), wait(400_000)];
const DELETED: Step = { do: 'delete', config: C };
const ALSO_API: Step = { do: 'create-workload', workload: API, follows: [C], replicas: 1 };

function failing(verb: 'patch' | 'list', times: number): Step {
  const match = { verb, resource: 'configmaps' };
  return { do: 'fault', rule: { match, times, effect: { kind: 'status', code: 500 } } };
}

function keyScoped(value: string | null, workload = WEB): Step {
  return { do: 'annotate', workload, annotations: { 'reloader.k8s.collaborne.com/key-scoped': value } };
}

const NOISY = { keys: { scoped: true, noise: true } };
const ASKED = { keys: { scoped: false, noise: false } };

const CASES: Readonly<Record<string, Case>> = {
  'another key rolls nothing, also while no process runs': {
    settings: NOISY,
    steps: [TOUCH, SETTLED, crash(20_000), TOUCH, SETTLED],
    rollouts: { [WEB]: 0 },
    reads: 'A',
  },
  'the key that is read rolls once, whatever else changes in the window': {
    settings: NOISY,
    steps: [TOUCH, change('B'), wait(1000), TOUCH, SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a change in the absence of a process is rolled by the next one': {
    settings: NOISY,
    steps: [crash(20_000), TOUCH, change('B'), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a change back within the window rolls nothing': {
    settings: NOISY,
    steps: [change('B'), wait(1000), TOUCH, change('A'), SETTLED],
    rollouts: { [WEB]: 0 },
    reads: 'A',
  },
  'to read one key more rolls nothing, and nothing is lost by it': {
    settings: NOISY,
    steps: [MORE, SETTLED, crash(1000), SETTLED, LESS, SETTLED, change('B'), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'what is owed as the template reads one key more is brought by its owner': {
    settings: NOISY,
    steps: [change('B'), wait(1000), MORE, SETTLED],
    rollouts: { [WEB]: 0 },
    reads: 'B',
  },
  'where versions do not compare it is rolled once more': {
    settings: { ...NOISY, versions: 'per-kind' },
    steps: [change('B'), wait(1000), MORE, SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'what is refused as the template reads one key more is not forgotten by a death': {
    settings: { ...NOISY, versions: 'per-kind' },
    steps: [
      { do: 'refuse', workload: WEB, status: 403 },
      change('B'),
      wait(10_000),
      MORE,
      wait(1000),
      crash(1000),
      wait(30_000),
      { do: 'refuse', workload: WEB, status: 0 },
      wait(400_000),
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a template that reads one key more while no process runs, before the content changes': {
    settings: NOISY,
    steps: [crash(30_000), MORE, wait(5000), change('B'), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a template that reads one key more while no process runs rolls nothing': {
    settings: NOISY,
    steps: [crash(30_000), MORE, TOUCH, SETTLED],
    rollouts: { [WEB]: 0 },
    reads: 'A',
  },
  'a commit that fails while another key is read loses nothing': {
    settings: { ...NOISY, versions: 'per-kind' },
    steps: [change('B'), wait(1000), noCommit, MORE, wait(500), crash(1000), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'who is rolled for keys from now on owes what it owed': {
    settings: ASKED,
    workloads: following(WEB, API),
    steps: [change('B'), wait(1000), keyScoped('true'), SETTLED],
    rollouts: { [WEB]: 1, [API]: 1 },
    reads: 'B',
  },
  'and who is rolled for whole objects again': {
    settings: ASKED,
    steps: [
      keyScoped('true'),
      SETTLED,
      change('B'),
      wait(1000),
      keyScoped('false'),
      wait(1000),
      crash(1000),
      SETTLED,
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'to go over to keys and back rolls nothing, also while no process runs': {
    settings: ASKED,
    steps: [
      keyScoped('true'),
      SETTLED,
      crash(20_000),
      keyScoped('false'),
      SETTLED,
      crash(20_000),
      keyScoped('true'),
      SETTLED,
    ],
    rollouts: { [WEB]: 0 },
    reads: 'A',
  },
  'what is owed as keys cannot be told apart yet is not forgotten by a death': {
    settings: ASKED,
    steps: [change('B'), wait(1000), noLook, keyScoped('true'), wait(100), crash(1000), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'what is refused as keys cannot be told apart yet is not forgotten by a death': {
    settings: { ...ASKED, versions: 'per-kind' },
    steps: [...REFUSED, noLook, keyScoped('true'), wait(100), crash(1000), ...ACCEPTED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'a change before keys can be told apart is rolled': {
    settings: ASKED,
    steps: [noLook, keyScoped('true'), wait(300), change('B'), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'who is rolled for keys while the object is away knows what its pods run after a death': {
    settings: ASKED,
    steps: [
      DELETED,
      wait(5000),
      keyScoped('true'),
      wait(5000),
      crash(1000),
      wait(5000),
      change('B'),
      SETTLED,
    ],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'and so does one that is while no process runs': {
    settings: ASKED,
    steps: [wait(5000), crash(20_000), DELETED, keyScoped('true'), wait(30_000), change('B'), SETTLED],
    rollouts: { [WEB]: 1 },
    reads: 'B',
  },
  'what was refused of the whole is owed of keys that others have in force': {
    settings: { ...ASKED, versions: 'per-kind' },
    workloads: following(WEB, API),
    steps: [keyScoped('true', API), SETTLED, ...REFUSED, crash(20_000), keyScoped('true'), ...ACCEPTED],
    rollouts: { [WEB]: 1, [API]: 1 },
    reads: 'B',
  },
  'what was refused of keys is owed of the whole that others have in force': {
    settings: { ...ASKED, versions: 'per-kind' },
    workloads: following(WEB, API),
    steps: [keyScoped('true'), SETTLED, ...REFUSED, crash(20_000), keyScoped(null), ...ACCEPTED],
    rollouts: { [WEB]: 1, [API]: 1 },
    reads: 'B',
  },
  'a stamp of keys says nothing of the whole, whatever its number': {
    settings: ASKED,
    steps: [
      ...[keyScoped('true'), change('B'), change('A')].flatMap((step) => [step, SETTLED]),
      ...[ALSO_API, SETTLED, crash(20_000), keyScoped('false'), SETTLED],
    ],
    rollouts: { [WEB]: 2 },
    reads: 'A',
  },
};

testCases(CASES);
