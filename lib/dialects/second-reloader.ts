/** How another reloader beside this one is told, and what is said of it. */

import type { Notice } from '../model/notice.ts';
import type { Rival } from '../model/rival.ts';
import type { Workload } from '../model/workload.ts';
import { isStakaterVariable } from './stamp-variables.ts';

/** Ours end in a number. */
const WITHOUT_NUMBER = /^[0-9a-f]{40}$/;
/** They bring back what somebody wrote before: an undo, an old manifest. */
const PEOPLES_TOOLS = /^(?:kubectl|helm)/i;

/** The rival that `after` shows, which followed on `before` by a write that changed nothing but marks. */
export function rivalIn(before: Workload, after: Workload): Rival | undefined {
  if (PEOPLES_TOOLS.test(after.lastManager ?? '')) return undefined;
  const mark = after.marks.find(
    ({ container, variable, value }) =>
      isStakaterVariable(variable) &&
      WITHOUT_NUMBER.test(value) &&
      !before.marks.some(
        (known) => known.container === container && known.variable === variable && known.value === value,
      ),
  );
  return mark === undefined ? undefined : { workload: after, mark };
}

/** The notice of a rival; the same for every variable that it writes. */
export function rivalNotice({ workload, mark }: Rival): Notice {
  const who = `another reloader (field manager ${workload.lastManager ?? 'unknown'})`;
  const remedy = 'each change rolls it twice until one of the two is stopped or leaves it alone';
  return {
    reason: 'second-reloader',
    about: 'another reloader',
    message: `${who} wrote a digest into ${mark.variable}; ${remedy}`,
  };
}
