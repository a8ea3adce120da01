/** Sabotages of the admission webhook: of what it puts back, of what it lets through, and of what it refuses. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const KEPT = ['test/unit/admission/mutate.test.ts'];
const HASHES = ['test/unit/admission/hashes.test.ts'];
const KNOWN = ['test/unit/admission/cache-reader.test.ts'];
const REVIEWS = ['test/unit/admission/review.test.ts'];

const CLIENTS = ['test/unit/admission/admission-clients.test.ts'];

/** Every one of them must be noticed. */
export const ADMISSION_MUTANTS: readonly Mutant[] = [
  {
    name: 'admission: stamps come back although kubectl undoes',
    edit: drop('reasonToPass', 'request.oldObject !== undefined && isUndo(request)'),
    tests: KEPT,
  },
  {
    name: 'admission: our own writes are somebody’s',
    edit: drop('reasonToPass', 'request.fieldManager === known.ownManager'),
    tests: KEPT,
  },
  {
    name: 'admission: what follows nothing is looked at',
    edit: drop('mutate', 'refs.length === 0'),
    tests: KEPT,
  },
  {
    name: 'admission: a template is made where there is none',
    edit: drop('mutate', 'template === undefined'),
    tests: KEPT,
  },
  {
    name: 'admission: a kind of any group is known',
    edit: change('kindIn', 'findWorkloadKind(kind)?.group === group', 'findWorkloadKind(kind) !== undefined'),
    tests: REVIEWS,
  },
  {
    name: 'admission: kinds that a cluster may lack are stored as they are',
    edit: change('cacheReaderOf', '[...WORKLOAD_KINDS, ...OPTIONAL_KINDS]', 'WORKLOAD_KINDS'),
    tests: KNOWN,
  },
  { name: 'admission: objects need not be listed', edit: drop('mutate', '!every()'), tests: KEPT },
  {
    name: 'admission: a stamp of what is in force replaces an equal one',
    edit: change(
      'planned',
      'sequenceIn(update.stamps, own.read) >= current.stamp.sequence',
      'sequenceIn(update.stamps, own.read) > current.stamp.sequence',
    ),
    tests: KEPT,
  },
  {
    name: 'admission: a live stamp replaces an equal one',
    edit: change(
      'isStampMissing',
      'sequenceIn(own, [mark.variable]) < number',
      'sequenceIn(own, [mark.variable]) <= number',
    ),
    tests: KEPT,
  },
  {
    name: 'admission: its stamps are uncommitted',
    edit: change(
      'cacheReaderOf',
      'store.persisted.entryOf(ref)?.sequence ?? (leads ? FIRST_SEQUENCE : undefined)',
      '(store.persisted.entryOf(ref)?.sequence ?? FIRST_SEQUENCE) + 1',
    ),
    tests: KNOWN,
  },
  {
    name: 'admission: what nobody asks for is stamped',
    edit: drop('cacheReaderOf', '!vocabularies.judge(workload, ref, annotations).asks'),
    tests: KNOWN,
  },
  {
    name: 'admission: a question is remembered',
    edit: change('cacheReaderOf.currentStamp', 'recordOf()', 'store.configRecordOf(ref)'),
    tests: KNOWN,
  },
  {
    name: 'admission: a dry run is told of as if it were stored',
    edit: change('Reviewer.#decide', 'said === undefined || isDryRun', 'said === undefined'),
    tests: REVIEWS,
  },
  {
    name: 'admission: a client needs no certificate',
    edit: drop('AdmissionServer.#strangerAnswer', '!verifiesClients || !(socket instanceof TLSSocket)'),
    tests: ['test/unit/admission/admission-server.test.ts'],
  },
  {
    name: 'admission: any certificate of a client suffices',
    edit: change('AdmissionServer.#strangerAnswer', 'hasCertificate && socket.authorized', 'hasCertificate'),
    tests: CLIENTS,
  },
  {
    name: 'admission: clients of a former authority stay connected',
    edit: drop('AdmissionServer.trustClients', 'this.#connections.closeAll()'),
    tests: CLIENTS,
  },
  {
    name: 'admission: clients may connect before their authorities are known',
    edit: change('AdmissionServer.#secure', 'pair === undefined || !isReady', 'pair === undefined'),
    tests: CLIENTS,
  },
  {
    name: 'admission: a CA file without a certificate trusts all public authorities',
    edit: drop('readAuthorities', 'authorities.length === 0'),
    tests: ['test/unit/admission/certificate-files.test.ts'],
  },
  {
    name: 'admission: no hash beside a stamp',
    edit: change('planned', 'stamps.length === 0', 'true'),
    tests: HASHES,
  },
  {
    name: 'admission: a hash of older stamps stays beside newer ones',
    edit: change(
      'isOtherMissing',
      'isOld && present.value !== value',
      'isOld && present.value === undefined && value !== undefined',
    ),
    tests: HASHES,
  },
  {
    name: 'admission: a hash is checked that nobody wants checked',
    edit: change('checkHashes', 'known.checksHashes', 'true'),
    tests: HASHES,
  },
  {
    name: 'admission: a hash that was left over holds up everybody',
    edit: drop('checkHashes', '!isLeft()'),
    tests: HASHES,
  },
  {
    name: 'admission: a hash that fits is stored',
    edit: change('checkHashes', 'checked.filter()', 'checked.filter(() => false)'),
    tests: HASHES,
  },
  {
    name: 'admission: what is refused is let through',
    edit: change('reviewRefusing', 'allowed: false,', 'allowed: true'),
    tests: REVIEWS,
  },
  {
    name: 'admission: a renewed certificate is used before the API server has heard of it',
    edit: change('Keeper.#settle', '!isTrusted || certificate !== this.#seen', 'false'),
    tests: ['test/unit/admission/own-certificate.test.ts'],
  },
];
