/** Sabotages of what workloads ask for, and of how that is stamped. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const POLICY = 'test/unit/annotations/policy.test.ts';
const VOCABULARY = 'test/unit/annotations/union.test.ts';
const NAME_PATTERN = 'test/unit/annotations/name-pattern.test.ts';
const MISSING = 'test/unit/annotations/missing.test.ts';
const REFERENCES = 'test/unit/model/references.test.ts';
const RULES = 'test/unit/tracking/policy-rules.test.ts';
const PATTERNS = 'test/unit/tracking/patterns.test.ts';
const STAMPS = 'test/unit/tracking/stamps.test.ts';
const LAW = 'test/unit/state/state-write-law.test.ts';

/** Every one of them must be noticed. */
export const POLICY_MUTANTS: readonly Mutant[] = [
  {
    name: 'policies: a name goes before exclusion',
    edit: change(
      'Policy.judge',
      'this.#isIn(this.#excludes(kind), ref)',
      '!this.#names(ref) && this.#isIn(this.#excludes(kind), ref)',
    ),
    tests: [POLICY],
  },
  {
    name: 'policies: what is ignored is rolled',
    edit: change('Policy.judge', "config[ignore] === 'true'", "config[ignore] === 'yes'"),
    tests: [POLICY, RULES],
  },
  {
    name: 'policies: search finds what carries no mark',
    edit: change('Policy.judge', "config[match] === 'true'", "config[match] !== 'false'"),
    tests: [POLICY, RULES],
  },
  {
    name: 'policies: auto asks for what the pods do not refer to',
    edit: drop('Policy.judge', 'referenceOf(this.#workload, ref) === undefined'),
    tests: [POLICY],
  },
  {
    name: 'policies: the words of the template count beside those of the workload',
    edit: change('policyAnnotations', 'some()', 'false'),
    tests: [VOCABULARY],
  },
  {
    name: 'policies: what is searched is not followed',
    edit: drop('Policy.followsReferences', 'this.#searches()'),
    tests: [VOCABULARY, RULES],
  },
  {
    name: 'policies: the flag for everything does not yield to auto: false',
    edit: drop('Union.#isAll', '!some()'),
    tests: [POLICY],
  },
  {
    name: 'policies: the flag for everything does not yield to exclusion',
    edit: drop('REFUSING', "'excluded'"),
    tests: [POLICY],
  },
  {
    name: 'policies: an object that is not there is told of in words that do not name it',
    edit: change('Union.findingsOfMissingObjects', 'words.flatMap', 'this.#words.slice(0, 1).flatMap'),
    tests: [MISSING],
  },
  {
    name: 'policies: an expression matches a part of a name',
    edit: change('matches', 'matches()', 'expression.matcher(name).find()'),
    tests: [NAME_PATTERN],
  },
  {
    name: 'policies: an expression takes capitals for small letters',
    edit: change('tryCompile', 'compile()', 'RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE)'),
    tests: [NAME_PATTERN],
  },
  {
    name: 'policies: a list may have expressions without end',
    edit: change('expressionsIn', 'withIt <= MOST_LETTERS', 'withIt > 0'),
    tests: [NAME_PATTERN],
  },
  {
    name: 'policies: a volume that nobody mounts counts',
    edit: change(
      'referencesOf',
      'return found.size === 0 ? NONE : [...found.values()];',
      'for (const all of volumes.values()) for (const mention of all) add(found, mention); return found.size === 0 ? NONE : [...found.values()];',
    ),
    tests: [REFERENCES],
  },
  {
    name: 'policies: the last container that reads an object is the one',
    edit: change('add', 'known?.container ?? container', 'container ?? known?.container'),
    tests: [REFERENCES],
  },
  {
    name: 'policies: what is not asked for is owed',
    edit: drop('underPolicy', 'asks()'),
    tests: [RULES, LAW],
  },
  {
    name: 'policies: what is not asked for keeps what it ran, and is owed once it is asked for',
    edit: change(
      'underPolicy',
      "nextEdge(begun, { type: 'skipped', observed })",
      '{ ...begun, mixedPods: false }',
    ),
    tests: [RULES, LAW],
  },
  {
    name: 'policies: a version that was declined just after words that asked for it is not owed',
    edit: change('isAskedLate', 'config.writtenAt', 'config.changedAt'),
    tests: [RULES],
  },
  {
    name: 'policies: words that asked before a change that is heard of first come too late for it',
    edit: drop('followedEdge', 'isAskedLate()'),
    tests: [RULES],
  },
  {
    name: 'policies: the annotations of an object are those of its first version',
    edit: change(
      'takeVersion',
      'record.annotations = object.annotations;',
      'if (record.lastDigest === undefined) record.annotations = object.annotations;',
    ),
    tests: [RULES],
  },
  {
    name: 'policies: an object that appears is not compared with expressions',
    edit: drop('appear', 'followAppeared()'),
    tests: [PATTERNS],
  },
  {
    name: 'policies: an object that only the state knows is not compared with expressions',
    edit: change('namesOfEntries', 'if (ref !== undefined) names.add(ref);', 'void ref;'),
    tests: [PATTERNS],
  },
  {
    name: 'policies: expressions are compared with the names of all namespaces',
    edit: change('names-index/placeOf', 'join()', 'kind'),
    tests: [PATTERNS],
  },
  {
    name: 'policies: for each object that appears all names are looked at',
    edit: change(
      'followAppeared',
      'kind === ref.kind ? [ref.name] : []',
      'store.namesIn(ref.namespace)(kind)',
    ),
    tests: [PATTERNS],
  },
  {
    name: 'policies: a stamp in an annotation takes the stamps of the others with it',
    edit: change('annotatedStamps', 'isStamp()', 'false'),
    tests: [STAMPS],
  },
  {
    name: 'policies: what tells people is taken for a stamp',
    edit: change('annotatedStamps', 'isStamp()', 'true'),
    tests: [STAMPS],
  },
  {
    name: 'policies: the bare digest of another program is removed',
    edit: change(
      'rollout-plan/othersOf',
      '(parseStamp(mark.value)?.sequence ?? 0) > 0',
      '(parseStamp(mark.value)?.sequence ?? 1) >= 0',
    ),
    tests: [STAMPS],
  },
  {
    name: 'policies: a vocabulary reads its own variable alone',
    edit: change('stampVariablesOf', 'ours.read.concat(theirs.read, inAnnotations)', 'ours.read'),
    tests: [STAMPS],
  },
  {
    name: 'policies: what a workload says of its strategy is not heard',
    edit: change('Union.strategyOf', 'own ?? this.#options.strategy', 'this.#options.strategy'),
    tests: [STAMPS],
  },
  {
    name: 'policies: our annotations are a change of the template by its owner',
    edit: drop('templateWithoutMarks', 'key !== STAMPS_ANNOTATION'),
    tests: [STAMPS],
  },
  {
    name: 'policies: what is declined is never urgent',
    edit: drop('wouldForget', '!isStampBelieved'),
    tests: ['test/unit/tracking/policy-rules.test.ts'],
  },
];
