/** The settings of a Deployment of Stakater Reloader whose place this program takes. */

import { STAKATER_KEYS, type StakaterKeys } from '../model/settings.ts';
import { type Environment, textOf } from './environment.ts';
import { ALL_FLAGS, FLAGS, type FlagName } from './flags.ts';
import { UsageError } from './options.ts';
import type { Reader } from './reader.ts';

type Word = keyof StakaterKeys;

const NAME_OF_DEPLOYMENT = 'RELOADER_DEPLOYMENT_NAME';
/** Variables that its manifests set and no others do. */
const VARIABLES = [NAME_OF_DEPLOYMENT, 'RELOADER_NAMESPACE'];
/** The kubelet writes such addresses into the variables of a Service, whatever its name. */
const ADDRESS = /^[a-z]+:\/\//;

/**
 * The flag or variable that only Stakater Reloader has, undefined if there is none: its user expects the namespaces that
 * it would watch. A variable RELOADER_OPT_… is written for this program.
 */
export function stakaterSetting(reader: Reader, env: Environment): string | undefined {
  const itsForms = ALL_FLAGS.flatMap(({ name, alias, isStakaters: its }) => {
    const form = its === 'alias' ? alias : `--${name}`;
    return its !== undefined && form !== undefined && reader.sourceOf(name) === form ? [form] : [];
  });
  return itsForms[0] ?? VARIABLES.find((variable) => isSet(env, variable));
}

/** Whether the manifest that started this process is one of Stakater Reloader. */
export function isInPlaceOfStakater(env: Environment): boolean {
  return isSet(env, NAME_OF_DEPLOYMENT);
}

function isSet(env: Environment, variable: string): boolean {
  return textOf(env, variable) !== '' && !ADDRESS.test(textOf(env, variable));
}

/** The flags that rename annotations of its vocabulary. */
export const RENAMING_FLAGS: readonly { readonly flag: FlagName; readonly word: Word }[] = FLAGS.flatMap(
  ({ name, renames }) => (renames === undefined ? [] : [{ flag: name, word: renames }]),
);

/** Keys that may be one: a list of names may be one of both kinds, and a wish for everything one of either kind. */
const SAME: { readonly [W in Word]?: Word } = {
  configMapAuto: 'auto',
  secretAuto: 'auto',
  secret: 'configMap',
};
/** Keys that are read on objects; on a workload the same key may mean another thing. */
const ON_OBJECTS: readonly Word[] = ['match', 'ignore'];

/** The annotations of its vocabulary, as flags rename them. @throws UsageError also where one key would mean two things. */
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
