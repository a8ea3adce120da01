/** The annotations of the stakater vocabulary, as flags rename them. */

import { STAKATER_KEYS, type StakaterKeys } from '../model/settings.ts';
import type { StakaterKeyFlagName } from './flags.ts';
import type { Reader } from './reader.ts';
import { UsageError } from './usage-error.ts';
import * as types from './value-types.ts';

interface Row {
  readonly flag: StakaterKeyFlagName;
  /** Where the annotation is read: a key may stand for one thing on a workload and for another on an object. */
  readonly on: 'workload' | 'object';
  /** What its value is: a list of names may be one of both kinds, and a wish for everything one of either kind. */
  readonly means: string;
}

const ROWS: Readonly<Record<keyof StakaterKeys, Row>> = {
  auto: { flag: 'auto-annotation', on: 'workload', means: 'auto' },
  configMapAuto: { flag: 'configmap-auto-annotation', on: 'workload', means: 'auto' },
  secretAuto: { flag: 'secret-auto-annotation', on: 'workload', means: 'auto' },
  search: { flag: 'auto-search-annotation', on: 'workload', means: 'search' },
  match: { flag: 'search-match-annotation', on: 'object', means: 'match' },
  ignore: { flag: 'ignore-annotation', on: 'object', means: 'ignore' },
  configMap: { flag: 'configmap-annotation', on: 'workload', means: 'names' },
  secret: { flag: 'secret-annotation', on: 'workload', means: 'names' },
  pausePeriod: { flag: 'pause-deployment-annotation', on: 'workload', means: 'period' },
  pausedAt: { flag: 'pause-deployment-time-annotation', on: 'workload', means: 'time' },
};

const WORDS = Object.keys(ROWS) as (keyof StakaterKeys)[];

/** The flags that rename them. */
export const STAKATER_KEY_FLAGS: readonly StakaterKeyFlagName[] = WORDS.map((word) => ROWS[word].flag);

/** Their keys. @throws UsageError also where one key would mean two things. */
export function stakaterKeysFrom(reader: Reader): StakaterKeys {
  const keys: Record<keyof StakaterKeys, string> = { ...STAKATER_KEYS };
  for (const word of WORDS) keys[word] = reader.one(ROWS[word].flag, types.ANNOTATION_KEY) ?? keys[word];
  for (const word of WORDS) {
    const other = WORDS.find((one) => keys[one] === keys[word] && areTwoThings(ROWS[one], ROWS[word]));
    if (other === undefined) continue;
    const [first, second] = [word, other].map((one) => sourceOf(ROWS[one], reader));
    throw new UsageError(`expected ${first} other than ${second}, got ${keys[word]} for both`);
  }
  return keys;
}

function areTwoThings(one: Row, other: Row): boolean {
  return one.on === other.on && one.means !== other.means;
}

function sourceOf({ flag }: Row, reader: Reader): string {
  return reader.sourceOf(flag) ?? `--${flag}`;
}
