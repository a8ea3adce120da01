/** What digests may tell, and under which key they are in the end. */

import { UNKEYED_DIGESTS } from './contents.ts';
import { contentAt, factsOf, isFollowing, workloadsOf } from './timeline.ts';
import type { Trace, Violation } from './trace.ts';

/** The keys stand nowhere but in their Secret, and no keyed process tells a digest without a key that did not stand there before. */
export function judgeSecrecy(trace: Trace): readonly Violation[] {
  const keyed = new Set(factsOf(trace, 'keyed').map(({ replica }) => replica));
  if (keyed.size === 0) return [];
  const stood = new Set<string>();
  const messages = factsOf(trace, 'output').flatMap(({ where, text }) => {
    const isKeyed = keyed.has(Number(/\d+$/.exec(where)?.[0]));
    const isSecret = !where.startsWith('keys') && trace.keyTexts?.some((key) => text.includes(key)) === true;
    const digests = UNKEYED_DIGESTS.filter((digest) => text.includes(digest));
    const told = isKeyed ? digests.filter((digest) => !stood.has(digest)) : [];
    if (!isKeyed) for (const digest of digests) stood.add(digest);
    return [
      ...(isSecret ? [`${where} holds a key`] : []),
      ...told.map((digest) => `${where} holds a digest without a key (${digest}): ${text.slice(0, 200)}`),
    ];
  });
  return messages.map((message) => ({ law: 'never', message }));
}

/** In the end every entry of an object that exists and is followed is under the key of the leader. */
export function judgeRing(trace: Trace): readonly Violation[] {
  const settled = factsOf(trace, 'settled')[0];
  if (settled?.ring === undefined || factsOf(trace, 'state-edited').length > 0) return [];
  const { own, versions } = settled.ring;
  const algorithms = Object.entries(settled.state.algorithms ?? {});
  const others = algorithms
    .filter(([config]) => isFollowedBySome(trace, config, settled.at))
    .filter(([config]) => contentAt(trace, config, settled.at) !== undefined)
    .flatMap(([config, names]) =>
      names
        .filter((name) => name !== own)
        .map((name) => `the entry of ${config} is under ${name}, not ${own}`),
    );
  const messages = [
    ...others,
    ...versions
      .filter((version) => version !== '1')
      .map((version) => `a ConfigMap of the state has version ${version}`),
  ];
  return messages.map((message) => ({ law: 'convergence', message }));
}

function isFollowedBySome(trace: Trace, config: string, at: number): boolean {
  return workloadsOf(trace).some((workload) => isFollowing(trace, workload, config, at));
}
