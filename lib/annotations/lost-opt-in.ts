/** An opt-in that was probably removed by mistake, as by `kubectl rollout undo`, and the finding about it. */

import type { Finding, LostOptIn } from '../model/finding.ts';
import { describe } from '../model/object-ref.ts';
import { listedText } from '../model/text.ts';
import { annotationText } from './name-list.ts';

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
