/**
 * Recognizes and reads the settings of a Deployment of Stakater Reloader, so that this program can take its place unchanged.
 */

import { type Environment, STAKATER_KEYS, type StakaterKeys } from '../model/settings.ts';
import { textOf } from './command-line.ts';
import { ALL_FLAGS, FLAGS, type Flag, type FlagName } from './flags.ts';
import { UsageError } from './options.ts';
import type { Reader } from './reader.ts';

type Word = keyof StakaterKeys;

/** The variable by which its manifests name their Deployment. */
export const NAME_OF_DEPLOYMENT = 'RELOADER_DEPLOYMENT_NAME';
/** Variables that only its manifests set. */
const VARIABLES = [NAME_OF_DEPLOYMENT, 'RELOADER_NAMESPACE'];
/** The flags that rename annotations of the stakater vocabulary. */
export const RENAMING_FLAGS: readonly (Flag<FlagName> & { readonly renames: Word })[] = FLAGS.filter(
  (flag): flag is (typeof RENAMING_FLAGS)[number] => flag.renames !== undefined,
);
/** The forms of flags that only it has. */
export const ITS_FORMS: readonly string[] = [
  ...RENAMING_FLAGS.map(({ name }) => `--${name}`),
  ...['--namespaces-to-ignore', '--namespace-selector', '--resource-label-selector', '--resources-to-ignore'],
  ...['--is-Argo-Rollouts', '--is-openshift', '--enable-csi-integration', '--ignored-workload-types'],
  ...['--enable-ha', '--webhook-url', '--sync-after-restart', '--enable-pprof', '--pprof-addr'],
  ...['--configmap-exclude-annotation', '--secret-exclude-annotation'],
];
/** The form of the addresses that the kubelet writes into variables for Services; such a variable is no setting. */
const ADDRESS = /^[a-z]+:\/\//;

/**
 * A given flag or variable that only Stakater Reloader has; undefined if there is none. With it the default is to watch all
 * namespaces, as that program does. RELOADER_OPT_* variables do not count: they are written for this program.
 */
export function stakaterSetting(reader: Reader, env: Environment): string | undefined {
  const given = ALL_FLAGS.map(({ name }) => reader.sourceOf(name) ?? '');
  return (
    given.find((source) => ITS_FORMS.includes(source)) ?? VARIABLES.find((variable) => isSet(env, variable))
  );
}

/** Whether a variable has a text other than an address, as Kubernetes sets those of Services. */
export function isSet(env: Environment, variable: string): boolean {
  return textOf(env, variable) !== '' && !ADDRESS.test(textOf(env, variable));
}

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
  for (const { property, renames } of RENAMING_FLAGS) {
    const key = reader.flags[property];
    if (typeof key === 'string') keys[renames] = key;
  }
  for (const { name, renames: word } of RENAMING_FLAGS) {
    const other = RENAMING_FLAGS.find(
      ({ renames }) => keys[renames] === keys[word] && areTwoThings(renames, word),
    );
    if (other === undefined) continue;
    const both = `${reader.placeOf(name)} other than ${reader.placeOf(other.name)}`;
    throw new UsageError(`expected ${both}, got ${keys[word]} for both`);
  }
  return keys;
}

function areTwoThings(one: Word, other: Word): boolean {
  const isOnePlace = ON_OBJECTS.includes(one) === ON_OBJECTS.includes(other);
  return isOnePlace && (SAME[one] ?? one) !== (SAME[other] ?? other);
}
