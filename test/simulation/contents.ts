/** What stands in the ConfigMaps and Secrets of a history: few contents, each with a text that can be found again. */

import { mountedOf } from '../../lib/model/config-object.ts';
import { ABSENT, algorithmOf, SHA1, UNKEYED } from '../../lib/model/digest.ts';
import { scopedDigestOf } from '../digests.ts';
import { refOf, split } from './api.ts';
import type { ConfigName, Content } from './history.ts';
import { algorithmNamed } from './ring.ts';
import type { Read } from './trace.ts';

const CONTENTS: readonly Content[] = ['A', 'B', 'C'];

/** By algorithm, object and content. */
const DIGESTS = new Map<string, readonly string[]>();

/** The key under which the content stands. */
const SETTINGS = 'settings';

/** A key under which something stands that no pod reads. */
export const NOISE = 'noise';

/** What pods read that read keys: the content, and perhaps a key that is never there. */
export const SCOPES: readonly (readonly string[])[] = [[SETTINGS], ['more', SETTINGS]];

/** The object that holds `content`. */
export function manifestOf(
  config: ConfigName,
  content: Content,
  annotations?: Readonly<Record<string, string>>,
): object {
  const { kind, name } = split(config);
  if (isClass(config)) return { metadata: { name, annotations }, spec: { provider: 'vault' } };
  return { apiVersion: 'v1', kind, metadata: { name, annotations }, data: dataOf(config, content) };
}

/** Whether it is a class: its content stands in no object of its name. */
export function isClass(config: ConfigName): boolean {
  return split(config).kind === 'SecretProviderClass';
}

/** What the driver says of a pod that has mounted `content` of a class; undefined: the provider reports no version. */
export function mountOf(
  config: ConfigName,
  content: Content | undefined,
): { secretProviderClassName: string; mounted: true; objects: { id: string; version: string }[] } {
  const objects = [{ id: 'password', version: content ?? '' }];
  return { secretProviderClassName: split(config).name, mounted: true, objects };
}

/** The data alone. */
export function dataOf(config: ConfigName, content: Content): Record<string, string> {
  const text = markerOf(content);
  const value = split(config).kind === 'Secret' ? Buffer.from(text).toString('base64') : text;
  return { [SETTINGS]: value };
}

/** The content that data of an object are; undefined: none of ours. */
export function contentOf(data: Readonly<Record<string, unknown>> | undefined): Content | undefined {
  const value = String(data?.[SETTINGS] ?? '');
  return CONTENTS.find((content) => MARKERS_OF[content].includes(value));
}

/** The content that a pod read, given as the sandbox tells it; undefined: none of ours, or absent. */
export function contentOfText(text: string): Content | undefined {
  return CONTENTS.find((content) => MARKERS_OF[content].some((marker) => text.includes(marker)));
}

/** What a digest stands for; `other`: none of our contents. */
export function readOfDigest(config: ConfigName, digest: string): Read | 'other' {
  if (digest === ABSENT) return '-';
  const name = algorithmOf(digest);
  if (name === undefined) return 'other';
  return CONTENTS.find((content) => digestsOf(config, content, name).includes(digest)) ?? 'other';
}

function markerOf(content: Content): string {
  return `value-${content.toLowerCase()}-that-nobody-may-tell`;
}

const MARKERS_OF: Readonly<Record<Content, readonly string[]>> = {
  A: bothForms('A'),
  B: bothForms('B'),
  C: bothForms('C'),
};

function bothForms(content: Content): readonly string[] {
  return [markerOf(content), Buffer.from(markerOf(content)).toString('base64')];
}

/** The texts that must not appear in any output. */
export const MARKERS: readonly string[] = Object.values(MARKERS_OF).flat();

/** The digests of Secrets' contents without a key: whoever can guess the content knows it by them. */
export const UNKEYED_DIGESTS: readonly string[] = CONTENTS.flatMap((content) =>
  digestsOf('Secret/', content, SHA1.name),
);

/** Of the whole object, and of what pods may read of it. */
function digestsOf(config: ConfigName, content: Content, algorithm: string): readonly string[] {
  const id = `${algorithm} ${config} ${content}`;
  const digests = DIGESTS.get(id) ?? newDigestsOf(config, content, algorithm);
  DIGESTS.set(id, digests);
  return digests;
}

function newDigestsOf(config: ConfigName, content: Content, name: string): readonly string[] {
  const algorithm = algorithmNamed(name);
  if (algorithm === undefined) return [];
  const ref = refOf(config);
  if (ref.kind === 'SecretProviderClass') {
    const raw = { metadata: ref, status: mountOf(config, content) };
    return [mountedOf(raw, { ...UNKEYED, own: algorithm })?.digest ?? ''];
  }
  const raw = { metadata: { name: ref.name }, data: dataOf(config, content) };
  const ofKeys = algorithm.keyDigestsOf?.(ref, raw) ?? '';
  return [algorithm.digestOf(ref, raw), ...SCOPES.map((keys) => scopedDigestOf(ofKeys, keys))];
}
