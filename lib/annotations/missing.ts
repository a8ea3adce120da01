/** Findings about objects that a workload names and that are missing, or hold a state. */

import { type Finding, findingAbout } from '../model/finding.ts';
import { type ConfigRef, SOURCE_KINDS } from '../model/object-ref.ts';

/** The findings about missing objects; `isState`: a reloader keeps its state in it; `selector`: the labels that are watched. */
export function missingFindings(
  refs: readonly ConfigRef[],
  isState: (ref: ConfigRef) => boolean,
  selector: string | undefined,
): readonly Finding[] {
  const hasTypes = refs.some(({ kind }) => SOURCE_KINDS[kind].ignoredTypes.length > 0);
  const type = hasTypes ? ', or of a type that is not watched' : '';
  const labels = selector === undefined ? '' : `, or without the labels that are watched (${selector})`;
  const notFound = (about: string): string =>
    `${about} not found${type}${labels}; create what is missing, or remove it from the annotation`;
  const holdsState = (about: string): string =>
    `a reloader keeps its state in ${about}: nothing is rolled for it; remove it from the annotation`;
  const states = refs.filter(isState);
  const missing = refs.filter((ref) => !isState(ref));
  return [...findingAbout('state-named', states, holdsState), ...findingAbout('missing', missing, notFound)];
}
