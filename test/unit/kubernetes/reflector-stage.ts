/** A reflector under a mock clock and a script of answers. */

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import type { TestContext } from 'node:test';
import { Reflector, type ReflectorOptions } from '../../../lib/kubernetes/reflector.ts';
import { sourceOf } from '../../../lib/kubernetes/sources.ts';
import type { ApiRequest } from '../../../lib/kubernetes/transport.ts';
import type { Log } from '../../../lib/model/log.ts';
import { mockTime } from '../../mock-time.ts';
import { type Answer, configMap, type Script, scripted, settle } from './scripted-send.ts';

/** A reflector that runs, and what it did. */
export interface Running {
  readonly script: Script;
  /** What the target, the observer and the log were told. */
  readonly told: string[];
  /** The requests so far, in short: `list`, `list more`, `watch 7`. */
  readonly asked: () => string[];
  /** The time of day jumps. */
  readonly jolt: () => void;
  readonly stop: () => Promise<void>;
}

/** A ConfigMap of this name. */
export const A: object = configMap('a', '5');

/** A reflector under a mock clock, whose chance is always 0: its backoff is 500 ms. */
export function start(
  t: TestContext,
  answers: Answer[],
  random = (): number => 0,
  complete?: ReflectorOptions['complete'],
): Running {
  const { jolt } = mockTime(t);
  const script = scripted(...answers);
  const told: string[] = [];
  const controller = new AbortController();
  const say = (level: string) => (message: string) => void told.push(`${level}: ${message}`);
  const log: Log = { debug: () => undefined, info: say('info'), warn: say('warn'), error: say('error') };
  const running = new Reflector({
    send: script.send,
    source: sourceOf({ kind: 'ConfigMap', namespace: 'ns' }),
    log,
    random,
    complete,
    target: {
      beginList: () => told.push('begin'),
      listed: ({ metadata }) => told.push(`list ${metadata.name}`),
      endList: (version) => told.push(`end ${version}`),
      event: ({ type, resourceVersion }) => told.push(`${type} ${resourceVersion}`),
    },
    observe: (news) => {
      if (news.type === 'failed') told.push(`failure ${news.code}, again in ${news.nextRetryMs}`);
      else if (news.type === 'down') told.push(`down: ${news.reason}`);
      else if (news.type !== 'sign-of-life') told.push(news.type.replace('-', ' '));
    },
  }).run(controller.signal);
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  };
  return { script, told, asked: () => script.requests.map(shortOf), jolt, stop };
}

function shortOf({ path }: ApiRequest): string {
  const query = new URL(path, 'http://x').searchParams;
  if (query.has('watch')) return `watch ${query.get('resourceVersion')}`;
  if (!query.has('limit')) return 'list all';
  return query.has('continue') ? `list more ${query.get('continue')}` : 'list';
}

/** Lets `ms` pass, and all that can happen without time before and after. */
export async function after(t: TestContext, ms: number): Promise<void> {
  await settle();
  t.mock.timers.tick(ms);
  await settle();
}
