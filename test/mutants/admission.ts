/** Sabotages of the admission webhook: of what it puts back, of what it lets through, and of what it refuses. */

import type { Mutant } from './table.ts';

const KEPT = ['test/unit/admission/keep-stamps.test.ts'];
const HASHES = ['test/unit/admission/hashes.test.ts'];
const KNOWN = ['test/unit/admission/knowledge.test.ts'];
const REVIEWS = ['test/unit/admission/review.test.ts'];

/** Every one of them must be noticed. */
export const ADMISSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'admission: stamps come back although kubectl undoes',
    file: 'lib/admission/keep-stamps.ts',
    find: "if (request.oldObject !== undefined && isUndo(request)) return 'undo';",
    replace: '',
    tests: KEPT,
  },
  {
    name: 'admission: our own writes are somebody’s',
    file: 'lib/admission/keep-stamps.ts',
    find: "if (request.fieldManager === known.ownManager) return 'own';",
    replace: '',
    tests: KEPT,
  },
  {
    name: 'admission: what follows nothing is looked at',
    file: 'lib/admission/keep-stamps.ts',
    find: "if (refs.length === 0) return passed('unclaimed');",
    replace: '',
    tests: KEPT,
  },
  {
    name: 'admission: objects need not be listed',
    file: 'lib/admission/keep-stamps.ts',
    find: "if (!refs.every((ref) => known.isListed(ref.namespace, ref.kind))) return passed('unknown');",
    replace: '',
    tests: KEPT,
  },
  {
    name: 'admission: a stamp of what is in force replaces an equal one',
    file: 'lib/admission/keep-stamps.ts',
    find: 'if (numberIn(update.marks, own.read) >= current.stamp.number) return [];',
    replace: 'if (numberIn(update.marks, own.read) > current.stamp.number) return [];',
    tests: KEPT,
  },
  {
    name: 'admission: a live stamp replaces an equal one',
    file: 'lib/admission/lacking.ts',
    find: 'return numberIn(update.marks, [mark.variable]) < number &&',
    replace: 'return numberIn(update.marks, [mark.variable]) <= number &&',
    tests: KEPT,
  },
  {
    name: 'admission: what it writes speaks',
    file: 'lib/admission/knowledge.ts',
    find: 'edges.entryOf(ref)?.number ?? FIRST_NUMBER;',
    replace: '(edges.entryOf(ref)?.number ?? FIRST_NUMBER) + 1;',
    tests: KNOWN,
  },
  {
    name: 'admission: what nobody asks for is stamped',
    file: 'lib/admission/knowledge.ts',
    find: 'if (!dialect.judge(workload, ref, annotations).asks) return undefined;',
    replace: '',
    tests: KNOWN,
  },
  {
    name: 'admission: a question is remembered',
    file: 'lib/admission/knowledge.ts',
    find: 'const config = recordOf(edges, ref);\n      if (config?.digest',
    replace: 'const config = edges.configRecordOf(ref);\n      if (config?.digest',
    tests: KNOWN,
  },
  {
    name: 'admission: a dry run is told of as if it were stored',
    file: 'lib/admission/reviewer.ts',
    find: 'if (said === undefined || isDryRun) log.debug',
    replace: 'if (said === undefined) log.debug',
    tests: REVIEWS,
  },
  {
    name: 'admission: no hash beside a stamp',
    file: 'lib/admission/keep-stamps.ts',
    find: 'const annotations = stamps.length === 0 ? {} : hashesOf(known, update, refs);',
    replace: 'const annotations = {};',
    tests: HASHES,
  },
  {
    name: 'admission: a hash of older stamps stays beside newer ones',
    file: 'lib/admission/lacking.ts',
    find: 'present === undefined || (isOld && present.value !== value)',
    replace: 'present === undefined || (isOld && present.value === undefined && value !== undefined)',
    tests: HASHES,
  },
  {
    name: 'admission: a hash is checked that nobody wants checked',
    file: 'lib/admission/hashes.ts',
    find: 'known.checksHashes ? known.dialect.triggersOf(update) : []',
    replace: 'known.dialect.triggersOf(update)',
    tests: HASHES,
  },
  {
    name: 'admission: a hash that was left over holds up everybody',
    file: 'lib/admission/hashes.ts',
    find: '!fits(key) && !isLeft(key)',
    replace: '!fits(key) && (isLeft(key) || true)',
    tests: HASHES,
  },
  {
    name: 'admission: a hash that fits is stored',
    file: 'lib/admission/hashes.ts',
    find: 'checked.filter(fits)',
    replace: 'checked.filter(() => false)',
    tests: HASHES,
  },
  {
    name: 'admission: what is refused is let through',
    file: 'lib/admission/review.ts',
    find: 'allowed: false',
    replace: 'allowed: true',
    tests: REVIEWS,
  },
  {
    name: 'admission: a renewed certificate is used before the API server has heard of it',
    file: 'lib/admission/own-certificate.ts',
    find: '!isTrusted || certificate !== this.#seen',
    replace: 'false',
    tests: ['test/unit/admission/own-certificate.test.ts'],
  },
];
