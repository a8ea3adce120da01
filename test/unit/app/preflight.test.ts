/** Which missing rights end the program and which do not, and how often the API server is asked for them. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { preflight } from '../../../lib/app/preflight.ts';
import type { ApiResponse, Send } from '../../../lib/kubernetes/transport.ts';
import type { Log } from '../../../lib/model/log.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import { type MockTime, stopTimers } from '../../mock-time.ts';
import { ok, refused, settle } from '../kubernetes/scripted-send.ts';

interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

type Refuses = (asked: Asked) => boolean;

const CONFIGS = ['configmaps', 'secrets'];
const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets'];
const isKey: Refuses = ({ name }) => name === 'reloader-state-key';
const isState: Refuses = ({ name, resource }) =>
  resource === 'configmaps' && name?.startsWith('reloader-state') === true;
const isWatched =
  (resources: readonly string[]): Refuses =>
  (asked) =>
    resources.includes(asked.resource) && !isState(asked) && !isKey(asked);

const SITUATIONS: Readonly<Record<string, readonly [Refuses, boolean]>> = {
  'without the state nothing can be done': [isState, false],
  'nor without any kind of object': [isWatched(CONFIGS), false],
  'nor without any kind of workload': [isWatched(WORKLOADS), false],
  'nor where no workload may be patched': [
    ({ verb, resource }) => verb === 'patch' && WORKLOADS.includes(resource),
    false,
  ],
  'one kind of object is enough': [isWatched(['secrets']), true],
  'one kind of workload is enough': [isWatched(['deployments', 'daemonsets']), true],
  'one namespace of two is enough': [(asked) => asked.namespace === 'two' && !isState(asked), true],
  'Events are a courtesy': [isWatched(['events']), true],
};

/** Whether the program may go on, and what it said, where the rights stay away for two minutes. */
async function outcomeOf(
  refuses: Refuses,
  throttles: (asked: Asked, second: number) => boolean = () => false,
  state: ApiResponse = refused(404),
  ...flags: readonly string[]
): Promise<{ mayGoOn: boolean | undefined; errors: string[]; warnings: string[] }> {
  const command = parseOptions(['--namespace', 'one,two', ...flags], {});
  assert.equal(command.type, 'run');
  const { options } = command;
  const errors: string[] = [];
  const warnings: string[] = [];
  const log: Log = {
    debug: assert.fail,
    info: assert.fail,
    warn: (text) => void warnings.push(text),
    error: (text) => void errors.push(text),
  };
  let second = 0;
  const send: Send = async ({ method, body = '' }) => {
    if (method === 'GET') return state;
    const asked: Asked = JSON.parse(body).spec.resourceAttributes;
    if (throttles(asked, second)) return refused(429, {}, { 'retry-after': '600' });
    return ok({ status: { allowed: !refuses(asked) } });
  };
  const place = { namespaces: ['one', 'two'], stateNamespace: 'one' };
  let mayGoOn: boolean | undefined;
  const { signal } = new AbortController();
  void preflight({ send, options, place, log }, () => true, signal).then((answer) => {
    mayGoOn = answer;
  });
  for (; second < 120 && mayGoOn === undefined; second += 1) {
    await settle();
    time.jolt();
    mock.timers.tick(1000);
  }
  return { mayGoOn, errors, warnings };
}

let time: MockTime;
beforeEach(() => {
  time = stopTimers(mock.timers);
});
afterEach(() => time.restore());

for (const [sentence, [refuses, mayGoOn]] of Object.entries(SITUATIONS)) {
  test(`of missing rights: ${sentence}`, async () => {
    const outcome = await outcomeOf(refuses);
    assert.equal(outcome.mayGoOn, mayGoOn);
    assert.ok(outcome.errors.length > 0);
    for (const error of outcome.errors) assert.match(error, /may not .*verbs: \[/s);
  });
}

test('what was refused stays so until it is answered again, and is said in time', async () => {
  const isPatch: Refuses = ({ verb, resource }) => verb === 'patch' && WORKLOADS.includes(resource);
  const outcome = await outcomeOf(isPatch, (_, second) => second > 0);
  assert.equal(outcome.mayGoOn, false);
  assert.equal(outcome.errors.length, 6);
});

test('without the right to the Lease the program goes on, and a warning has the rule and what it means', async () => {
  const outcome = await outcomeOf(({ resource }) => resource === 'leases');
  assert.deepEqual([outcome.mayGoOn, outcome.errors, outcome.warnings.length], [true, [], 2]);
  for (const warning of outcome.warnings)
    assert.match(warning, /may not .*leases.*verbs: \[.*acts whether or not another one does/s);
});

test('without the right to the keys of digests the program goes on, and a warning has the rule and what it means', async () => {
  const outcome = await outcomeOf(isKey);
  assert.deepEqual([outcome.mayGoOn, outcome.errors, outcome.warnings.length], [true, [], 1]);
  assert.match(
    outcome.warnings[0] ?? '',
    /may not .*secrets.*resourceNames: \[reloader-state-key\].*plain SHA-1/s,
  );
});

test('without the right to review tokens the program goes on, and a warning has the rule and what it means', async () => {
  const isReview: Refuses = ({ resource }) => /^(token|subjectaccess)reviews$/.test(resource);
  assert.deepEqual((await outcomeOf(isReview)).warnings, []);
  const outcome = await outcomeOf(
    isReview,
    undefined,
    undefined,
    '--secure-metrics',
    '--metrics-tls-directory=/tls',
  );
  assert.deepEqual([outcome.mayGoOn, outcome.errors, outcome.warnings.length], [true, [], 2]);
  for (const warning of outcome.warnings)
    assert.match(warning, /may not create \w+reviews in all namespaces.*ClusterRole.*get 503/s);
});

test('with all rights nothing is said', async () => {
  assert.deepEqual(await outcomeOf(() => false), { mayGoOn: true, errors: [], warnings: [] });
});

test('a state that may be patched need not be created, and a warning has the rule', async () => {
  const mayNot =
    (verbs: readonly string[]): Refuses =>
    (asked) =>
      isState(asked) && verbs.includes(asked.verb);
  const outcome = await outcomeOf(mayNot(['create']));
  assert.equal(outcome.mayGoOn, true);
  assert.deepEqual(outcome.errors, []);
  assert.equal(outcome.warnings.length, 1);
  assert.match(outcome.warnings[0] ?? '', /may not create configmaps reloader-state .*verbs: \[/s);
  assert.equal((await outcomeOf(mayNot(['create', 'patch']))).mayGoOn, false);
});

/** At which seconds of two minutes it was asked how many rights, none of the streams having listed. */
async function askedAt(answer: (asked: Asked, round: number) => ApiResponse): Promise<[number, number][]> {
  const command = parseOptions(['--namespace', 'one'], {});
  assert.equal(command.type, 'run');
  const rounds: [number, number][] = [];
  let second = 0;
  const send = async ({ body = '' }: { readonly body?: string | undefined }) => {
    if (rounds.at(-1)?.[0] !== second) rounds.push([second, 0]);
    const round = rounds.at(-1) ?? assert.fail();
    round[1] += 1;
    return answer(JSON.parse(body).spec.resourceAttributes, rounds.length);
  };
  const log: Log = { debug: assert.fail, info: assert.fail, warn: assert.fail, error: () => undefined };
  const place = { namespaces: ['one'], stateNamespace: 'one' };
  const stop = new AbortController();
  const parts = { send, options: command.options, place, log };
  const end = preflight(parts, () => false, stop.signal);
  for (; second <= 120; second += 1) {
    await settle();
    time.jolt();
    mock.timers.tick(1000);
  }
  stop.abort();
  await end;
  return rounds;
}

const ALL = 26;
const allowed = ok({ status: { allowed: true } });
const denied = ok({ status: { allowed: false } });
const every3s = Array.from({ length: 10 }, (_, index) => 3 * (index + 1));

const ROUNDS: Readonly<
  Record<string, readonly [(asked: Asked, round: number) => ApiResponse, [number, number][]]>
> = {
  'what is there is asked for once': [() => allowed, [[0, ALL]]],
  'what is missing is asked for alone until it is said': [
    ({ resource, verb }) => (resource === 'secrets' && verb === 'watch' ? denied : allowed),
    [[0, ALL], ...every3s.map((second): [number, number] => [second, 1])],
  ],
  'a server that does not answer is asked every 10 s': [
    () => refused(500),
    Array.from({ length: 13 }, (_, round): [number, number] => [10 * round, 3]),
  ],
  'what was answered meanwhile is not asked for again': [
    ({ resource }, round) => (resource === 'events' && round === 1 ? refused(500) : allowed),
    [
      [0, ALL],
      [10, 1],
    ],
  ],
};

for (const [sentence, [answer, rounds]] of Object.entries(ROUNDS)) {
  test(`of rights: ${sentence}`, async () => assert.deepEqual(await askedAt(answer), rounds));
}

test('what cannot be asked is not asked for any more once every stream has listed', async () => {
  const command = parseOptions(['--namespace', 'one'], {});
  assert.equal(command.type, 'run');
  const place = { namespaces: ['one'], stateNamespace: 'one' };
  const log: Log = { debug: assert.fail, info: assert.fail, warn: assert.fail, error: assert.fail };
  const parts = { send: async () => refused(500), options: command.options, place, log };
  assert.equal(await preflight(parts, () => true, new AbortController().signal), true);
});
