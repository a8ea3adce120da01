/** What would be different for the workloads of this cluster: the controller's findings, and what only the other reloader did otherwise. */

import { itemsOf } from '../../annotations/name-list.ts';
import { matches } from '../../annotations/name-pattern.ts';
import { everyVocabulary } from '../../annotations/union.ts';
import { stakaterVocabulary, workloadKeysOf } from '../../annotations/vocabulary.ts';
import { CONFIG_KINDS } from '../../model/object-ref.ts';
import { listedText } from '../../model/text.ts';
import { OPTIONAL_KINDS } from '../../model/workload-kind.ts';
import { isAutomatic } from '../../options/options.ts';
import type { Facts } from '../explain/cause.ts';
import { causesOf } from '../explain/explanation.ts';
import { wordsOf } from '../explain/policy-words.ts';
import type { Source } from './other-reloader.ts';

/** One difference of one workload. */
export interface Difference {
  /** The rule that applies: one of the controller's, or of this file. */
  readonly rule: string;
  /** `decide`: a person has to decide; `know`: nothing is lost by leaving it as it is. */
  readonly is: 'decide' | 'know';
  readonly workload: string;
  readonly namespace: string;
  readonly about: string;
  readonly says: string;
  readonly todo?: string | undefined;
}

type Found = Omit<Difference, 'workload' | 'namespace'>;
/** Finds differences of one workload; none if the rule does not apply. The guides have them in words. */
type DifferenceRule = (facts: Facts) => readonly Found[];

const NONE: readonly Found[] = [];
/** The kinds that both of the other reloaders roll. */
const ROLLED_THERE = ['Deployment', 'StatefulSet', 'DaemonSet'];
/** The rules of each reloader. */
const RULES: Readonly<Record<Source['name'], readonly DifferenceRule[]>> = {
  stakater: [alternatives, pauseElsewhere, excludedOnTemplate, automaticKind],
  collaborne: [untrimmed, mergedLists, furtherKinds, automaticKind],
};
/** The causes of `explain` that count here, and whether the other reloader did otherwise so that a person has to decide. */
const DECIDED = ['state-named'];
const KNOWN =
  'malformed misplaced mistyped unserved missing kind-not-served kind-of-object-ignored excluded ignored disabled no-reference managed'.split(
    ' ',
  );

/** Whether the workload asks in the words of the other reloader, or carries something of it. */
export function isServedBy(from: Source['name'], { workload, record, reloader, raw }: Facts): boolean {
  const words = everyVocabulary(reloader.options).find(({ name }) => name === from);
  if (words === undefined || record !== undefined) return record !== undefined;
  const keys = [...workloadKeysOf(words), ...Object.values(words.pause ?? {}), ...(words.disabling ?? [])];
  const own = Object.keys(raw.metadata.annotations ?? {});
  return wordsOf(workload).some(({ key }) => keys.includes(key)) || own.some((key) => keys.includes(key));
}

/** The differences of one workload. */
export function differencesOf(from: Source['name'], facts: Facts): readonly Difference[] {
  const { kind, namespace, name } = facts.workload.ref;
  const ofController = causesOf(facts).flatMap((cause): readonly Found[] => {
    if (DECIDED.includes(cause.rule)) return [{ ...cause, is: 'decide' }];
    return KNOWN.includes(cause.rule) ? [{ ...cause, is: 'know' }] : NONE;
  });
  const found = [...ofController, ...otherWords(from, facts), ...RULES[from].flatMap((rule) => rule(facts))];
  return found.map((each) => ({ ...each, workload: `${kind}/${name}`, namespace }));
}

function decide(rule: string, about: string, says: string, todo: string): Found {
  return { rule, is: 'decide', about, says, todo };
}

/** A workload that asks in words which the other reloader does not read, and is rolled here. */
function otherWords(
  from: Source['name'],
  { workload, record, reloader: { options } }: Facts,
): readonly Found[] {
  const asking = everyVocabulary(options)
    .filter(({ name }) => options.dialects.includes(name))
    .filter((words) => wordsOf(workload).some(({ key }) => workloadKeysOf(words).includes(key)))
    .map(({ name }) => name);
  if (record === undefined || asking.length === 0 || asking.includes(from)) return NONE;
  const about = asking.join(', ');
  const says = `it asks in the words of ${about}, which the other reloader does not read: here changes roll it`;
  return [decide('other-words', about, says, `leave ${about} out of --dialects if that is not meant`)];
}

/** A kind whose flag is auto: the other one did not roll it, and this one does as soon as it has the rights. */
function automaticKind({ row: { kind }, reloader: { options } }: Facts): readonly Found[] {
  if (!isAutomatic(options, kind)) return NONE;
  const flag = kind === 'Rollout' ? 'is-Argo-Rollouts' : 'is-openshift';
  const says = `the other reloader, as it is set, rolls no ${kind}s; this one does where the cluster serves them and its account has the rights`;
  const todo = `--${flag}=true to roll it, with the rights; --${flag}=false to leave it alone`;
  return [decide('kind-by-rights', kind, says, todo)];
}

/** `a|b`: there names that begin with a, or end in b. */
function alternatives({ workload, observation, reloader }: Facts): readonly Found[] {
  const { named } = stakaterVocabulary(reloader.options.stakaterKeys);
  const refs = [...observation.store.configs.values()]
    .map(({ ref }) => ref)
    .filter(({ namespace }) => namespace === workload.ref.namespace);
  return CONFIG_KINDS.flatMap((kind) =>
    wordsOf(workload)
      .filter(({ key }) => named[kind].includes(key))
      .flatMap(({ key, value }) => itemsOf(value).map((item) => ({ key, item })))
      .flatMap(({ key, item }): readonly Found[] => {
        const parts = partsOf(item);
        if (parts.length < 2) return NONE;
        const there = parts
          .map(
            (part, index) => `${index === 0 ? '' : '.*'}(${part})${index === parts.length - 1 ? '' : '.*'}`,
          )
          .join('|');
        const lost = refs.filter(
          (ref) => ref.kind === kind && matches(there, ref.name) && !matches(item, ref.name),
        );
        const says = `"${item}" of ${key} matched there names that begin with ${parts[0]} or end in ${parts.at(-1)}, and here whole names`;
        if (lost.length === 0)
          return [
            { rule: 'alternatives', is: 'know', about: key, says: `${says}: no object here is concerned` },
          ];
        const names = listedText(lost.map(({ name }) => name));
        return [
          decide('alternatives', key, `${says}: ${names} no longer counts`, `to keep it write ${there}`),
        ];
      }),
  );
}

const DEPTH: Readonly<Record<string, number>> = { '(': 1, '[': 1, ')': -1, ']': -1 };

/** The parts of an expression between bars that stand in no brackets. */
function partsOf(item: string): readonly string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of item.match(/\\.|./g) ?? []) {
    depth += DEPTH[letter] ?? 0;
    if (letter === '|' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${letter}`);
  }
  return parts;
}

/** A pause of what cannot be paused is a longer window. */
function pauseElsewhere({ workload, row, reloader }: Facts): readonly Found[] {
  const { pausePeriod: about } = reloader.options.stakaterKeys;
  const value = workload.annotations[about];
  if (value === undefined || row.kind === 'Deployment') return NONE;
  const says = `${about} had no effect there on a ${row.kind}; here a change waits ${value} for further ones`;
  return [{ rule: 'pause-elsewhere', is: 'know', about, says, todo: `take it away if that is not meant` }];
}

/** Exclude lists of the template count here where the workload has none. */
function excludedOnTemplate({ workload, reloader }: Facts): readonly Found[] {
  const { exclude } = stakaterVocabulary(reloader.options.stakaterKeys);
  const todo = 'take it away to be rolled for these objects, or move it to the workload';
  return Object.values(exclude)
    .filter((key) => key in workload.templateAnnotations && !(key in workload.annotations))
    .map((key) => {
      const says = `${key} stands on the pod template, where it had no effect there; here it counts`;
      return decide('excluded-on-template', key, says, todo);
    });
}

/** Items behind a blank never matched there. */
function untrimmed({ workload, reloader }: Facts): readonly Found[] {
  const lists = Object.values(everyVocabulary(reloader.options)[0].named).flat();
  return wordsOf(workload)
    .filter(({ key }) => lists.includes(key))
    .flatMap(({ key, value }): readonly Found[] => {
      const items = value.split(',').filter((item) => item !== item.trim() && item.trim() !== '');
      if (items.length === 0) return NONE;
      const names = listedText(items.map((item) => item.trim()));
      const says = `${names} in ${key} stands beside a blank, so it was not followed there; here its changes roll`;
      return [decide('untrimmed', key, says, `take ${names} out if that is not meant`)];
    });
}

/** Of several keys with lists the first one counted there. */
function mergedLists({ workload, reloader }: Facts): readonly Found[] {
  const [native] = everyVocabulary(reloader.options);
  return CONFIG_KINDS.flatMap((kind): readonly Found[] => {
    const keys = native.named[kind].filter((key) => workload.annotations[key] !== undefined);
    if (keys.length < 2) return NONE;
    const about = keys.join(', ');
    const says = `one of ${about} counted there; here their lists are one`;
    return [decide('lists-merged', about, says, 'take away the annotation that is not meant')];
  });
}

/** Annotations on a kind that the other one does not know. */
function furtherKinds({ row: { kind }, record }: Facts): readonly Found[] {
  const isKnown = ROLLED_THERE.includes(kind) || OPTIONAL_KINDS.some((row) => row.kind === kind);
  if (record === undefined || isKnown) return NONE;
  const says = `the other reloader rolls no ${kind}s; this one, as it is set, rolls it`;
  return [decide('further-kind', kind, says, 'take its annotation away to leave it alone')];
}
