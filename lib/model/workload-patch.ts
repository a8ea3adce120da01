/**
 * The one form of patch: a JSON patch, the same for every kind, made of the cached view, so that nothing is read before it. It keeps
 * the order of variables, which a strategic merge changes where a name occurs twice. An object that has changed in what the patch
 * depends on fails its tests.
 */

import { escaped, type Operation, type TemplatePatch, type VariableChange } from './template-patch.ts';
import { type Annotations, GATE_ANNOTATIONS, type Workload } from './workload.ts';
import { workloadKindOf } from './workload-kind.ts';

type AnnotationChanges = Readonly<Record<string, string | null>>;

/** The changes that one patch makes. */
export interface WorkloadChange {
  /** Annotations of the object itself; null removes one. */
  readonly annotations: AnnotationChanges;
  readonly paused?: true | null | undefined;
  readonly template: TemplatePatch;
  /** Whether to patch the other object that has the template. */
  readonly isOfOwner?: boolean;
  /** Whether to test no generation, which others raise all the time, but only what the patch touches in the template. */
  readonly testsTemplate?: boolean | undefined;
}

/** One change, and the test that it finds what it was planned on. */
interface Step {
  readonly test?: Operation;
  readonly operation?: Operation;
}

const ANNOTATIONS = '/metadata/annotations';

/** The patch that makes `change`. */
export function workloadPatch(workload: Workload, change: WorkloadChange): readonly Operation[] {
  const { uid, generation, annotations, template } = patchedOf(workload, change.isOfOwner === true);
  const steps = templateSteps(workload, template, change.template);
  const isFencedByTemplate = change.testsTemplate === true || generation === 0;
  return [
    ...(isFencedByTemplate ? [] : [tested('/metadata/generation', generation)]),
    // Also beside the generation: an object that is recreated may have the same one.
    ...steps.flatMap(({ test = [] }) => test),
    ...(uid === '' ? [] : [tested('/metadata/uid', uid)]),
    ...annotationTests(annotations, GATE_ANNOTATIONS),
    ...metadataOperations(annotations, change),
    ...steps.flatMap(({ operation = [] }) => operation),
  ];
}

/** The patch that ends a pause: it depends on the annotations that it removes, and on nothing else. */
export function pauseEnd(
  workload: Workload,
  change: Pick<WorkloadChange, 'annotations' | 'paused'>,
): readonly Operation[] {
  const { uid, annotations } = patchedOf(workload, false);
  return [
    tested('/metadata/uid', uid),
    ...annotationTests(annotations, Object.keys(change.annotations)),
    ...metadataOperations(annotations, change),
  ];
}

/** The object that is patched, its annotations if it has any, and the path of its pod template. */
function patchedOf(
  { ref, uid, generation, annotations, lacks = [], referenced }: Workload,
  isOfOwner: boolean,
) {
  const template = ['/spec', ...workloadKindOf(ref.kind).templatePath.map(escaped)].join('/');
  if (referenced === undefined)
    return { uid, generation, annotations: lacks.includes('own') ? undefined : annotations, template };
  const { kind, generation: ofOwner, annotations: owners, ownAnnotations } = referenced;
  // The generation of such a workload is the sum of both.
  if (!isOfOwner) return { uid, generation: generation - ofOwner, annotations: ownAnnotations, template };
  const path = kind === 'PodTemplate' ? '/template' : '/spec/template';
  return { uid: '', generation: ofOwner, annotations: owners, template: path };
}

/** Below a map that is missing every test fails. */
function annotationTests(annotations: Annotations | undefined, keys: readonly string[]): Operation[] {
  if (annotations === undefined) return [tested(ANNOTATIONS, null)];
  return keys.map((key) => tested(`${ANNOTATIONS}/${escaped(key)}`, annotations[key] ?? null));
}

/** An annotation that is not there cannot be removed. */
function metadataOperations(
  annotations: Annotations | undefined,
  { annotations: changes, paused }: Pick<WorkloadChange, 'annotations' | 'paused'>,
): readonly Operation[] {
  const possible = Object.entries(changes).filter(
    ([key, value]) => value !== null || annotations?.[key] !== undefined,
  );
  const path = '/spec/paused';
  return [
    ...annotationOperations(ANNOTATIONS, annotations === undefined, Object.fromEntries(possible)),
    ...(paused === undefined ? [] : [paused === null ? removed(path) : added(path, true)]),
  ];
}

function annotationOperations(path: string, isMissing: boolean, changes: AnnotationChanges): Operation[] {
  const all = Object.entries(changes);
  if (isMissing) return all.length === 0 ? [] : [added(path, changes)];
  return all.map(([key, value]) => {
    const at = `${path}/${escaped(key)}`;
    return value === null ? removed(at) : added(at, value);
  });
}

function templateSteps(
  workload: Workload,
  at: string,
  { annotations, variables }: TemplatePatch,
): readonly Step[] {
  const missing = workload.lacks?.find((path) => path.startsWith('/metadata'));
  const isMissing = missing !== undefined && Object.keys(annotations).length > 0;
  const ofContainers = [...Map.groupBy(variables, ({ container }) => container)];
  return [
    ...(isMissing ? [{ test: tested(at + missing, null) }] : []),
    ...(isMissing && missing === '/metadata' ? [{ operation: added(at + missing, {}) }] : []),
    ...annotationOperations(at + ANNOTATIONS, isMissing, annotations).map((operation) => ({ operation })),
    ...ofContainers.flatMap(([container, changes]) => variableSteps(workload, at, container, changes)),
  ];
}

/** Places do not change until all replacements are made; the last one is removed first; what is new comes first. */
function variableSteps(
  { containers, stamps, lacks = [] }: Workload,
  template: string,
  name: string,
  changes: readonly VariableChange[],
): readonly Step[] {
  const container = `/spec/containers/${containers.indexOf(name)}`;
  const path = `${template}${container}/env`;
  // A copy of a manifest may have a variable twice.
  const marks = stamps.filter((mark) => mark.container === name);
  const existing = changes.flatMap(({ variable, value }) =>
    marks
      .filter((mark) => mark.variable === variable)
      .map(({ index = 0 }) => ({
        index: value === undefined ? index : Number.POSITIVE_INFINITY,
        test: tested(`${path}/${index}/name`, variable),
        operation:
          value === undefined
            ? removed(`${path}/${index}`)
            : { op: 'replace' as const, path: `${path}/${index}`, value: { name: variable, value } },
      })),
  );
  const fresh = changes
    .filter(({ variable, value }) => value !== undefined && marks.every((mark) => mark.variable !== variable))
    .map(({ variable, value }) => ({ name: variable, value }));
  const isMissing = lacks.includes(`${container}/env`);
  const whole = { test: tested(path, null), operation: added(path, fresh) };
  return [
    { test: tested(`${template}${container}/name`, name) },
    ...existing.sort((a, b) => b.index - a.index || 0),
    ...(isMissing && fresh.length > 0
      ? [whole]
      : fresh.reverse().map((variable) => ({ operation: added(`${path}/0`, variable) }))),
  ];
}

function tested(path: string, value: unknown): Operation {
  return { op: 'test', path, value };
}

function added(path: string, value: unknown): Operation {
  return { op: 'add', path, value };
}

function removed(path: string): Operation {
  return { op: 'remove', path };
}
