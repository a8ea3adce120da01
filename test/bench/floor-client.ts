/**
 * The floor: the least that any client of the API can do, without a thought. It is started with one argument, the JSON of
 * FloorTask, prints `ready` once its lists are read and its watches open, and ends with its standard input.
 */

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { FloorTask } from './floor.ts';

const SOCKETS = 32;

const task = JSON.parse(process.argv[2] ?? '') as FloorTask;
const { url, ca, token } = task.connection;
const { hostname, port, protocol } = new URL(url);
const isTls = protocol === 'https:';
const tls = ca === undefined ? {} : { ca };
const agentOptions = { keepAlive: true, maxSockets: SOCKETS + task.kinds.length, ...tls };
const agent = isTls ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };

function send(method: string, path: string, type?: string, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      accept: 'application/json',
      ...authorization,
      ...(body === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(body) }),
    };
    const start = isTls ? httpsRequest : httpRequest;
    const call = start({ hostname, port, method, path, headers, agent }, resolve);
    call.once('error', reject);
    call.end(body);
  });
}

/** Reads to the end; answers the beginning. */
async function drained(answer: IncomingMessage): Promise<string> {
  let beginning = '';
  for await (const piece of answer) if (beginning === '') beginning = String(piece).slice(0, 1000);
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode}: ${beginning}`);
  return beginning;
}

/** Lists page by page; answers the version. */
async function listed(path: string): Promise<string> {
  for (let next = ''; ; ) {
    const beginning = await drained(await send('GET', `${path}?limit=500${next}`));
    const token = /"continue":"([^"]+)"/.exec(beginning)?.[1];
    if (token === undefined) return /"resourceVersion":"(\d+)"/.exec(beginning)?.[1] ?? '';
    next = `&continue=${encodeURIComponent(token)}`;
  }
}

async function watch(path: string, version: string): Promise<void> {
  const answer = await send('GET', `${path}?watch=1&resourceVersion=${version}&timeoutSeconds=3600`);
  answer.setEncoding('utf8');
  let line = '';
  answer.on('data', (piece: string) => {
    const lines = (line + piece).split('\n');
    line = lines.pop() ?? '';
    if (task.rolls !== undefined) for (const each of lines) roll(each);
  });
}

let rollouts = 0;

/** Patches what follows the ConfigMap that the line is about. */
function roll(line: string): void {
  const name = /"metadata":\{.*?"name":"([^"]+)"/.exec(line)?.[1] ?? '';
  const followers = task.rolls?.[name] ?? [];
  rollouts += 1;
  const env = [{ name: 'CHANGED', value: String(rollouts) }];
  const body = JSON.stringify({ spec: { template: { spec: { containers: [{ name: 'app', env }] } } } });
  for (const follower of followers) {
    const path = `/apis/apps/v1/namespaces/${task.namespace}/deployments/${follower}`;
    void send('PATCH', path, 'application/strategic-merge-patch+json', body).then(drained);
  }
}

process.stdin.on('end', () => process.exit()).resume();
const paths = task.kinds.map((kind) => {
  const root = kind === 'configmaps' || kind === 'secrets' ? '/api/v1' : '/apis/apps/v1';
  return `${root}/namespaces/${task.namespace}/${kind}`;
});
await Promise.all(paths.map(async (path) => watch(path, await listed(path))));
process.stdout.write('ready\n');
