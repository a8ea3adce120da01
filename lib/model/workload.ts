/** The view of a workload: only the fields that decisions need. */

import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Hold } from './hold.ts';
import { RESTARTED_AT_ANNOTATION, RESTARTS } from './kinds/argo-rollout.ts';
import { REPLACES_ANNOTATION } from './kinds/built-in.ts';
import type { ConfigRef, WorkloadRef } from './object-ref.ts';
import type { RawContainer, RawMetadata, RawPodTemplate, RawWorkload, Referenced } from './raw-objects.ts';
import { type Reference, referencesOf } from './references.ts';
import { NOTHING, objectIn, pick, type Texts } from './text.ts';
import { isOlder } from './timeline.ts';
import {
  type Declining,
  holdOnPods,
  isRolledOut,
  progressOf,
  type Rolling,
  rollingOf,
  templateOf,
  type WorkloadKind,
} from './workload-kind.ts';

/** The container of a stamp that is an annotation of the template; no real container has this name. */
export const ANNOTATIONS = '';

/** The annotation of a pod template, or of a workload that is restarted, that holds a stamp for each object, as JSON: `{"ConfigMap/web": "<digest>.2"}`. */
export const STAMPS_ANNOTATION = 'reloader.k8s.collaborne.com/stamps';

/** The field of `last-reloaded-from` that holds the same where a patch writes that one: an operator may keep no other. */
export const STAMPS_FIELD = 'stamps';

/** On a workload or an object: nothing is rolled, always or until a time. */
export const HOLD_ANNOTATION = 'reloader.k8s.collaborne.com/hold';
/** On a workload: each rollout waits until a person allows its very content. */
export const APPROVAL_ANNOTATION = 'reloader.k8s.collaborne.com/approval';
/** On a workload: the token of what a person allows to be rolled. The patch that rolls it removes the annotation. */
export const APPROVED_ANNOTATION = 'reloader.k8s.collaborne.com/approved';
/** On a workload: changes are notified, and it is never rolled. */
export const NOTIFY_ONLY_ANNOTATION = 'reloader.k8s.collaborne.com/notify-only';
/** Those by which a person keeps a workload from being rolled: each patch tests them as they were read. */
export const GATE_ANNOTATIONS: readonly string[] = [
  HOLD_ANNOTATION,
  APPROVAL_ANNOTATION,
  APPROVED_ANNOTATION,
  NOTIFY_ONLY_ANNOTATION,
];

/** Annotations that are read, of a workload, its namespace or an object; or labels. */
export type Annotations = Texts;

/** One stamp in a live pod template, of this program or of another reloader; or one of a restart. */
export interface TemplateStamp {
  /** The container whose variable it is, or ANNOTATIONS, or RESTARTS. */
  readonly container: string;
  /** The variable; in annotations the object as in STAMPS_ANNOTATION, or the key of an annotation, whose text is the value. */
  readonly variable: string;
  readonly value: string;
  /** The key of the annotation that has it among others. */
  readonly carrier?: string;
  /** The place of a variable in its container. */
  readonly index?: number;
}

/** An annotation without an effect that is probably meant as policy. */
export interface UnknownAnnotation {
  readonly key: string;
  /** Where it stands; elsewhere than on the workload under a key that is read only there. */
  readonly on: 'workload' | 'template' | 'label';
}

/** One version of a workload. */
export interface Workload {
  readonly ref: WorkloadRef;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** The desired number of pods; undefined if the object does not say. */
  readonly replicas: number | undefined;
  readonly isRolledOut: boolean;
  /** Every pod is of the present template, and ready; a hold does not matter. */
  readonly isComplete: boolean;
  /** See progressOf. */
  readonly progress: number;
  /** What becomes of its pods; absent: nothing, it is rolled out. */
  readonly rolling?: Rolling;
  /** The revision of the present template, see WorkloadKind; undefined if the object does not say. */
  readonly revision: string | undefined;
  /** How long a rollout may make no progress before it counts as failed, in ms. */
  readonly progressDeadlineMs: number;
  /** Why its present template does not become ready, as its controller says. */
  readonly failure?: string;
  /** Why pods of an older template stay. */
  readonly hold: Hold | undefined;
  /** What in its spec makes pods of an older template stay, now or after the next change. */
  readonly holdInSpec?: Hold;
  /** Whether it has no pod template, so that it follows nothing. */
  readonly lacksTemplate?: true;
  /** Its controller updates pods in place where it can, as OpenKruise does: such a pod goes on with the content that it has read. */
  readonly updatesInPlace?: true;
  /** The other object that has its pod template. */
  readonly referenced?: Referenced;
  /** Why it is not rolled in its present condition, whatever its annotations ask for. */
  readonly declines: Declining | undefined;
  /** It is the placeholder of a Job that is created anew. */
  readonly isCopy: boolean;
  /** It is being deleted, or another controller manages it. */
  readonly isLeftAlone: boolean;
  /** Undefined if its kind cannot be paused. */
  readonly isPaused: boolean | undefined;
  /** The metadata annotations in which a policy can be written. */
  readonly annotations: Annotations;
  /** The same of its labels. */
  readonly labels: Annotations;
  /** Those of the pod template in which a policy can be written too. */
  readonly templateAnnotations: Annotations;
  /** At most MOST_UNKNOWN; mostly none. */
  readonly unknownAnnotations: readonly UnknownAnnotation[];
  /** The ConfigMaps and Secrets that the pod template refers to. */
  readonly references: readonly Reference[];
  /** The names of the pod template's containers, in its order. */
  readonly containers: readonly string[];
  /** The maps and lists that a patch would have to create: paths in the pod template, and `own` for its own annotations; mostly few. */
  readonly lacks?: readonly string[];
  readonly stamps: readonly TemplateStamp[];
  /**
   * A digest of the pod template without stamps: an equal one means that no external writer changed the template. A different
   * one alone does not prove a change: another version of the API server may serialize the same template differently.
   */
  readonly templateDigest: string;
  /** The field manager of the latest write to the object itself, by its managedFields. */
  readonly lastManager: string | undefined;
}

/** The questions about the fields of a workload that depend on the vocabularies in use. */
export interface AnnotationReader {
  /** Whether a metadata annotation can hold policy. */
  readonly isPolicyAnnotation: (key: string) => boolean;
  /** The same of a label. */
  readonly isPolicyLabel: (key: string) => boolean;
  /** Whether such an annotation is read on the pod template too. */
  readonly isTemplatePolicyAnnotation: (key: string) => boolean;
  /** Whether a metadata annotation has no effect although it is probably meant as policy. */
  readonly isUnknownAnnotation: (key: string) => boolean;
  /** Whether a workload with these metadata annotations follows the keys that its pods read, and not whole objects. */
  readonly isKeyScoped: (annotations: Annotations) => boolean;
  /** Whether an environment variable is a stamp of ours. */
  readonly isStampVariable: (name: string) => boolean;
  /** Whether an annotation of the pod template counts as a stamp, besides STAMPS_ANNOTATION. */
  readonly isMarkAnnotation: (key: string) => boolean;
}

/** The default of the API server for a Deployment, in seconds. */
const DEFAULT_DEADLINE_S = 600;
const LONGEST_DEADLINE_MS = 3_600_000;

/** How many unknown annotations are kept: a person who corrects these will find the others. */
const MOST_UNKNOWN = 10;
/** How many annotations of an object are compared with keys that count: each comparison takes a while. */
const MOST_READ = 200;
const NO_UNKNOWN: readonly UnknownAnnotation[] = [];

/** The view of `raw`. */
export function workloadOf(kind: WorkloadKind, raw: RawWorkload, vocabulary: AnnotationReader): Workload {
  const { metadata } = raw;
  const template = templateOf(kind, raw) ?? {};
  const containers = template.spec?.containers ?? [];
  return {
    ref: { kind: kind.kind, namespace: metadata.namespace ?? '', name: metadata.name },
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    generation: metadata.generation ?? 0,
    replicas: raw.spec?.replicas,
    isRolledOut: isRolledOut(kind, raw),
    isComplete: kind.isObserved(raw) && kind.rolledOut(raw),
    progress: progressOf(kind, raw),
    revision: kind.revision(raw),
    progressDeadlineMs: progressDeadlineMs(raw),
    hold: holdOnPods(kind, raw),
    ...raritiesOf(kind, raw, vocabulary),
    declines: kind.declines?.(raw),
    isCopy: metadata.annotations?.[REPLACES_ANNOTATION] !== undefined,
    isLeftAlone: metadata.deletionTimestamp !== undefined || kind.isLeftAlone?.(raw) === true,
    isPaused: kind.isPaused?.(raw),
    annotations: pick(metadata.annotations ?? {}, vocabulary.isPolicyAnnotation),
    labels: pick(metadata.labels ?? NOTHING, vocabulary.isPolicyLabel),
    templateAnnotations: pick(template.metadata?.annotations ?? {}, vocabulary.isTemplatePolicyAnnotation),
    unknownAnnotations: unknownAnnotationsOf(metadata, template.metadata?.annotations, vocabulary),
    references: referencesOf(template, vocabulary.isKeyScoped(metadata.annotations ?? NOTHING)),
    containers: containers.map((container) => container.name),
    ...lacksOf(metadata, template),
    stamps: [
      ...containers.flatMap((container) => marksOf(container, vocabulary)),
      ...annotationMarks(template.metadata?.annotations, vocabulary),
      ...restartMarks(kind, raw),
    ],
    templateDigest: digestWithoutMarks(template, vocabulary),
    lastManager: lastManagerOf(metadata),
  };
}

/** What few workloads have. */
function raritiesOf(
  kind: WorkloadKind,
  raw: RawWorkload,
  { isPolicyAnnotation }: AnnotationReader,
): Partial<Workload> {
  const { referenced } = raw;
  const rolling = rollingOf(kind, raw);
  const holdInSpec = kind.hold(raw);
  const failure = kind.isObserved(raw) ? kind.failure?.(raw) : undefined;
  return {
    ...(rolling && { rolling }),
    ...(failure !== undefined && { failure }),
    ...(holdInSpec && { holdInSpec }),
    ...(templateOf(kind, raw) === undefined && { lacksTemplate: true }),
    ...(referenced && {
      referenced: {
        ...referenced,
        annotations: referenced.annotations && pick(referenced.annotations, isPolicyAnnotation),
        ownAnnotations: referenced.ownAnnotations && pick(referenced.ownAnnotations, isPolicyAnnotation),
      },
    }),
    ...(updatesInPlace(raw) && { updatesInPlace: true }),
  };
}

function lacksOf({ annotations }: RawMetadata, { metadata, spec }: RawPodTemplate): Pick<Workload, 'lacks'> {
  const envs = (spec?.containers ?? []).map(({ env }, index) => (env ? '' : `/spec/containers/${index}/env`));
  const ofTemplate = metadata?.annotations ? '' : `/metadata${metadata ? '/annotations' : ''}`;
  const list = [annotations ? '' : 'own', ofTemplate, ...envs].filter((path) => path !== '');
  return list.length === 0 ? {} : { lacks: list };
}

function updatesInPlace({ spec }: RawWorkload): boolean {
  const { type, rollingUpdate } = spec?.updateStrategy ?? {};
  const words = [type, rollingUpdate?.podUpdatePolicy, rollingUpdate?.rollingUpdateType];
  return words.some((word) => typeof word === 'string' && word.startsWith('InPlace'));
}

/**
 * Whether `seen` shows a later version than `known`, of the workload or of the object that has its template: that one may change, or
 * go, while the workload stays at its version.
 */
export function isLater(seen: Workload, known: Workload): boolean {
  if (seen.resourceVersion !== known.resourceVersion)
    return isOlder(known.resourceVersion, seen.resourceVersion);
  const [before, now] = [known.referenced?.resourceVersion ?? '', seen.referenced?.resourceVersion ?? ''];
  return isOlder(before, now) || (before !== '' && now === '');
}

/** Indexes by name, since a template may have thousands of references. */
const INDEXES = new WeakMap<readonly Reference[], ReadonlyMap<string, Reference>>();

/** The reference of a workload's pod template to an object of its namespace. */
export function referenceOf({ references }: Workload, { kind, name }: ConfigRef): Reference | undefined {
  let index = INDEXES.get(references);
  if (index === undefined) {
    index = new Map(references.map((reference) => [`${reference.kind}/${reference.name}`, reference]));
    INDEXES.set(references, index);
  }
  return index.get(`${kind}/${name}`);
}

/** Whether both have the same pod template, with the same stamps. */
export function hasSameTemplate(a: Workload, b: Workload): boolean {
  return a.templateDigest === b.templateDigest && isDeepStrictEqual(a.stamps, b.stamps);
}

/** Only Deployments have a deadline of their own; a very long one, which means "never", is bounded. */
function progressDeadlineMs({ spec }: RawWorkload): number {
  return Math.min((spec?.progressDeadlineSeconds ?? DEFAULT_DEADLINE_S) * 1000, LONGEST_DEADLINE_MS);
}

/** Most workloads have none; these share the empty list, to save memory. */
function unknownAnnotationsOf(
  { annotations: own = {}, labels = NOTHING }: RawMetadata,
  ofTemplate: Annotations = {},
  vocabulary: AnnotationReader,
): readonly UnknownAnnotation[] {
  const { isPolicyAnnotation, isPolicyLabel, isTemplatePolicyAnnotation, isMarkAnnotation } = vocabulary;
  const isMisplaced = (key: string): boolean =>
    !isTemplatePolicyAnnotation(key) && !isMarkAnnotation(key) && isPolicyAnnotation(key);
  const isNoLabel = (key: string): boolean => isPolicyAnnotation(key) && !isPolicyLabel(key);
  const found = (words: Annotations, on: UnknownAnnotation['on'], isMeant: (key: string) => boolean) =>
    meantIn(words, isMeant).map(([key]) => ({ key, on }));
  const unknown = [
    ...found(own, 'workload', vocabulary.isUnknownAnnotation),
    ...found(ofTemplate, 'template', isMisplaced),
    ...found(labels, 'label', isNoLabel),
  ];
  return unknown.length === 0 ? NO_UNKNOWN : unknown.slice(0, MOST_UNKNOWN);
}

/** A bounded number of the annotations or labels that are meant as policy, and have no effect. */
export function meantIn(
  words: Annotations,
  isMeant: (key: string) => boolean,
): readonly (readonly [key: string, value: string])[] {
  const read = Object.entries(words).slice(0, MOST_READ);
  return read.filter(([key]) => isMeant(key)).slice(0, MOST_UNKNOWN);
}

function marksOf(container: RawContainer, vocabulary: AnnotationReader): TemplateStamp[] {
  const { name: own, env } = container;
  return (env ?? []).flatMap(({ name: variable, value = '' }, index) =>
    vocabulary.isStampVariable(variable) ? [{ container: own, variable, value, index }] : [],
  );
}

/** Most templates have none. */
function annotationMarks(
  annotations: Annotations = NOTHING,
  { isMarkAnnotation }: AnnotationReader,
): TemplateStamp[] {
  const container = ANNOTATIONS;
  const marks = Object.entries(annotations).filter(
    ([key]) => key === STAMPS_ANNOTATION || isMarkAnnotation(key),
  );
  return marks.flatMap(([variable, value]) => [
    ...stampsIn(value, container, variable),
    { container, variable, value },
  ]);
}

/** The stamps of a restart, while the object asks for it: if another client takes the restart back, so are the stamps. */
function restartMarks({ isRestarted }: WorkloadKind, raw: RawWorkload): TemplateStamp[] {
  const { [STAMPS_ANNOTATION]: text, [RESTARTED_AT_ANNOTATION]: moment } =
    raw.metadata.annotations ?? NOTHING;
  if (text === undefined || moment === undefined || isRestarted?.(raw, moment) !== true) return [];
  return stampsIn(text, RESTARTS, STAMPS_ANNOTATION);
}

/** None in the hash of another program, nor in a text that a person broke. */
function stampsIn(text: string, container: string, carrier: string): TemplateStamp[] {
  const fields: { readonly [STAMPS_FIELD]?: unknown } = objectIn(text) ?? {};
  const stamps = carrier === STAMPS_ANNOTATION ? fields : fields[STAMPS_FIELD];
  if (typeof stamps !== 'object' || stamps === null) return [];
  const entries = Object.entries(stamps);
  return entries.map(([variable, value]) => ({ container, variable, value: String(value), carrier }));
}

function digestWithoutMarks(template: RawPodTemplate, vocabulary: AnnotationReader): string {
  const { metadata, spec } = templateWithoutMarks(template, vocabulary);
  const images = spec?.containers?.map(({ image }) => image);
  return `${digestOf([metadata?.annotations, images])}.${digestOf([metadata, spec])}`;
}

function digestOf(value: unknown): string {
  return createHash('sha1').update(JSON.stringify(value)).digest('base64url');
}

/** The part of a template digest that no version of the API server writes in another form: of annotations and images. */
export function invariantOf(templateDigest: string): string {
  return templateDigest.split('.', 1).join();
}

/** The part of a vocabulary that distinguishes stamps from the fields of external writers. */
export type MarkWords = Pick<AnnotationReader, 'isStampVariable' | 'isMarkAnnotation'>;

/** The pod template without stamps, as an external writer wrote it. */
export function templateWithoutMarks(template: RawPodTemplate, vocabulary: MarkWords): RawPodTemplate {
  const containers = template.spec?.containers?.map((container) => withoutMarks(container, vocabulary));
  const { annotations = NOTHING } = template.metadata ?? {};
  const isForeign = (key: string): boolean => key !== STAMPS_ANNOTATION && !vocabulary.isMarkAnnotation(key);
  const own = pick(annotations, isForeign);
  const { annotations: _, ...others } = template.metadata ?? {};
  const metadata = own === NOTHING ? others : { ...others, annotations: own };
  return { ...template, metadata, spec: { ...template.spec, ...(containers && { containers }) } };
}

/** Argo's controller completes a container with empty resources, by a write of its own. */
function withoutMarks(container: RawContainer, vocabulary: MarkWords): RawContainer {
  const { env, resources = NOTHING, ...others } = container;
  const rest = Object.keys(resources).length === 0 ? others : { ...others, resources };
  const own = env?.filter((variable) => !vocabulary.isStampVariable(variable.name)) ?? [];
  return own.length === 0 ? rest : { ...rest, env: own };
}

function lastManagerOf({ managedFields = [] }: RawMetadata): string | undefined {
  const own = managedFields.filter(({ manager, subresource }) => manager && subresource === undefined);
  return own.toSorted(({ time: a = '' }, { time: b = '' }) => Number(a > b) - Number(a < b)).at(-1)?.manager;
}
