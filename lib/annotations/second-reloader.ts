/** How another reloader beside this one is told, and what is said of it. */

import type { CompetingReloader, Finding } from '../model/finding.ts';
import { parseStamp } from '../model/stamp.ts';
import type { TemplateStamp, Workload } from '../model/workload.ts';
import { isStakaterVariable } from './stamp-variables.ts';
import { SAP_HASH_ANNOTATION, WAVE_HASH_ANNOTATION } from './vocabulary.ts';

/** Ours end in a number. */
const WITHOUT_NUMBER = /^[0-9a-f]{40}$/;
/** Where SAP's pod-reloader and wave write; so do we, but with a stamp beside it. */
const HASHES: readonly string[] = [SAP_HASH_ANNOTATION, WAVE_HASH_ANNOTATION];
/** They bring back what somebody wrote before: an undo, an old manifest. */
const PEOPLES_TOOLS = /^(?:kubectl|helm)/i;

/** The rival that `after` shows, which followed on `before` by a write that changed nothing but marks. */
export function competitorIn(before: Workload, after: Workload): CompetingReloader | undefined {
  if (PEOPLES_TOOLS.test(after.lastManager ?? '')) return undefined;
  const known = new Set(before.stamps.map(textOf));
  const written = after.stamps.filter((mark) => !known.has(textOf(mark)));
  const isOurs = written.some(({ value }) => (parseStamp(value)?.sequence ?? 0) > 0);
  const mark = written.find(({ variable, value }) =>
    isStakaterVariable(variable) ? WITHOUT_NUMBER.test(value) : !isOurs && HASHES.includes(variable),
  );
  return mark === undefined ? undefined : { workload: after, mark };
}

/** Equal for equal marks alone. */
function textOf({ container, variable, value }: TemplateStamp): string {
  return JSON.stringify([container, variable, value]);
}

/** The notice of a rival; the same for every variable that it writes. */
export function rivalNotice({ workload, mark }: CompetingReloader): Finding {
  const who = `another reloader (field manager ${workload.lastManager ?? 'unknown'})`;
  const remedy = 'each change rolls it twice until one of the two is stopped or leaves it alone';
  return {
    reason: 'second-reloader',
    about: 'another reloader',
    message: `${who} wrote a digest into ${mark.variable}; ${remedy}`,
  };
}
