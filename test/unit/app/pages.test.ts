/** What many clients ask for is made once in a second, and shared. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, mock, test } from 'node:test';
import { type ServedPages, servePages } from '../../../lib/app/pages.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import { ListenError } from '../../../lib/serving/web-server.ts';
import { Metrics } from '../../../lib/telemetry/metrics.ts';
import { type MockTime, stopTimers } from '../../mock-time.ts';
import { report, workload } from '../telemetry/reports.ts';

const ABOUT = { version: '1.2.3', namespaces: undefined, state: 'default/reloader-state', isDryRun: false };
const CLIENTS = 200;

let pages: ServedPages | undefined;
let agent: Agent;
/** Stands still but for its ticks. */
let time: MockTime;
/** How often it was looked at the program, for the status and for the metrics. */
let looks = { status: 0, metrics: 0 };
/** How often the status was written as JSON. */
let written = 0;

beforeEach(() => {
  agent = new Agent({ keepAlive: true });
  looks = { status: 0, metrics: 0 };
  written = 0;
  time = stopTimers(mock.timers);
});
afterEach(async () => {
  mock.restoreAll();
  time.restore();
  agent.destroy();
  await pages?.stop();
});

/** Serves what begins with a workload whose name is the number of the look. */
async function serve(...argv: readonly string[]): Promise<void> {
  const command = parseOptions(['--port=0', ...argv], {});
  assert.ok(command.type === 'run');
  const assembly = {
    status: () => {
      looks.status += 1;
      const first = workload(`web-${looks.status}`);
      const toJSON = (): unknown => {
        written += 1;
        return first;
      };
      const counted = Object.assign({ toJSON }, first);
      return report({ workloads: [counted, workload('other')] });
    },
    stuck: () => [],
    waitingFor: () => [],
  };
  const metrics = new Metrics('1.2.3');
  mock.method(metrics, 'text', async () => {
    looks.metrics += 1;
    return `look ${looks.metrics}\n`;
  });
  pages = await servePages(assembly, command.options, {
    about: ABOUT,
    metrics,
    log: NO_LOG,
    send: () => assert.fail('it is not asked'),
  });
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

async function ask(path: string, port = pages?.port): Promise<Answer> {
  assert.ok(port !== undefined);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, agent }, resolve).once('error', reject);
  });
  return { status: response.statusCode, body: await text(response) };
}

/** What that many clients at once are answered; all alike. */
async function askMany(path: string): Promise<string> {
  const answers = await Promise.all(Array.from({ length: CLIENTS }, () => ask(path)));
  const [first] = answers;
  assert.ok(first);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.deepEqual(new Set(answers.map(({ body }) => body)), new Set([first.body]));
  return first.body;
}

/** A port that no server listens at. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('two hundred clients at once', () => {
  test('cost one look at the status, and each further second one more', async () => {
    await serve();
    assert.match(await askMany('/status.json'), /"workload": "Deployment\/web-1"/);
    mock.timers.tick(999);
    assert.match(await askMany('/status.json'), /web-1/);
    assert.equal(looks.status, 1);
    mock.timers.tick(1);
    assert.match(await askMany('/status.json'), /web-2/);
    assert.deepEqual([looks.status, written], [2, 2]);
  });

  test('cost one look at the metrics, and each further second one more', async () => {
    await serve();
    assert.equal(await askMany('/metrics'), 'look 1\n');
    mock.timers.tick(999);
    assert.equal(await askMany('/metrics'), 'look 1\n');
    mock.timers.tick(1);
    assert.equal(await askMany('/metrics'), 'look 2\n');
  });

  test('are shown one page, made of the look that the status was made of', async () => {
    await serve();
    const status = JSON.parse(await askMany('/status.json')) as { workloads: readonly unknown[] };
    assert.equal(status.workloads.length, 2);
    mock.timers.tick(999);
    assert.match(await askMany('/'), /Deployment\/web-1/);
    assert.equal(looks.status, 1);
    mock.timers.tick(1);
    assert.match(await askMany('/'), /Deployment\/web-2/);
    assert.match(await askMany('/status.json'), /Deployment\/web-2/);
    assert.equal(looks.status, 2);
  });
});

describe('searches', () => {
  test('are answered from the same look, each with its own rows', async () => {
    await serve();
    const all = (await ask('/')).body;
    assert.match(all, /Deployment\/web-1/);
    const found = (await ask('/?find=other')).body;
    assert.doesNotMatch(found, /Deployment\/web-1/);
    assert.match(found, /Deployment\/other/);
    assert.equal(looks.status, 1);
  });

  test('are so many within a second; those of before, the page and the status are still there', async () => {
    await serve();
    const statuses: (number | undefined)[] = [];
    for (let i = 0; i < 30; i += 1) statuses.push((await ask(`/?find=a${i}`)).status);
    const refused = statuses.indexOf(503);
    assert.deepEqual(
      statuses,
      statuses.map((_, i) => (i < refused ? 200 : 503)),
    );
    assert.equal(refused, 20);
    for (const path of ['/?find=a0', '/', '/status.json', '/metrics', '/healthz'])
      assert.equal((await ask(path)).status, 200, path);
    mock.timers.tick(1000);
    assert.equal((await ask('/?find=a29')).status, 200);
  });
});

describe('the port for probes', () => {
  test('is none where none is asked for', async () => {
    await serve();
    assert.equal(pages?.healthPort, undefined);
  });

  test('answers what probes ask', async () => {
    await serve('--health-port=0');
    assert.deepEqual(await ask('/readyz', pages?.healthPort), { status: 200, body: 'ok\n' });
    assert.equal((await ask('/status.json', pages?.healthPort)).status, 404);
  });

  test('is told with its flag if it is taken, and then no port is open', async () => {
    await serve('--health-port=0');
    const first = pages;
    const taken = first?.healthPort;
    const free = await freePort();
    await assert.rejects(serve(`--port=${free}`, `--health-port=${taken}`), (error) => {
      assert.ok(error instanceof ListenError);
      assert.equal(error.message, `port ${taken} is taken: choose another with --health-port`);
      return true;
    });
    await assert.rejects(ask('/healthz', free), { code: 'ECONNREFUSED' });
    assert.equal(pages, first);
  });
});
