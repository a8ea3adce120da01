/** Temporary certificates by hand: how often they roll a workload. */

import assert from 'node:assert/strict';
import { C, type Case, change, crash, following, testCases, WEB } from './cases.ts';
import type { Content, Step } from './history.ts';
import { rolloutsOf } from './timeline.ts';

function issue(content: Content, temporary = false): Step {
  return { do: 'issue', config: 'Secret/a-b', content, temporary };
}

/** A workload follows a certificate, and C besides. */
function certified(steps: readonly Step[], rollouts: number, reads: Content = 'A'): Case {
  return {
    workloads: following(WEB).map((workload) => ({ ...workload, follows: ['Secret/a-b', C] })),
    steps: [issue('A'), { do: 'wait', ms: 10_000 }, ...steps, { do: 'wait', ms: 700_000 }],
    rollouts: { [WEB]: rollouts },
    reads,
  };
}

const MINUTE = { do: 'wait', ms: 60_000 } as const;
const ELEVEN_MINUTES = { do: 'wait', ms: 660_000 } as const;

testCases({
  'a temporary certificate and that of the issuer are one rollout, after a quiet period': {
    ...certified([issue('B', true), MINUTE, issue('C')], 1),
    also: (trace) => assert.ok(rolloutsOf(trace, WEB).every(({ ms }) => ms < 2 * MINUTE.ms)),
  },
  'a temporary certificate that stays is rolled out': certified([issue('B', true)], 1),
  'that of the issuer comes after the ten minutes': certified(
    [issue('B', true), ELEVEN_MINUTES, issue('C')],
    2,
  ),
  'the former one comes back': certified([issue('B', true), MINUTE, issue('A')], 0),
  'another object changes meanwhile, and that rollout brings the temporary one along': certified(
    [issue('B', true), MINUTE, change('B'), MINUTE, issue('C')],
    2,
    'B',
  ),
  'the process dies meanwhile': certified([issue('B', true), MINUTE, crash(), MINUTE, issue('C')], 1),
});
