/** Rules about what another reloader did otherwise, each about one workload. The guides have the same tables in words. */

import { isNameElsewhere, itemsOf } from '../../annotations/name-list.ts';
import { matches } from '../../annotations/name-pattern.ts';
import { everyVocabulary } from '../../annotations/union.ts';
import {
  sapVocabulary,
  stakaterVocabulary,
  type Vocabulary,
  waveVocabulary,
} from '../../annotations/vocabulary.ts';
import { NO_SCHEDULER, WAVE_FINALIZER, waveLeftoversOf } from '../../annotations/wave-leftovers.ts';
import { waveReferencesOf } from '../../annotations/wave-references.ts';
import { CONFIG_KINDS, type ConfigKind, type ConfigRef, keyOf } from '../../model/object-ref.ts';
import type { VocabularyName } from '../../model/settings.ts';
import { listedText } from '../../model/text.ts';
import { referenceOf } from '../../model/workload.ts';
import { OPTIONAL_KINDS, templateOf, WORKLOAD_KINDS } from '../../model/workload-kind.ts';
import { isAutomatic } from '../../options/options.ts';
import { type Facts, nameFor } from '../explain/cause.ts';
import { wordsOf } from '../explain/policy-words.ts';
import type { DifferenceRule, Found } from './differences.ts';

const NONE: readonly Found[] = [];
/** The kinds that every one of the other reloaders rolls. */
const ROLLED_THERE = ['Deployment', 'StatefulSet', 'DaemonSet'];

/** The rules of each reloader. */
export const RULES: Readonly<Record<VocabularyName, readonly DifferenceRule[]>> = {
  stakater: [alternatives, pauseElsewhere, pausedNow, excludedOnTemplate],
  collaborne: [untrimmed, alternativeLists, furtherKinds],
  sap: [untrimmed, furtherKinds, namedOnly, leftTrigger],
  wave: [furtherKinds, initContainers, unmounted, partOfObject, optionalObjects, leftovers],
};

/** The rules of all of them. */
export const COMMON_RULES: readonly DifferenceRule[] = [automaticKind];

/** A kind whose flag is auto: the other one did not roll it, and this one does as soon as it has the rights. */
function automaticKind({ row, reloader: { options } }: Facts): readonly Found[] {
  if (!isAutomatic(options, row.kind)) return NONE;
  const flag = row.kind === 'Rollout' ? 'is-Argo-Rollouts' : 'is-openshift';
  const says = `the other reloader, as it is set, rolls no ${row.kind}s; this one does where the cluster serves them and its account has the rights`;
  const todo = `--${flag}=true to roll it, with the rights; --${flag}=false to leave it alone`;
  return [{ rule: 'kind-by-rights', is: 'decide', about: row.kind, says, todo }];
}

/** `a|b`: there names that begin with a, or end in b. */
function alternatives({ workload, observation, reloader }: Facts): readonly Found[] {
  const { named } = stakaterVocabulary(reloader.options.stakaterKeys);
  const names = (kind: ConfigKind): readonly string[] =>
    [...observation.store.configs.values()]
      .map(({ ref }) => ref)
      .filter((ref) => ref.kind === kind && ref.namespace === workload.ref.namespace)
      .map(({ name }) => name);
  return CONFIG_KINDS.flatMap((kind) =>
    wordsOf(workload)
      .filter(({ key }) => named[kind].includes(key))
      .flatMap(({ key, value }) => itemsOf(value).map((item) => ({ key, item })))
      .flatMap(({ key, item }): readonly Found[] => {
        const parts = partsOf(item);
        if (parts.length < 2) return NONE;
        const there = parts.map((part, index) => {
          const [isFirst, isLast] = [index === 0, index === parts.length - 1];
          return `${isFirst ? '' : '.*'}(?:${part})${isLast ? '' : '.*'}`;
        });
        const lost = names(kind).filter((name) => matches(there.join('|'), name) && !matches(item, name));
        const now =
          lost.length === 0 ? 'no object here is concerned' : `${listedText(lost)} no longer counts`;
        return [
          {
            rule: 'alternatives',
            is: lost.length === 0 ? 'know' : 'decide',
            about: key,
            says: `"${item}" of ${key} matched there names that begin with ${parts[0]} or end in ${parts.at(-1)}, and here whole names: ${now}`,
            ...(lost.length === 0
              ? {}
              : { todo: `to keep it write ${there.join('|').replaceAll('(?:', '(')}` }),
          },
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
  const { pausePeriod } = reloader.options.stakaterKeys;
  const value = workload.annotations[pausePeriod];
  if (value === undefined || row.kind === 'Deployment') return NONE;
  const says = `${pausePeriod} had no effect there on a ${row.kind}; here a change waits ${value} for further ones`;
  return [
    {
      rule: 'pause-elsewhere',
      is: 'know',
      about: pausePeriod,
      says,
      todo: `take it away if that is not meant`,
    },
  ];
}

/** A pause that the other one has begun goes on. */
function pausedNow({ workload, reloader }: Facts): readonly Found[] {
  const { pausedAt } = reloader.options.stakaterKeys;
  if (workload.annotations[pausedAt] === undefined || workload.isPaused !== true) return NONE;
  const says = 'the other reloader has paused it: this one resumes it once the pause is over';
  return [{ rule: 'paused', is: 'know', about: pausedAt, says }];
}

/** Exclude lists of the template count here where the workload has none. */
function excludedOnTemplate({ workload, reloader }: Facts): readonly Found[] {
  const { exclude } = stakaterVocabulary(reloader.options.stakaterKeys);
  return Object.values(exclude)
    .filter(
      (key) => workload.templateAnnotations[key] !== undefined && workload.annotations[key] === undefined,
    )
    .map((key) => ({
      rule: 'excluded-on-template',
      is: 'decide',
      about: key,
      says: `${key} stands on the pod template, where it had no effect there; here it counts`,
      todo: 'take it away to be rolled for these objects, or move it to the workload',
    }));
}

/** Items behind a blank never matched there. */
function untrimmed({ workload, reloader }: Facts): readonly Found[] {
  const lists = [sapVocabulary(), ...everyVocabulary(reloader.options).slice(0, 1)].flatMap(({ named }) =>
    Object.values(named).flat(),
  );
  return wordsOf(workload)
    .filter(({ key }) => lists.includes(key))
    .flatMap(({ key, value }): readonly Found[] => {
      const items = value.split(',').filter((item) => item !== item.trim() && item.trim() !== '');
      if (items.length === 0) return NONE;
      const names = listedText(items.map((item) => item.trim()));
      const says = `${names} in ${key} stands beside a blank, so it was not followed there; here its changes roll`;
      return [
        { rule: 'untrimmed', is: 'decide', about: key, says, todo: `take ${names} out if that is not meant` },
      ];
    });
}

/** Of several keys with lists the first one counted there. */
function alternativeLists({ workload, reloader }: Facts): readonly Found[] {
  const [native] = everyVocabulary(reloader.options);
  return CONFIG_KINDS.flatMap((kind): readonly Found[] => {
    const keys = native.named[kind].filter((key) => workload.annotations[key] !== undefined);
    if (keys.length < 2) return NONE;
    const about = keys.join(', ');
    const says = `one of ${about} counted there; here their lists are one`;
    return [
      { rule: 'lists-merged', is: 'decide', about, says, todo: 'take away the annotation that is not meant' },
    ];
  });
}

/** Annotations on a kind that the other one does not know. */
function furtherKinds({ row, record }: Facts): readonly Found[] {
  if (record === undefined || ROLLED_THERE.includes(row.kind) || isKnownByRights(row.kind)) return NONE;
  const says = `the other reloader rolls no ${row.kind}s; this one, as it is set, rolls it`;
  return [
    {
      rule: 'further-kind',
      is: 'decide',
      about: row.kind,
      says,
      todo: 'take its annotation away to leave it alone',
    },
  ];
}

function isKnownByRights(kind: string): boolean {
  return OPTIONAL_KINDS.some((row) => row.kind === kind);
}

/** An object that is created or deleted rolled there. */
function namedOnly({ record, reloader: { options } }: Facts): readonly Found[] {
  const lacking = missingFlags(options);
  if (record === undefined || lacking.length === 0) return NONE;
  const says =
    'an object that it names rolled it there also when it was created, deleted, or only its labels changed; here a change of content does';
  return [
    {
      rule: 'created-or-deleted',
      is: 'know',
      about: lacking.join(', '),
      says,
      todo: `give the reloader ${lacking.join(' ')} to roll for the first two, where pods can start without the object`,
    },
  ];
}

function missingFlags({ reloadOnCreate, reloadOnDelete }: Facts['reloader']['options']): readonly string[] {
  return [
    ...(reloadOnCreate ? [] : ['--reload-on-create']),
    ...(reloadOnDelete ? [] : ['--reload-on-delete']),
  ];
}

/** The hash that the webhook of SAP should have removed. */
function leftTrigger({ raw }: Facts): readonly Found[] {
  const { trigger = '' } = sapVocabulary();
  if (raw.metadata.annotations?.[trigger] === undefined) return NONE;
  const says = `${trigger} on the workload is a request to the webhook of the other reloader; the next rollout removes it`;
  return [{ rule: 'left-trigger', is: 'know', about: trigger, says }];
}

/** What wave reads of the workload; undefined if it does not ask. */
function waveReads(facts: Facts): readonly ConfigRef[] | undefined {
  const { workload, raw, row } = facts;
  if (workload.annotations[waveVocabulary().auto] !== 'true') return undefined;
  const references = waveReferencesOf(
    templateOf(row, raw) ?? {},
    workload.annotations,
    workload.ref.namespace,
  );
  return references?.map(({ ref }) => ref);
}

/** Objects that only init containers read. */
function initContainers(facts: Facts): readonly Found[] {
  const there = waveReads(facts)?.map(keyOf);
  const { namespace } = facts.workload.ref;
  const more = facts.workload.references.filter(
    ({ kind, name, container }) =>
      container === undefined && there?.includes(keyOf({ kind, namespace, name })) === false,
  );
  if (more.length === 0) return NONE;
  const names = listedText(more.map(({ kind, name }) => `${kind}/${name}`));
  const says = `only init containers read ${names}: a change rolled nothing there, and rolls it here`;
  return [
    {
      rule: 'init-containers',
      is: 'decide',
      about: names,
      says,
      todo: 'nothing, if pods need the new content',
    },
  ];
}

/** Objects of volumes that no container mounts. */
function unmounted(facts: Facts): readonly Found[] {
  const { workload, record } = facts;
  const lost = (waveReads(facts) ?? []).filter(
    (ref) =>
      referenceOf(workload, ref) === undefined &&
      record?.edges.has(keyOf(ref)) !== true &&
      ref.namespace === workload.ref.namespace,
  );
  return lost.map((ref) => ({
    rule: 'unmounted-volume',
    is: 'decide',
    about: nameFor(facts, ref),
    says: `no container mounts the volume with ${nameFor(facts, ref)}: a change rolled it there, and rolls nothing here`,
    todo: `to follow it, name it in ${listOf(waveVocabulary(), ref.kind)}`,
  }));
}

function listOf({ named }: Vocabulary, kind: ConfigKind): string {
  return named[kind][0] ?? '';
}

/** Objects of which wave follows some keys only. */
function partOfObject(facts: Facts): readonly Found[] {
  const { workload, raw, row, reloader } = facts;
  if (waveReads(facts) === undefined || reloader.options.keyScoped) return NONE;
  const references =
    waveReferencesOf(templateOf(row, raw) ?? {}, workload.annotations, workload.ref.namespace) ?? [];
  const parts = references.filter(({ ref, keys }) => keys !== undefined && ref.keys === undefined);
  if (parts.length === 0) return NONE;
  const names = listedText(parts.map(({ ref }) => nameFor(facts, ref)));
  const says = `its pods read single keys of ${names}: other keys rolled nothing there, and roll it here`;
  const todo =
    'write reloader.k8s.collaborne.com/key-scoped: "true" on the workload to follow the keys alone';
  return [{ rule: 'whole-object', is: 'know', about: names, says, todo }];
}

/** Objects that pods start without. */
function optionalObjects(facts: Facts): readonly Found[] {
  const { workload, reloader } = facts;
  const lacking = missingFlags(reloader.options);
  const extras = CONFIG_KINDS.flatMap((kind) =>
    itemsOf(workload.annotations[listOf(waveVocabulary(), kind)]),
  );
  const optional = workload.references
    .filter(({ isOptional }) => isOptional)
    .map(({ kind, name }) => `${kind}/${name}`);
  if (waveReads(facts) === undefined || lacking.length === 0 || extras.length + optional.length === 0)
    return NONE;
  const names = listedText([...optional, ...extras.filter((item) => !isNameElsewhere(item))]);
  const says = `${names || listedText(extras)} may be absent: a creation or a deletion rolled there, and rolls nothing here`;
  return [
    {
      rule: 'created-or-deleted',
      is: 'know',
      about: names,
      says,
      todo: `give the reloader ${lacking.join(' ')} to roll for that`,
    },
  ];
}

/** What wave left on the workload. */
function leftovers({ raw, row, workload }: Facts): readonly Found[] {
  const left = waveLeftoversOf(raw.metadata, templateOf(row, raw) ?? {});
  if (left === undefined) return NONE;
  const finalizer: readonly Found[] =
    left.finalizers.length === 0
      ? NONE
      : [
          {
            rule: 'finalizer',
            is: 'know',
            about: WAVE_FINALIZER,
            says: `the finalizer ${WAVE_FINALIZER} holds up its deletion while wave is gone; this reloader removes it`,
          },
        ];
  if (left.scheduler === undefined) return finalizer;
  const { namespace, name } = workload.ref;
  const todo =
    row.kind === 'StatefulSet'
      ? `kubectl -n ${namespace} delete pod ${name}-0, once: it waits for a pod that never ran`
      : undefined;
  return [
    ...finalizer,
    {
      rule: 'scheduling-disabled',
      is: 'know',
      about: NO_SCHEDULER,
      says: 'wave has disabled its scheduling; this reloader restores its scheduler, and its pods are created anew',
      todo,
    },
  ];
}

/** Every kind that is listed for these rules. */
export const LISTED_KINDS: readonly (typeof WORKLOAD_KINDS)[number][] = [
  ...WORKLOAD_KINDS,
  ...OPTIONAL_KINDS,
];
