/** The laws of leads, each with a trace that breaks it and one that does not. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { annotationsOf } from '../../lib/model/shards.ts';
import { COPIED_WRITER } from './foreign-leases.ts';
import { judgeLeads } from './leads.ts';
import type { Fact, Trace } from './trace.ts';
import { KNOWN, NOTHING, type Pause, traceOf } from './trace-by-hand.ts';

const LISTED: Fact = { ...KNOWN, state: NOTHING };
const TAKEN: Fact = { ...LISTED, replica: 1 };
const STANDBY: Fact = { type: 'standby', replica: 1 };
const GONE: Fact = { type: 'ended', replica: 1 };
const EDITED: Fact = { type: 'lease-edited' };

function death(how?: 'ended' | 'lost'): Fact {
  return { type: 'died', replica: 0, knewUntil: 0, beliefs: [], state: NOTHING, ...(how && { how }) };
}

/** In the term 2 of replica 0. */
function stateWrite(writer: string, term = 1): Fact {
  const before = stateOf(term, writer);
  return { type: 'write', replica: 0, to: 'state', fenced: true, before, after: stateOf(2, 'replica_x_0') };
}

function stateOf(term: number, writer: string): object {
  return { metadata: { annotations: annotationsOf({ term, writer }) } };
}

interface Case {
  readonly facts: readonly (Fact | Pause)[];
  readonly accounting?: Trace['accounting'];
  readonly wrong?: RegExp;
}

const CASES: Readonly<Record<string, Case>> = {
  'a write long after the last renewal': {
    facts: [{ type: 'unled', replica: 0, path: '/a', sinceMs: 12_000 }],
    wrong: /wrote \/a 12000 ms after/,
  },
  'a write without a Lease': {
    facts: [{ type: 'unled', replica: 0, path: '/a', sinceMs: undefined }],
    wrong: /without a Lease/,
  },
  'a write over the mark of another': {
    facts: [stateWrite('replica_x_1')],
    wrong: /in the term of replica_x_1/,
  },
  'one over a mark that was copied and is of the same term': {
    facts: [stateWrite(COPIED_WRITER, 2)],
    wrong: /in the term of replica_of/,
  },
  'one over a mark that was copied and is of a former term': { facts: [stateWrite(COPIED_WRITER)] },
  'one over the own mark': { facts: [stateWrite('replica_x_0')] },
  'one over none': { facts: [stateWrite('')] },
  'a take-over in time after a kill': { facts: [LISTED, STANDBY, death(), { wait: 18_000 }, TAKEN] },
  'one that is late': { facts: [LISTED, STANDBY, death(), { wait: 19_000 }, TAKEN], wrong: /18400 ms/ },
  'one that is late after an end': {
    facts: [LISTED, STANDBY, death('ended'), { wait: 3000 }, TAKEN],
    wrong: /within 2000 ms/,
  },
  'one that is late where people edit the Lease': {
    facts: [LISTED, STANDBY, EDITED, death(), { wait: 60_000 }, TAKEN],
  },
  'one that is late where news is': {
    facts: [LISTED, STANDBY, death(), { wait: 60_000 }, TAKEN],
    accounting: 'each',
  },
  'one by a process that was not there': { facts: [LISTED, death(), { wait: 60_000 }, TAKEN] },
  'one where the standby went too': {
    facts: [LISTED, STANDBY, death(), { wait: 5000 }, GONE, { wait: 60_000 }, LISTED],
  },
  'a lead that is lost for nothing': { facts: [LISTED, STANDBY, death('lost')], wrong: /lost the lead/ },
};

for (const [name, { facts, accounting = 'grouped', wrong }] of Object.entries(CASES)) {
  test(`${name} ${wrong === undefined ? 'is well' : 'breaks a law'}`, () => {
    const found = judgeLeads(traceOf(facts, {}, accounting));
    if (wrong === undefined) assert.deepEqual(found, []);
    else assert.match(found.map(({ message }) => message).join(), wrong);
  });
}
