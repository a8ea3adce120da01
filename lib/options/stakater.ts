/**
 * Recognizes and reads the settings of a Deployment of Stakater Reloader, so that this program can take its place unchanged.
 */

import { type Environment, STAKATER_KEYS, type StakaterKeys } from '../model/settings.ts';
import { textOf } from './command-line.ts';
import { ALL_FLAGS, FLAGS, type FlagName } from './flags.ts';
import { UsageError } from './options.ts';
import type { Reader } from './reader.ts';

type Word = keyof StakaterKeys;

/** The variable by which its manifests name their Deployment. */
export const NAME_OF_DEPLOYMENT = 'RELOADER_DEPLOYMENT_NAME';
/** Variables that only its manifests set. */
const VARIABLES = [NAME_OF_DEPLOYMENT, 'RELOADER_NAMESPACE'];
/** The form of the addresses that the kubelet writes into variables for Services; such a variable is no setting. */
const ADDRESS = /^[a-z]+:\/\//;

/**
 * A given flag or variable that only Stakater Reloader has; undefined if there is none. With it the default is to watch all
 * namespaces, as that program does. RELOADER_OPT_* variables do not count: they are written for this program.
 */
export function stakaterSetting(reader: Reader, env: Environment): string | undefined {
  const itsForms = ALL_FLAGS.flatMap(({ name, aliases, isStakaters: its }) => {
    const form = its === 'alias' ? aliases[0] : `--${name}`;
    return its !== undefined && form !== undefined && reader.sourceOf(name) === form ? [form] : [];
  });
  return itsForms[0] ?? VARIABLES.find((variable) => isSet(env, variable));
}

/** Whether a variable has a text other than an address, as Kubernetes sets those of Services. */
export function isSet(env: Environment, variable: string): boolean {
  return textOf(env, variable) !== '' && !ADDRESS.test(textOf(env, variable));
}

/** The flags that rename annotations of the stakater vocabulary. */
export const RENAMING_FLAGS: readonly { readonly flag: FlagName; readonly word: Word }[] = FLAGS.flatMap(
  ({ name, renames }) => (renames === undefined ? [] : [{ flag: name, word: renames }]),
);

/** Annotations that may share one key: the name lists of all kinds, and the switches for all kinds and for one. */
const SAME: { readonly [W in Word]?: Word } = {
  configMapAuto: 'auto',
  secretAuto: 'auto',
  secretProviderClassAuto: 'auto',
  secret: 'configMap',
  secretProviderClass: 'configMap',
};
/** Annotations of objects; a key of workloads may be the same. */
const ON_OBJECTS: readonly Word[] = ['match', 'ignore'];

/** The keys of the stakater vocabulary, renamed by flags. @throws UsageError if one key would have two meanings */
export function stakaterKeysFrom(reader: Reader): StakaterKeys {
  const keys: Record<Word, string> = { ...STAKATER_KEYS };
  for (const { flag, word } of RENAMING_FLAGS) {
    const key = reader.get(flag);
    if (typeof key === 'string') keys[word] = key;
  }
  for (const { flag, word } of RENAMING_FLAGS) {
    const other = RENAMING_FLAGS.find((one) => keys[one.word] === keys[word] && areTwoThings(one.word, word));
    if (other === undefined) continue;
    const both = `${reader.placeOf(flag)} other than ${reader.placeOf(other.flag)}`;
    throw new UsageError(`expected ${both}, got ${keys[word]} for both`);
  }
  return keys;
}

function areTwoThings(one: Word, other: Word): boolean {
  const isOnePlace = ON_OBJECTS.includes(one) === ON_OBJECTS.includes(other);
  return isOnePlace && (SAME[one] ?? one) !== (SAME[other] ?? other);
}
