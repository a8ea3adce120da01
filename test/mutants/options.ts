/** Sabotages of the settings: flags, variables, what goes together, and what is told of them. */

import { change, drop, type Edit } from './edit.ts';
import type { Mutant } from './table.ts';

const TESTS = ['options', 'refused', 'notices', 'stakater', 'printed'].map(
  (name) => `test/unit/options/${name}.test.ts`,
);

const EDITS: Readonly<Record<string, Edit>> = {
  'quotes that pflag takes off stay': change(
    'reader/itemsOf',
    "quoted?.replaceAll('\"\"', '\"') ?? plain",
    'plain',
  ),
  'a selector is not read as a list': change('reader/valueFrom', 'texts.flatMap(itemsOf)', 'texts'),
  'what the table says for a flag that is not given is not read': change(
    'reader/valueFrom',
    'usual === undefined',
    'true',
  ),
  'the first text of several counts': change('reader/valueFrom', 'texts.at(-1)', 'texts[0]'),
  'variables win over flags': change(
    'Reader.constructor',
    'new Map([...environment, ...commandLine])',
    'new Map([...commandLine, ...environment])',
  ),
  'a name counts before its alias': change('longNamesOf', '[alias.slice(2), name]', '[name, alias.slice(2)]'),
  'a variable of another program counts before ours': change(
    'readEnvironment',
    "[flag.variable ?? '', ...variablesOf(flag)]",
    "[...variablesOf(flag), flag.variable ?? '']",
  ),
  'a variable that is empty counts': change('environment/readEnvironment', 'textOf(env, variable)', 'true'),
  'a switch that is off contradicts another flag': change('Reader.asks', 'parseBool(text) !== false', 'true'),
  'a text that may be secret is repeated': change('reader/parsed', 'type.isSecret', 'false'),
  'what stands behind an unknown flag is repeated': change('unknownFlag', "word.split('=')", '[word]'),
  'the port is ours in the manifest of Stakater Reloader': change(
    'servingFrom',
    'isInPlaceOfStakater()',
    'false',
  ),
  'the address of a Service is a setting of Stakater Reloader': drop(
    'isSet',
    '!ADDRESS.test(textOf(env, variable))',
  ),
  'a variable of ours is a setting of Stakater Reloader': change(
    'stakaterSetting',
    'reader.sourceOf(name) === form',
    'reader.sourceOf(name) !== undefined',
  ),
  'one key means two things': change(
    'areTwoThings',
    'ON_OBJECTS.includes(one) === ON_OBJECTS.includes(other)',
    'false',
  ),
  'a key on an object is one on a workload': change(
    'areTwoThings',
    'ON_OBJECTS.includes(one) === ON_OBJECTS.includes(other)',
    'true',
  ),
  'the sink webhook is none': drop('TYPES.sink', "webhook: 'raw',"),
  'a word that every object has is a value': change(
    'value-types/oneOf',
    'meanings.get(text.toLowerCase())',
    'Object.fromEntries(meanings)[text.toLowerCase()]',
  ),
  'a password that cannot be decoded is taken': change('isDecodable', '[username, password]', '[username]'),
  'a pod is like any other place': change('isPod', "textOf() !== ''", 'false'),
  'hosts are looked at where other machines can ask': change('servingFrom', 'isLoopback()', 'true'),
  'an address of IPv6 is never this machine alone': drop('isLoopback', 'loopback.addAddress();'),
  'two free ports are the same one': drop('refuseSamePort', 'one === 0'),
  'the webhook may have the port of the probes': drop(
    'servingFrom',
    "refuseSamePort(reader, { 'webhook-port': admission?.port, 'health-port': healthPort });",
  ),
  'flags of the webhook are taken without it': change('admissionFrom', 'idle === undefined', 'true'),
  'hashes are checked in words that are not in use': drop(
    'admissionFrom',
    "checksHashes && !reader.get('dialects').includes('sap')",
  ),
  'a token counts beside the file of one': drop('NOT_BOTH', "['token', 'token-file']"),
  'nothing needs to be watched': drop('refuseNothing', 'flags.ignoredConfigKinds.length > 1'),
  'no kind of workload needs to be watched': change(
    'refuseNothing',
    'workloadKindsOf().some(({ kind }) => !isAutomatic(flags, kind))',
    'true',
  ),
  'the longest wait may be shorter than the period': change('maxWaitFrom', 'maxWait >= period', 'true'),
  'a variable names namespaces although the command line says all': change(
    'scopeFrom',
    "!reader.isOnCommandLine('namespace')",
    'false',
  ),
  'namespaces are left out where not all are watched': change(
    'optionsFrom',
    'filter()',
    "reader.get('namespaces-to-ignore')",
  ),
  'the lead may end after the lease': change('refuseDisorder', 'renewDeadlineMs >= leaseDurationMs', 'false'),
  'a try to renew may come too late': change('LONGEST_RETRY', '1.2', '1'),
  'a dry run takes a Lease': drop('leaderElectionFrom', '!dryRun'),
  'a variable decides on the election before the command line': change(
    'isWanted',
    'first ?? names.find((name) => reader.sourceOf(name) !== undefined)',
    'names.find((name) => reader.sourceOf(name) !== undefined)',
  ),
  'a token in a variable is warned of': change(
    'dangersIn',
    "reader.isOnCommandLine('token')",
    "reader.asks('token')",
  ),
  'a certificate that is not verified is not warned of': change(
    'dangersIn',
    "reader.get('insecure-skip-tls-verify')",
    'false',
  ),
  'flags without an effect are taken in silence': change('noticesOf', 'reader.asks(name)', 'false'),
  'details of alerts are taken in silence': change(
    'idleIn',
    "reader.sourceOf('alert-on-reload') === undefined",
    'false',
  ),
  'the whole of a strange variable is compared with ours': change(
    'strangeVariables',
    'closestMatch()',
    'closestMatch(VARIABLE_PREFIX + name, ours.map((one) => VARIABLE_PREFIX + one))?.slice(13)',
  ),
  'the help shows no default': change('flagOf', 'row.default === undefined', 'true'),
};

/** Every one of them must be noticed. */
export const OPTION_MUTANTS: readonly Mutant[] = Object.entries(EDITS).map(([what, edit]) => ({
  name: `options: ${what}`,
  edit,
  tests: TESTS,
}));
