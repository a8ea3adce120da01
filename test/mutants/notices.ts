/** Sabotages of what people are told: when nothing happens, and by Events. */

import type { Mutant } from './table.ts';

const ABSENCES = 'test/unit/controller/absences.test.ts';
const NOTICES = 'test/unit/controller/notices.test.ts';
const SECOND = 'test/unit/dialects/second-reloader.test.ts';
const WORKLOADS = 'test/unit/controller/workload-controller.test.ts';

/** Each must be noticed. */
export const NOTICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'a notice is said again each time that its workload is told of',
    file: 'lib/controller/notices.ts',
    find: 'if (!wasSaid(notice)) this.#options.say',
    replace: 'this.#options.say',
    tests: [NOTICES],
  },
  {
    name: 'a notice stands against a workload that keeps old pods of its owner',
    file: 'lib/controller/notices.ts',
    find: 'isStamped && dialect.pausing.pauseOf(workload) === undefined',
    replace: 'dialect.pausing.pauseOf(workload) === undefined',
    tests: [NOTICES],
  },
  {
    name: 'another reloader stands against a workload for ever',
    file: 'lib/controller/notices.ts',
    find: 'if (met?.hasRolledSince)',
    replace: 'if (met === undefined)',
    tests: [NOTICES],
  },
  {
    name: 'another reloader is seen in what was there before',
    file: 'lib/dialects/second-reloader.ts',
    find: '!before.marks.some((known) => isSame(mark, known))',
    replace: 'isSame(mark, mark)',
    tests: [SECOND],
  },
  {
    name: 'another reloader is seen in what a person brings back',
    file: 'lib/dialects/second-reloader.ts',
    find: "PEOPLES_TOOLS.test(after.lastManager ?? '')",
    replace: 'after.lastManager === PEOPLES_TOOLS.source',
    tests: [SECOND],
  },
  {
    name: 'a notice is made of a name before everything is listed',
    file: 'lib/controller/absences.ts',
    find: 'if (!isSynced(ref.namespace, ref.kind)) {',
    replace: 'if (isSynced === undefined) {',
    tests: [ABSENCES],
  },
  {
    name: 'a notice is made of a name at once',
    file: 'lib/controller/absences.ts',
    find: 'await wait(graceMs, signal);',
    replace: '',
    tests: [ABSENCES],
  },
  {
    name: 'a notice claims what could not be found out',
    file: 'lib/controller/absences.ts',
    find: '    this.suspect(keyOf(ref));\n    return undefined;',
    replace: '    return { ref, leftOutType: undefined, isUnselected: false, selector, similar };',
    tests: [ABSENCES],
  },
  {
    name: 'a notice is made of every opt-out',
    file: 'lib/controller/follow.ts',
    find: 'if (!isUndone) return undefined;',
    replace: 'if (gone.length === 0) return undefined;',
    tests: [WORKLOADS],
  },
  {
    name: 'an Event has another name with another message',
    file: 'lib/model/event-news.ts',
    find: '{ regarding, uid, reason, about }: EventNews',
    replace: '{ regarding, uid, reason, message: about }: EventNews',
    tests: ['test/unit/model/event-news.test.ts'],
  },
  {
    name: 'an autoscaler shortens the pauses between refusals',
    file: 'lib/controller/sight.ts',
    find: 'return !isSameTemplate || known.replicas === seen.replicas;',
    replace: 'return true;',
    tests: [WORKLOADS],
  },
];
