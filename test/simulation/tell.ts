/** A trace as lines for people. */

import type { Recorded, Trace } from './trace.ts';

/** One line per fact. */
export function tell(trace: Trace): readonly string[] {
  return trace.facts.map(
    (fact) => `${(fact.ms / 1000).toFixed(3).padStart(9)} s  #${fact.at}  ${textOf(fact)}`,
  );
}

function textOf(fact: Recorded): string {
  switch (fact.type) {
    case 'content':
      return `${fact.config} is ${fact.content ?? 'absent'}`;
    case 'workload':
      return fact.exists
        ? `${fact.workload} follows ${fact.follows.join(', ') || 'nothing'}${fact.rollable ? '' : ', not rollable'}`
        : `${fact.workload} is gone`;
    case 'rolling':
      return `${fact.workload} ${fact.rolling ? 'is rolling' : 'is rolled out'}`;
    case 'pod-started':
      return `${fact.pod} of ${fact.workload} started with ${JSON.stringify(fact.reads)}`;
    case 'write':
      return `replica ${fact.replica} ${fact.isResume ? 'resumed' : 'wrote'} ${fact.to}`;
    case 'output':
      return `${fact.where}: ${fact.text}`;
    default: {
      const { type, at, ms, ...rest } = fact;
      return `${type} ${JSON.stringify(rest)}`;
    }
  }
}
