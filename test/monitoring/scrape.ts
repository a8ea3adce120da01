/** Prometheus beside two reloaders, with the alerts of the component, whose waits a test may shorten. */

import type { Pair } from '../faults/pair.ts';
import { read } from './files.ts';
import { Prometheus } from './prometheus.ts';

/** One text in place of another, wherever it stands in the rules. */
export type Shortening = readonly [long: RegExp, short: string];

/** Starts it; the pods of the pair are one installation. @throws if a shortening changes nothing */
export async function prometheusBeside(
  pair: Pair,
  shortenings: readonly Shortening[] = [],
): Promise<Prometheus> {
  const targets = pair.members.map(({ pod, process: { port = 0 } }) => ({
    port,
    labels: { namespace: pair.scene.stage.namespace, job: 'reloader', pod },
  }));
  const rules = shortenings.reduce((text, [long, short]) => {
    const shorter = text.replaceAll(long, short);
    if (shorter === text) throw new Error(`no rule has ${long}`);
    return shorter;
  }, read('k8s/chart/files/rules.yaml'));
  return await Prometheus.start(targets, rules);
}
