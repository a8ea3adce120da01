/** Scenes of an object of another namespace that allows, at times, that it is followed. */

import fc, { type Arbitrary } from 'fast-check';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type ConfigStep, type Step, wait } from './history.ts';
import { ELSEWHERE } from './manifests.ts';

/** Arbitraries of scenes. */
export interface ConsentScenes {
  /** The object is followed, and allows it or does not, perhaps with another content, before or after a change. */
  readonly calm: Arbitrary<Scene>;
  /** The same while no process runs or the streams are cut, or with an owner or a death in between. */
  readonly troubled: Arbitrary<Scene>;
}

/** The scenes of a cast. */
export function consentScenesOf(cast: Cast): ConsentScenes {
  const { coalescePeriodMs } = cast.settings;
  const steps = stepsOf(cast);
  const pause = fc.constantFrom(0, 20, 1000, coalescePeriodMs + 20, coalescePeriodMs + 2000).map(wait);
  const content = fc.constantFrom('A', 'B', 'C');
  const consent: Arbitrary<ConfigStep> = fc.record({
    do: fc.constant('mark'),
    config: fc.constant(ELSEWHERE),
    mark: fc.constantFrom('allow', 'allow', undefined),
    content: fc.constantFrom(undefined, undefined, 'A', 'B', 'C'),
  });
  const change: Arbitrary<ConfigStep> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ do: fc.constant('change'), config: fc.constant(ELSEWHERE), content }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete'), config: fc.constant(ELSEWHERE) }) },
    {
      weight: 1,
      arbitrary: fc.record({ do: fc.constant('recreate'), config: fc.constant(ELSEWHERE), content }),
    },
  );
  const follow: Arbitrary<Step> = fc.record({
    do: fc.constant('follow'),
    workload: fc.constantFrom(...cast.workloads),
    follows: fc.constant([ELSEWHERE]),
  });
  const edits = fc.array(fc.tuple(fc.oneof(consent, change), pause), { minLength: 1, maxLength: 4 });
  const some = edits.map((all) => all.flat());
  const away = fc.constantFrom<Step>(
    { do: 'crash', slot: 0, atWrite: 0, effect: 'before', downtimeMs: 20_000 },
    { do: 'disturb', resource: 'configmaps', effect: { kind: 'cut', how: 'end' } },
    { do: 'delay', resource: 'configmaps', ms: 3000 },
  );
  return {
    calm: fc
      .tuple(fc.oneof(follow, consent), pause, some)
      .map(([first, soon, rest]) => [first, soon, ...rest]),
    troubled: fc
      .tuple(follow, consent, change, pause, away, some, fc.oneof(steps.owner, steps.crash, pause), some)
      .map(([first, allowed, changed, soon, cut, before, trouble, after]) => [
        first,
        allowed,
        wait(coalescePeriodMs + 2000),
        changed,
        soon,
        cut,
        ...before,
        trouble,
        wait(coalescePeriodMs),
        { do: 'delay', resource: 'configmaps', ms: 0 },
        ...after,
      ]),
  };
}
