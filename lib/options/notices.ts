/** Warnings at the start: about flags without an effect, with the reason, and about dangerous ones. */

import { DEAD_FLAGS, FLAGS, type Flag, type FlagName } from './flags.ts';
import type { Options } from './options.ts';
import type { Reader } from './reader.ts';
import { RENAMING_FLAGS } from './stakater.ts';

const OF_ALL_NAMESPACES = ['namespaces-to-ignore', 'namespace-selector', 'namespace-annotations'] as const;
const NATIVE_KEYS = ['alternative-configmap-annotation', 'alternative-secret-annotation'] as const;
const STAKATERS_KEYS = RENAMING_FLAGS.map(({ flag }) => flag);
const ALERT_FLAGS = FLAGS.map(({ name }) => name).filter((name) => name.startsWith('alert-'));
const NO_ADDRESS = 'no alert is sent, since neither --alert-webhook-url nor ALERT_WEBHOOK_URL says where to';
const UNVERIFIED = 'any program on the way to the API server can take its place, read Secrets and the token';
const SHOWN =
  'the command line shows it to every user of this machine; use RELOADER_OPT_TOKEN or --token-file';

/** Flags that have no effect if a condition holds, the reason, and the setting that causes it. */
type Idle = readonly [
  isIdle: boolean,
  flags: readonly Flag['name'][],
  why: string,
  cause?: string | undefined,
];

/** The warnings for the given flags and the options that follow from them. */
export function noticesOf(reader: Reader, options: Options): string[] {
  const dead = DEAD_FLAGS.map(({ name, group }): Idle => [reader.asks(name), [name], group]);
  const idle = [...idleIn(reader, options), ...dead].flatMap(([isIdle, flags, why, cause]) => {
    const sources = isIdle ? flags.flatMap((flag) => reader.sourceOf(flag) ?? []) : [];
    return sources.map((source) => `${source} has no effect${cause ? ` with ${cause}` : ''}: ${why}`);
  });
  const isBoth = reader.isOnCommandLine('namespace') && reader.get('all-namespaces');
  const wins = `${reader.placeOf('namespace')} wins over ${reader.placeOf('all-namespaces')}`;
  return [...(isBoth ? [wins] : []), ...idle, ...dangersIn(reader)];
}

function idleIn(reader: Reader, options: Options): Idle[] {
  const { scope, dialects, webhookUrl, ignoredWorkloadKinds: ignored } = options;
  const place = (flag: FlagName): string => reader.placeOf(flag);
  const alert = reader.get('alert-on-reload');
  const isUnasked = reader.sourceOf('alert-on-reload') === undefined;
  const asked = ALERT_FLAGS.filter((flag) => reader.asks(flag));
  const noCronJobs = options.cronJobReload !== 'none' && ignored.includes('CronJob');
  const noJobs = options.jobReload !== 'none' && ignored.includes('Job');
  const selector = reader.sourceOf('resource-label-selector');
  const noDeletions = options.reloadOnDelete && selector !== undefined;
  const given = 'source' in scope ? scope.source : undefined;
  return [
    [scope.type !== 'all', OF_ALL_NAMESPACES, 'it needs --all-namespaces', given],
    [noDeletions, ['reload-on-delete'], 'a lost label looks like a deletion', selector],
    [!dialects.includes('collaborne'), NATIVE_KEYS, 'it needs collaborne in that list', place('dialects')],
    [!dialects.includes('stakater'), STAKATERS_KEYS, 'it needs stakater in that list', place('dialects')],
    [noCronJobs, ['cronjob-reload'], 'take cronjobs out of that list', place('ignored-workload-types')],
    [noJobs, ['job-reload'], 'take jobs out of that list', place('ignored-workload-types')],
    [!webhookUrl, ['webhook-secret-file'], 'it needs --webhook-url'],
    [isUnasked, asked, 'it needs --alert-on-reload'],
    [alert && webhookUrl !== undefined, ['alert-on-reload'], 'nothing is rolled here', place('webhook-url')],
    [alert && !webhookUrl && !options.alerts, ['alert-on-reload'], NO_ADDRESS],
  ];
}

function dangersIn(reader: Reader): string[] {
  const dangers: readonly (readonly [isSo: boolean, flag: FlagName, why: string])[] = [
    [reader.get('insecure-skip-tls-verify'), 'insecure-skip-tls-verify', UNVERIFIED],
    [reader.isOnCommandLine('token'), 'token', SHOWN],
  ];
  return dangers.flatMap(([isSo, flag, why]) => (isSo ? [`${reader.placeOf(flag)}: ${why}`] : []));
}
