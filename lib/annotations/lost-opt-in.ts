/** The finding about an opt-in that was probably removed by mistake, as by `kubectl rollout undo`. */

import { type Finding, type LostOptIn, lostAnnotations } from '../model/finding.ts';

import { describe } from '../model/object-ref.ts';
import { listedText } from '../model/text.ts';
import { annotationText } from './name-list.ts';

/** The finding about `lostOptIn`, with the removed annotations and their values. */
export function lostOptInFinding(lostOptIn: LostOptIn): Finding {
  const lost = lostAnnotations(lostOptIn).map(({ key, value, isOnTemplate }) =>
    isOnTemplate ? `on the pod template ${annotationText(key, value)}` : annotationText(key, value),
  );
  const about = listedText(lostOptIn.refs.map(describe));
  const cause = 'the annotation went together with our stamp, as kubectl rollout undo does it';
  const message = `it follows ${about} no more: ${cause}; if that was not meant, write ${lost.join(' and ')}`;
  return { reason: 'opt-in-lost', about, message };
}
