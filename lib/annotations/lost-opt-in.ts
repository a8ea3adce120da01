/** What is said of an opt-in that somebody seems to have lost without meaning to. */

import { type Loss, lostAnnotations } from '../model/loss.ts';
import type { Notice } from '../model/notice.ts';
import { describe } from '../model/object-ref.ts';
import { listedText } from '../model/plain-text.ts';
import { annotationText } from './name-list.ts';

/** The notice of `loss`: which annotations it took, as they were. */
export function lossNotice(loss: Loss): Notice {
  const lost = lostAnnotations(loss).map(({ key, value, isOnTemplate }) =>
    isOnTemplate ? `on the pod template ${annotationText(key, value)}` : annotationText(key, value),
  );
  const about = listedText(loss.refs.map(describe));
  const cause = 'the annotation went together with our stamp, as kubectl rollout undo does it';
  const message = `it follows ${about} no more: ${cause}; if that was not meant, write ${lost.join(' and ')}`;
  return { reason: 'opt-in-lost', about, message };
}
