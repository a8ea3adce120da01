/** Flags that have no effect beside another one, which leaves out what they speak of. */

import type { VocabularyName } from '../model/settings.ts';
import type { FlagName } from './flags.ts';
import type { Options } from './options.ts';
import type { Reader } from './reader.ts';
import { STAKATER_KEY_FLAGS } from './stakater-keys.ts';

/** By vocabulary: flags that say something of its words alone. */
const OF_DIALECTS: readonly (readonly [vocabularies: VocabularyName, flags: readonly FlagName[]])[] = [
  ['collaborne', ['alternative-configmap-annotation', 'alternative-secret-annotation']],
  ['stakater', STAKATER_KEY_FLAGS],
];

/** A flag that has no effect, and how it would have one. */
type Idle = readonly [flag: FlagName, remedy: string];

/** A warning for each flag that speaks of a vocabulary or of a kind of workload that is left out. */
export function idleNotices(reader: Reader, options: Options): string[] {
  const told = (cause: FlagName, idle: readonly Idle[]): string[] =>
    idle
      .filter(([flag]) => reader.sourceOf(flag) !== undefined)
      .map(
        ([flag, remedy]) =>
          `${reader.sourceOf(flag)} has no effect with ${reader.sourceOf(cause)}: ${remedy}`,
      );
  return [...told('dialects', unspoken(options)), ...told('ignored-workload-types', unserved(options))];
}

function unspoken({ dialects }: Options): readonly Idle[] {
  return OF_DIALECTS.filter(([vocabularies]) => !dialects.includes(vocabularies)).flatMap(
    ([vocabularies, flags]) => flags.map((flag): Idle => [flag, `it needs ${vocabularies} in that list`]),
  );
}

function unserved({ cronJobReload, jobReload, ignoredWorkloadKinds }: Options): readonly Idle[] {
  const asked = [
    { flag: 'cronjob-reload', way: cronJobReload, kind: 'CronJob', resource: 'cronjobs' },
    { flag: 'job-reload', way: jobReload, kind: 'Job', resource: 'jobs' },
  ] as const;
  return asked
    .filter(({ way, kind }) => way !== 'none' && ignoredWorkloadKinds.includes(kind))
    .map(({ flag, resource }): Idle => [flag, `take ${resource} out of that list`]);
}
