/** The faults between a reloader and its API server that a proxy can play, and what the log says of each. */

import type { CallMatch } from '../sandbox/faults.ts';
import type { FaultProxy, ProxyRule } from './fault-proxy.ts';

/** One fault. */
export interface Fault {
  /** What lines of the log say; none where nobody needs to know. */
  readonly says: readonly RegExp[];
  /** Whether the reloader has to wait for so long that it must hurry. @default false */
  readonly needsHurry?: true;
  /** Begins it; the function answered ends it. */
  readonly begin: (proxy: FaultProxy) => Promise<() => Promise<void>>;
}

const EVERYTHING: CallMatch = {};
const CONFIG_MAP_WATCHES: CallMatch = { verb: 'watch', resource: 'configmaps' };
const PATCHES: readonly CallMatch[] = ['deployments', 'statefulsets', 'daemonsets'].map((resource) => ({
  verb: 'patch',
  resource,
}));
const COMMITS: CallMatch = { verb: 'patch', resource: 'configmaps' };

/** A fault that is rules in force, all watches broken off before where nothing else would be asked for. */
function ruled(says: readonly RegExp[], rules: readonly ProxyRule[], cutsWatches = false): Fault {
  const begin = async (proxy: FaultProxy): Promise<() => Promise<void>> => {
    const lifts = rules.map((rule) => proxy.add(rule));
    if (cutsWatches) proxy.disturb(EVERYTHING, 'cut');
    return async () => {
      for (const lift of lifts) lift();
    };
  };
  return { says, begin };
}

/** A storm of answers for all requests: the next ones, or until it ends. */
function storm(
  says: RegExp,
  code: (ProxyRule['effect'] & { kind: 'status' })['code'],
  times: ProxyRule['times'] = 'always',
  retryAfterSeconds?: number,
): Fault {
  const wish = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  const rule: ProxyRule = { match: EVERYTHING, times, effect: { kind: 'status', code, ...wish } };
  return ruled([says], [rule], true);
}

/** A fault of the watches that are open. */
function disturbed(says: readonly RegExp[], match: CallMatch, effect: 'cut' | 'truncated' | 'silent'): Fault {
  const begin = async (proxy: FaultProxy): Promise<() => Promise<void>> => {
    proxy.disturb(match, effect);
    return async () => undefined;
  };
  return { says, begin };
}

const SILENCE = /watch of ConfigMap failed, retrying.*nothing was heard for 160 s/;

/** Nothing new is heard, while all else is answered. */
export const DEAFNESS: Fault = ruled(
  [/watch of ConfigMap failed, retrying.*currently unable to handle the request/],
  (['watch', 'list'] as const).map((verb) => ({
    match: { verb },
    times: 'always',
    effect: { kind: 'status', code: 503 },
  })),
  true,
);

/** All of them, by what a person would say of it. */
export const FAULTS: Readonly<Record<string, Fault>> = {
  'connections are cut': disturbed([/watch of ConfigMap failed, retrying/], EVERYTHING, 'cut'),
  'connections are cut and refused': {
    says: [/watch of ConfigMap failed, retrying.*ECONNREFUSED/],
    begin: async (proxy) => {
      await proxy.disappear();
      return () => proxy.appear();
    },
  },
  'the server accepts and never answers': {
    says: [SILENCE, /no answer within 30 s/],
    needsHurry: true,
    begin: async (proxy) => {
      const lift = proxy.add({ match: EVERYTHING, times: 'always', effect: { kind: 'hang', effect: false } });
      proxy.disturb(EVERYTHING, 'silent');
      return async () => lift();
    },
  },
  'the watches fall silent': { ...disturbed([SILENCE], EVERYTHING, 'silent'), needsHurry: true },
  'a watch breaks off in the middle of a line': disturbed(
    [/watch of ConfigMap failed, retrying/],
    CONFIG_MAP_WATCHES,
    'truncated',
  ),
  'nothing can be watched for a while': DEAFNESS,
  'everything is slow': ruled(
    [],
    [{ match: EVERYTHING, times: 'always', effect: { kind: 'latency', ms: 300 } }],
  ),
  'the answers to patches are lost': ruled(
    [],
    PATCHES.map((match) => ({ match, effect: { kind: 'lost' } })),
  ),
  'the answer to a commit is lost': ruled(
    [/cannot write the state yet/],
    [{ match: COMMITS, effect: { kind: 'lost' } }],
  ),
  'patches take effect and are never answered': {
    ...ruled(
      [],
      PATCHES.map((match) => ({ match, effect: { kind: 'hang', effect: true } })),
    ),
    needsHurry: true,
  },
  'the next requests are throttled': storm(/too many requests/, 429, 12, 1),
  'requests are throttled for a while': storm(/too many requests/, 429, 'always', 1),
  'the server fails for a while': storm(/Internal error occurred/, 500),
  'the server is unavailable for a while': storm(/currently unable to handle the request/, 503),
  'the token is refused for a while': storm(/Unauthorized/, 401),
};
