/** Which value of the Helm chart sets which flag: the tables of k8s/chart follow from those of the flags. */

import { FLAGS, type Flag, type FlagName, longNamesOf } from '../../lib/options/flags.ts';
import { TYPES } from '../../lib/options/value-types.ts';
import type { JsonObject } from '../sandbox/json.ts';
import { VALUES_ELSEWHERE, valueKeyOf } from './chart-values.ts';

/** What the chart says where a value is absent, other than the program. */
const DEFAULTS: Readonly<{ [N in FlagName]?: string }> = {
  port: '9090',
  'health-port': '8081',
  'state-namespace': "the release's",
  'is-Argo-Rollouts': 'false',
  'is-openshift': 'false',
  'enable-csi-integration': 'false',
  'cronjob-reload': 'run-now, none with reloader.ignoreCronJobs',
  'job-reload': 'recreate, none with reloader.ignoreJobs',
};

/** A flag, and the value that sets it. */
export interface ChartFlag {
  readonly flag: Flag<FlagName>;
  /** The member of `config`; of the others, which it may not be. */
  readonly key: string;
  /** The path of the value. */
  readonly value: string;
  readonly isInConfig: boolean;
  /** The value stands in a Secret, which a variable reads. */
  readonly isSecret: boolean;
  /** Its meaning and default, in one line. */
  readonly help: string;
}

/** The default, as the help of a flag ends with it. */
const DEFAULT = /(?: \(default: .*\))?$/;

/** How a flag is written, which does not concern a value. */
const HOW = /; repeatable or a comma list|; better the variable( or --token-file)?/;

/** All flags but those that ask for a text, and those of the connection: a pod has an account for that. */
export const CHART_FLAGS: readonly ChartFlag[] = FLAGS.filter(
  ({ name, group }) => name !== 'help' && name !== 'version' && group !== 'Connection:',
).map((flag) => {
  const key = valueKeyOf(flag.name);
  const elsewhere = VALUES_ELSEWHERE[flag.name];
  const isSecret = TYPES[flag.type].isSecret === true;
  const usual = DEFAULTS[flag.name];
  return {
    flag,
    key,
    value: elsewhere ?? `config.${key}`,
    isInConfig: elsewhere === undefined,
    isSecret,
    help: (usual === undefined ? flag.help : flag.help.replace(DEFAULT, ` (default: ${usual})`)).replace(
      HOW,
      '',
    ),
  };
});

/** Those that `config` sets. */
const IN_CONFIG: readonly ChartFlag[] = CHART_FLAGS.filter(({ isInConfig }) => isInConfig);

/** The names that `config` may not have, and the value to set in their place. */
export const ELSEWHERE_BY_KEY: Readonly<Record<string, string>> = Object.fromEntries(
  CHART_FLAGS.filter(({ isInConfig }) => !isInConfig).flatMap(({ flag, value }) =>
    longNamesOf(flag).map((name) => [valueKeyOf(name), value]),
  ),
);

/** The members of `config` that stand in a Secret. */
export const SECRET_KEYS: readonly string[] = IN_CONFIG.filter(({ isSecret }) => isSecret).map(
  ({ key }) => key,
);

/** The members of `config` as they stand in values.yaml. */
export function configYaml(): string {
  const groups = Map.groupBy(IN_CONFIG, ({ flag }) => flag.group.replace(':', ''));
  return [...groups]
    .map(([group, members]) => {
      const rows = members.map(
        ({ key, help, isSecret }) =>
          `${commented(isSecret ? `${help}; it is kept in a Secret` : help)}  ${key}: null\n`,
      );
      return `\n  ## ${group}\n${rows.join('')}`;
    })
    .join('')
    .slice(1);
}

/** `text` as lines of a comment. */
function commented(text: string): string {
  return text.replaceAll(/(.{1,120})(?: |$)/g, '  # $1\n');
}

/** The schema of `config`. */
export function configSchema(): JsonObject {
  const ours = IN_CONFIG.map(({ key, flag, help }) => [key, { description: help, ...schemaOf(flag) }]);
  // The templates refuse these, and say which value to set.
  const others = Object.entries(ELSEWHERE_BY_KEY).map(([key, value]) => [
    key,
    { description: `use ${value}` },
  ]);
  return {
    description: 'the flags of the program that no other value sets',
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries([...ours, ...others]) as JsonObject,
  };
}

const DURATION = {
  type: ['string', 'integer', 'null'],
  pattern: '^([0-9]+|([0-9.]+(ns|us|µs|ms|s|m|h))+)$',
  minimum: 0,
};

/** The schema of a flag's value; null is the program's own default. */
export function schemaOf({ type, isList }: Pick<Flag, 'type' | 'isList'>): JsonObject {
  if (isList)
    return { type: ['array', 'null'], items: { ...schemaOf({ type, isList: false }), type: 'string' } };
  if (type === 'switch') return { type: ['boolean', 'null'] };
  if (type.endsWith('duration')) return DURATION;
  const [, min, max] = /^a whole number from (\d+) to (\d+)$/.exec(TYPES[type].expected) ?? [];
  if (max !== undefined) return { type: ['integer', 'null'], minimum: Number(min), maximum: Number(max) };
  const [, words] = /^one of (.*)$/.exec(TYPES[type].expected) ?? [];
  return words === undefined || type === 'workload-kind'
    ? { type: ['string', 'null'] }
    : { enum: [...words.split(', '), null] };
}
