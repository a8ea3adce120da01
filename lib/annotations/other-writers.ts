/** What other writers did to stamps: a competing reloader. */

import type { CompetingReloader, Finding } from '../model/finding.ts';
import { idOfStamp } from '../model/stamp.ts';
import type { TemplateStamp, Workload } from '../model/workload.ts';
import { isStakaterVariable } from './stamp-variables.ts';
import { SAP_HASH_ANNOTATION, WAVE_HASH_ANNOTATION } from './vocabulary.ts';

/** A digest without an id: the stamps of this program have one. */
const WITHOUT_NUMBER = /^[0-9a-f]{40}$/;
/** The annotations of SAP's pod-reloader and wave. This program writes them too, but always with a stamp beside them. */
const HASHES: readonly string[] = [SAP_HASH_ANNOTATION, WAVE_HASH_ANNOTATION];
/** Field managers that restore old stamps, by an undo or an old manifest, and so reveal no competing reloader. */
const PEOPLES_TOOLS = /^(?:kubectl|helm)/i;

/** The competing reloader that the write from `before` to `after` reveals; that write changed only stamps. */
export function competitorIn(before: Workload, after: Workload): CompetingReloader | undefined {
  if (PEOPLES_TOOLS.test(after.lastManager ?? '')) return undefined;
  const known = new Set(before.stamps.map(stampIdentity));
  const written = after.stamps.filter((mark) => !known.has(stampIdentity(mark)));
  const isOurs = written.some(({ value }) => idOfStamp(value) > 0);
  const mark = written.find(({ variable, value }) =>
    isStakaterVariable(variable) ? WITHOUT_NUMBER.test(value) : !isOurs && HASHES.includes(variable),
  );
  return mark === undefined ? undefined : { workload: after, mark };
}

/** A text that is equal only for equal stamps. */
export function stampIdentity({ container, variable, value }: TemplateStamp): string {
  return JSON.stringify([container, variable, value]);
}

/** The finding about a competing reloader; it has the same identity for every variable that the reloader writes. */
export function competingReloaderFinding({ workload, mark }: CompetingReloader): Finding {
  const who = `another reloader (field manager ${workload.lastManager ?? 'unknown'})`;
  const remedy = 'each change rolls it twice until one of the two is stopped or leaves it alone';
  return {
    reason: 'second-reloader',
    about: 'another reloader',
    message: `${who} wrote a digest into ${mark.variable}; ${remedy}`,
  };
}
