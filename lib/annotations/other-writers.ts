/** What other writers did to annotations and stamps: a competing reloader, and an opt-in that was probably removed by mistake, as by `kubectl rollout undo`. */

import type { CompetingReloader, Finding, LostOptIn } from '../model/finding.ts';
import { describe } from '../model/object-ref.ts';
import { idOfStamp } from '../model/stamp.ts';
import { listedText } from '../model/text.ts';
import type { TemplateStamp, Workload } from '../model/workload.ts';
import { annotationText } from './name-list.ts';
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

/** The policy annotations that the write removed or changed, as they were; empty if it changed only the template. */
export function lostAnnotations({ before, after }: Pick<LostOptIn, 'before' | 'after'>): readonly string[] {
  const places = [
    ['', before.annotations, after.annotations],
    ['on the pod template ', before.templateAnnotations, after.templateAnnotations],
  ] as const;
  return places.flatMap(([where, was, is]) =>
    Object.entries(was)
      .filter(([key, value]) => is[key] !== value)
      .map(([key, value]) => `${where}${annotationText(key, value)}`),
  );
}

/** The finding about `lostOptIn`, with the removed annotations and their values. */
export function lostOptInFinding(lostOptIn: LostOptIn): Finding {
  const about = listedText(lostOptIn.refs.map(describe));
  const cause = 'the annotation went together with our stamp, as kubectl rollout undo does it';
  const remedy = `if that was not meant, write ${lostAnnotations(lostOptIn).join(' and ')}`;
  return { reason: 'opt-in-lost', about, message: `it follows ${about} no more: ${cause}; ${remedy}` };
}
