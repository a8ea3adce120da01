/** Which missing rights end the program, and which do not. */

import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type { Log } from '../../../lib/model/log.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import { holdRights } from '../../../lib/rights.ts';
import { ok, settle } from '../kubernetes/scripted-send.ts';

interface Asked {
  readonly verb: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

type Refuses = (asked: Asked) => boolean;

const CONFIGS = ['configmaps', 'secrets'];
const WORKLOADS = ['deployments', 'statefulsets', 'daemonsets'];
const isState: Refuses = ({ name }) => name?.startsWith('reloader-state') === true;
const isWatched =
  (resources: readonly string[]): Refuses =>
  (asked) =>
    resources.includes(asked.resource) && !isState(asked);

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
async function outcomeOf(refuses: Refuses): Promise<{ mayGoOn: boolean | undefined; errors: string[] }> {
  const command = parseOptions(['--namespace', 'one,two'], {});
  assert.equal(command.type, 'run');
  const { options } = command;
  const errors: string[] = [];
  const log: Log = {
    debug: assert.fail,
    info: assert.fail,
    warn: assert.fail,
    error: (text) => void errors.push(text),
  };
  const send = async ({ body = '' }: { readonly body?: string | undefined }) =>
    ok({ status: { allowed: !refuses(JSON.parse(body).spec.resourceAttributes) } });
  const place = { namespaces: ['one', 'two'], stateNamespace: 'one' };
  let mayGoOn: boolean | undefined;
  const { signal } = new AbortController();
  void holdRights({ send, options, place, log }, () => true, signal).then((answer) => {
    mayGoOn = answer;
  });
  for (let second = 0; second < 120 && mayGoOn === undefined; second += 1) {
    await settle();
    mock.timers.tick(1000);
  }
  return { mayGoOn, errors };
}

beforeEach(() => mock.timers.enable({ apis: ['setTimeout', 'Date'] }));
afterEach(() => mock.timers.reset());

for (const [sentence, [refuses, mayGoOn]] of Object.entries(SITUATIONS)) {
  test(`of missing rights: ${sentence}`, async () => {
    const outcome = await outcomeOf(refuses);
    assert.equal(outcome.mayGoOn, mayGoOn);
    assert.ok(outcome.errors.length > 0);
    for (const error of outcome.errors) assert.match(error, /may not .*verbs: \[/s);
  });
}

test('with all rights nothing is said', async () => {
  assert.deepEqual(await outcomeOf(() => false), { mayGoOn: true, errors: [] });
});
