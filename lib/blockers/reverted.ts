/** Another client has reverted the stamp of this content too often: a further one would be reverted as well. */

import { STRATEGY_ANNOTATION } from '../annotations/vocabulary.ts';
import { isGivenUp, MOST_TRIES } from '../tracking/take-backs.ts';
import { type Blocker, type Readers, untilChanged } from './blocker.ts';

/** What to do about stamps that are reverted. */
export const ADVICE: string = `if an operator owns the template, the annotation ${STRATEGY_ANNOTATION}: evict makes the reloader evict its pods instead`;
const MESSAGE = `its stamp was reverted ${MOST_TRIES} times, and is not written again for this content; ${ADVICE}`;

/** See the file's comment. */
export function reverted({ evicts }: Readers): Blocker {
  return {
    name: 'reverted',
    isProblem: true,
    check: (record) =>
      isGivenUp(record) && evicts?.(record) !== true
        ? { ...untilChanged('reverted', MESSAGE, 'ReloadGivenUp'), state: 'refused' }
        : undefined,
  };
}
