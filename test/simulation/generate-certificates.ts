/** Scenes of certificates: one that cert-manager signed itself, and the issuer's, which comes in time, late or never. */

import fc, { type Arbitrary } from 'fast-check';
import { type Cast, stepsOf } from './generate-steps.ts';
import type { Scene } from './generate-troubles.ts';
import { type ConfigName, type Content, type Step, wait } from './history.ts';

/** The Secret of the certificate. */
export const CERTIFICATE: ConfigName = 'Secret/a-b';

/** Arbitraries of scenes. */
export interface CertificateScenes {
  /** People edit content and workloads meanwhile. */
  readonly calm: Arbitrary<Scene>;
  /** Processes die too, workloads are refused, and owners write them. */
  readonly troubled: Arbitrary<Scene>;
}

/** The scenes of a cast. */
export function certificateScenesOf(cast: Cast): CertificateScenes {
  const steps = stepsOf(cast);
  const { coalescePeriodMs, maxWaitMs } = cast.settings;
  const issue = (temporary: boolean): Arbitrary<Step> =>
    fc
      .constantFrom<Content>('A', 'B', 'C')
      .map((content) => ({ do: 'issue', config: CERTIFICATE, content, temporary }));
  const until = fc
    .constantFrom(20, coalescePeriodMs + 20, maxWaitMs + 100, 120_000, 300_000, 598_000, 640_000)
    .map(wait);
  const lost: Arbitrary<Scene> = fc.constantFrom<Scene>(
    [{ do: 'delete', config: CERTIFICATE }, wait(100)],
    [],
  );
  const people = fc.oneof(issue(true), issue(false), steps.config, steps.workload);
  const trouble = fc.oneof(people, steps.crash, steps.owner, steps.refuse);
  const scene = (among: Arbitrary<Step>): Arbitrary<Scene> => {
    const between = fc.oneof(
      { weight: 2, arbitrary: fc.constant<Scene>([]) },
      { weight: 1, arbitrary: fc.tuple(among, until) },
    );
    return fc
      .tuple(lost, issue(true), until, between, issue(false), until)
      .map(([first, temporary, time, rest, issued, end]) => [
        ...first,
        temporary,
        time,
        ...rest,
        issued,
        end,
      ]);
  };
  return { calm: scene(people), troubled: scene(trouble) };
}
