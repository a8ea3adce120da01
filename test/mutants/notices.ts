/** Sabotages of what people are told: when nothing happens, and by Events. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

const ABSENCES = 'test/unit/repair/missing-object-probe.test.ts';
const NOTICES = 'test/unit/report/findings.test.ts';
const SECOND = 'test/unit/annotations/second-reloader.test.ts';
const WORKLOADS = 'test/unit/tracking/observe-workload.test.ts';

/** Each must be noticed. */
export const NOTICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a notice is said again each time that its workload is told of',
    edit: change('Findings.#replace', '!wasSaid()', 'true'),
    tests: [NOTICES],
  },
  {
    name: 'a notice stands against a workload that keeps old pods of its owner',
    edit: change(
      'findings/RULES',
      'isStamped && vocabularies.pausing.pauseOf(workload) === undefined',
      'vocabularies.pausing.pauseOf(workload) === undefined',
    ),
    tests: [NOTICES],
  },
  {
    name: 'another reloader stands against a workload for ever',
    edit: change('Findings.rolled', 'met?.hasRolledSince', 'met === undefined'),
    tests: [NOTICES],
  },
  {
    name: 'another reloader is seen in what was there before',
    edit: change('competitorIn', '!known.has()', 'true'),
    tests: [SECOND],
  },
  {
    name: 'another reloader is seen in what a person brings back',
    edit: change('competitorIn', 'PEOPLES_TOOLS.test()', 'after.lastManager === PEOPLES_TOOLS.source'),
    tests: [SECOND],
  },
  {
    name: 'a notice is made of a name before everything is listed',
    edit: change('MissingObjectProbe.#lookInto', '!isSynced()', 'isSynced === undefined'),
    tests: [ABSENCES],
  },
  {
    name: 'a notice is made of a name at once',
    edit: change('MissingObjectProbe.#suspectIn', 'this.#options.graceMs', '0'),
    tests: [ABSENCES],
  },
  {
    name: 'a notice claims what could not be found out',
    edit: change('MissingObjectProbe.#missingObjectOf', "reading.kind === 'failed'", 'false'),
    tests: [ABSENCES],
  },
  {
    name: 'a notice is made of every opt-out',
    edit: change('lostByUndo', '!isUndone', 'gone.length === 0'),
    tests: [WORKLOADS],
  },
  {
    name: 'an Event has another name with another message',
    edit: change('eventNameOf', '[uid, reason, about]', '[uid, reason, arguments[0].message]'),
    tests: ['test/unit/model/event-record.test.ts'],
  },
  {
    name: 'an autoscaler shortens the pauses between refusals',
    edit: change('mayLiftRefusal', '!isSameTemplate || known.replicas === seen.replicas', 'true'),
    tests: [WORKLOADS],
  },
  {
    name: 'what the image leaves out of the client library is not named',
    edit: change('credentials/whyNot', "code === 'ERR_MODULE_NOT_FOUND'", 'false'),
    tests: ['test/unit/kubernetes/credentials.test.ts'],
  },
];
