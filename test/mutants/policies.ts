/** Sabotages of what workloads ask for, and of how that is stamped. */

import type { Mutant } from './table.ts';

const POLICY = 'test/unit/dialects/policy.test.ts';
const VOCABULARY = 'test/unit/dialects/vocabulary.test.ts';
const NAME_PATTERN = 'test/unit/dialects/name-pattern.test.ts';
const MISSING = 'test/unit/dialects/missing.test.ts';
const REFERENCES = 'test/unit/model/references.test.ts';
const RULES = 'test/unit/controller/policy-rules.test.ts';
const PATTERNS = 'test/unit/controller/patterns.test.ts';
const STAMPS = 'test/unit/controller/stamps.test.ts';
const LAW = 'test/unit/controller/state-write-law.test.ts';

/** Every one of them must be noticed. */
export const POLICY_MUTANTS: readonly Mutant[] = [
  {
    name: 'policies: a name goes before exclusion',
    file: 'lib/dialects/policy.ts',
    find: 'if (itemsOf(this.#annotations[kind][exclude[kind]]).includes(name))',
    replace:
      'if (!this.#names(kind, name) && itemsOf(this.#annotations[kind][exclude[kind]]).includes(name))',
    tests: [POLICY],
  },
  {
    name: 'policies: what is ignored is rolled',
    file: 'lib/dialects/policy.ts',
    find: "if (config[ignore] === 'true')",
    replace: "if (config[ignore] === 'yes')",
    tests: [POLICY, RULES],
  },
  {
    name: 'policies: search finds what carries no mark',
    file: 'lib/dialects/policy.ts',
    find: "if (this.#searches(kind) && config[match] === 'true')",
    replace: "if (this.#searches(kind) && config[match] !== 'false')",
    tests: [POLICY, RULES],
  },
  {
    name: 'policies: auto asks for what the pods do not refer to',
    file: 'lib/dialects/policy.ts',
    find: "if (referenceOf(this.#workload, ref) === undefined) return { asks: false, because: 'not-asked' };",
    replace: 'void referenceOf;',
    tests: [POLICY],
  },
  {
    name: 'policies: the words of the template count beside those of the workload',
    file: 'lib/dialects/policy.ts',
    find: 'return hasOwn ? annotations : {',
    replace: 'return hasOwn ? { ...templateAnnotations, ...annotations } : {',
    tests: [VOCABULARY],
  },
  {
    name: 'policies: what is searched is not followed',
    file: 'lib/dialects/policy.ts',
    find: 'return this.#isAuto(kind) || this.#searches(kind);',
    replace: 'return this.#isAuto(kind);',
    tests: [VOCABULARY, RULES],
  },
  {
    name: 'policies: the flag for everything does not yield to auto: false',
    file: 'lib/dialects/vocabulary.ts',
    find: 'this.#options.autoReloadAll && !policies.some((policy) => policy.mentionsAuto(kind))',
    replace: 'this.#options.autoReloadAll',
    tests: [POLICY],
  },
  {
    name: 'policies: the flag for everything does not yield to exclusion',
    file: 'lib/dialects/vocabulary.ts',
    find: "['ignored', 'excluded', 'disabled']",
    replace: "['ignored', 'disabled']",
    tests: [POLICY],
  },
  {
    name: 'policies: an object that is not there is told of in words that do not name it',
    file: 'lib/dialects/vocabulary.ts',
    find: 'naming.flatMap(({ named }) => named[of])',
    replace: 'this.#words.slice(0, 1).flatMap(({ named }) => named[of])',
    tests: [MISSING],
  },
  {
    name: 'policies: an expression matches a part of a name',
    file: 'lib/dialects/name-pattern.ts',
    find: 'expression.matches(name)',
    replace: 'expression.matcher(name).find()',
    tests: [NAME_PATTERN],
  },
  {
    name: 'policies: an expression takes capitals for small letters',
    file: 'lib/dialects/name-pattern.ts',
    find: 'return RE2JS.compile(pattern);',
    replace: 'return RE2JS.compile(pattern, RE2JS.CASE_INSENSITIVE);',
    tests: [NAME_PATTERN],
  },
  {
    name: 'policies: a list may have expressions without end',
    file: 'lib/dialects/name-pattern.ts',
    find: 'withIt <= MOST_LETTERS',
    replace: 'withIt > 0',
    tests: [NAME_PATTERN],
  },
  {
    name: 'policies: a volume that nobody mounts counts',
    file: 'lib/model/references.ts',
    find: 'for (const container of spec?.initContainers ?? []) take(container, undefined);',
    replace: `for (const container of spec?.initContainers ?? []) take(container, undefined);
  for (const all of volumes.values()) for (const mention of all) add(found, mention);`,
    tests: [REFERENCES],
  },
  {
    name: 'policies: the last container that reads an object is the one',
    file: 'lib/model/references.ts',
    find: 'container: known?.container ?? container',
    replace: 'container: container ?? known?.container',
    tests: [REFERENCES],
  },
  {
    name: 'policies: what is not asked for is owed',
    file: 'lib/controller/edges.ts',
    find: 'const isAsked = this.asks(record, config) && !isStep;',
    replace: 'const isAsked = !isStep;',
    tests: [RULES, LAW],
  },
  {
    name: 'policies: what is not asked for keeps what it ran, and is owed once it is asked for',
    file: 'lib/controller/edges.ts',
    find: 'asDeclined(begun, observed, isStep ? undefined : config.writtenAt)',
    replace: '{ ...begun, dirty: false }',
    tests: [RULES, LAW],
  },
  {
    name: 'policies: a version that was declined just after words that asked for it is not owed',
    file: 'lib/controller/follow.ts',
    find: 'Math.max(config.changedAt, declinedAt) <= event.span.from',
    replace: 'config.changedAt <= event.span.from',
    tests: [RULES],
  },
  {
    name: 'policies: words that asked before a change that is heard of first come too late for it',
    file: 'lib/controller/follow.ts',
    find: 'startsWhileOwed || isAskedLate(edges, sight, config, edge)',
    replace: 'startsWhileOwed || (false && isAskedLate(edges, sight, config, edge))',
    tests: [RULES],
  },
  {
    name: 'policies: the annotations of an object are those of its first version',
    file: 'lib/controller/config-controller.ts',
    find: 'record.annotations = object.annotations;',
    replace: 'if (isNew) record.annotations = object.annotations;',
    tests: [RULES],
  },
  {
    name: 'policies: an object that appears is not compared with expressions',
    file: 'lib/controller/config-controller.ts',
    find: 'followAppeared(edges, effects, object.ref, { isInInitialList, span });',
    replace: 'void followAppeared;',
    tests: [PATTERNS],
  },
  {
    name: 'policies: an object that only the state knows is not compared with expressions',
    file: 'lib/cache/names-index.ts',
    find: 'if (ref !== undefined) names.add(ref);',
    replace: 'void ref;',
    tests: [PATTERNS],
  },
  {
    name: 'policies: expressions are compared with the names of all namespaces',
    file: 'lib/cache/names-index.ts',
    find: "return [namespace, kind].join('/');",
    replace: 'return kind;',
    tests: [PATTERNS],
  },
  {
    name: 'policies: for each object that appears all names are looked at',
    file: 'lib/controller/workload-controller.ts',
    find: '(kind) => (kind === ref.kind ? [ref.name] : [])',
    replace: 'edges.namesIn(ref.namespace)',
    tests: [PATTERNS],
  },
  {
    name: 'policies: a stamp in an annotation takes the stamps of the others with it',
    file: 'lib/model/rollout-plan.ts',
    find: 'container === ANNOTATIONS && OBJECT.test(variable)',
    replace: 'container === ANNOTATIONS && variable === STAMPS_ANNOTATION',
    tests: [STAMPS],
  },
  {
    name: 'policies: what tells people is taken for a stamp',
    file: 'lib/model/rollout-plan.ts',
    find: 'container === ANNOTATIONS && OBJECT.test(variable)',
    replace: 'container === ANNOTATIONS && variable !== STAMPS_ANNOTATION',
    tests: [STAMPS],
  },
  {
    name: 'policies: the bare digest of another program is removed',
    file: 'lib/model/rollout-plan.ts',
    find: '(parseStamp(mark.value)?.number ?? 0) > 0',
    replace: '(parseStamp(mark.value)?.number ?? 1) >= 0',
    tests: [STAMPS],
  },
  {
    name: 'policies: a vocabulary reads its own variable alone',
    file: 'lib/dialects/stamp-variables.ts',
    find: 'read: [...ours.read, ...theirs.read, inAnnotations]',
    replace: 'read: ours.read',
    tests: [STAMPS],
  },
  {
    name: 'policies: what a workload says of its strategy is not heard',
    file: 'lib/dialects/vocabulary.ts',
    find: "return own === 'annotations' || own === 'env-vars' ? own : this.#options.strategy;",
    replace: 'void own; return this.#options.strategy;',
    tests: [STAMPS],
  },
  {
    name: 'policies: our annotations are a change of the template by its owner',
    file: 'lib/model/workload.ts',
    find: 'key !== STAMPS_ANNOTATION && !vocabulary.isMarkAnnotation(key)',
    replace: '!vocabulary.isMarkAnnotation(key)',
    tests: [STAMPS],
  },
  {
    name: 'policies: what is declined is never urgent',
    file: 'lib/controller/edges.ts',
    find: 'if (!this.asks(workload, config) && !isStampBelieved) return false;',
    replace: 'if (!this.asks(workload, config)) return false;',
    tests: ['test/unit/controller/policy-rules.test.ts'],
  },
];
