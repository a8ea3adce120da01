import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaderElection } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';
import { DEFAULT_ELECTION } from './default-vocabularies.ts';

type Env = Readonly<Record<string, string>>;

const ELECTIONS: Record<
  string,
  readonly [argv: string[], env: Env, want: Partial<LeaderElection> | undefined]
> = {
  'by default': [[], {}, {}],
  'asked for': [['--leader-elect'], {}, {}],
  'asked for under other names': [['--enable-ha=true', '--leader-election'], {}, {}],
  'not wanted': [['--leader-elect=false'], {}, undefined],
  'not wanted, as Stakater Reloader has it': [['--enable-ha=false'], {}, undefined],
  'not wanted, as wave has it': [['--leader-election=false'], {}, undefined],
  'not wanted by a variable': [[], { RELOADER_OPT_LEADER_ELECT: 'false' }, undefined],
  'wanted on the command line, not by a variable': [
    ['--leader-election'],
    { RELOADER_OPT_LEADER_ELECT: 'false' },
    {},
  ],
  'in a dry run, which writes nothing': [['--dry-run'], {}, undefined],
  'with another state': [['--configmap=mine'], {}, { id: 'mine' }],
  'with a Lease of its own': [
    ['--leader-election-id=stakater-reloader-lock', '--leader-election-namespace=far', '--configmap=mine'],
    {},
    { id: 'stakater-reloader-lock', namespace: 'far' },
  ],
  'with other times': [
    [
      '--leader-election-lease-duration=1m',
      '--leader-election-renew-deadline',
      '3000',
      '--leader-election-retry-period=500ms',
    ],
    {},
    { leaseDurationMs: 60_000, renewDeadlineMs: 3_000, retryPeriodMs: 500 },
  ],
  'without a release': [['--leader-election-release-on-cancel=false'], {}, { releaseOnCancel: false }],
};
for (const [name, [argv, env, want]] of Object.entries(ELECTIONS)) {
  test(`the election ${name}`, () => {
    const command = parseOptions(argv, env);
    assert.equal(command.type, 'run');
    const election = command.type === 'run' ? command.options.leaderElection : undefined;
    assert.deepEqual(election, want && { ...DEFAULT_ELECTION, ...want });
    assert.deepEqual(command.type === 'run' && command.notices, []);
  });
}

const REFUSED: Record<string, RegExp> = {
  '--leader-election-lease-duration=1500ms':
    /^--leader-election-lease-duration: expected a duration of whole/,
  '--leader-election-lease-duration=0': /^--leader-election-lease-duration: expected/,
  '--leader-election-lease-duration=10s':
    /^--leader-election-renew-deadline: expected less than the 10s of --leader-election-lease-duration, got 10s$/,
  '--leader-election-renew-deadline=15s':
    /^--leader-election-renew-deadline: expected less than the 15s of --leader-election-lease-duration, got 15s$/,
  '--leader-election-renew-deadline=2400ms':
    /^--leader-election-retry-period: expected less than the 2s400ms of/,
  '--leader-election-retry-period=9s':
    /^--leader-election-retry-period: expected less than the 10s of .*, got 9s$/,
  '--leader-election-retry-period=0': /^--leader-election-retry-period: expected .* longer than 0/,
  '--leader-elect=perhaps': /^--leader-elect: expected true or false/,
  '--leader-election-id=No': /^--leader-election-id: expected the name of an object/,
  '--leader-election-namespace=a.b': /^--leader-election-namespace: expected the name of a namespace/,
};
for (const [flag, message] of Object.entries(REFUSED)) {
  test(`${flag} is refused`, () => {
    const command = parseOptions([flag], {});
    assert.equal(command.type, 'usage-error');
    assert.match(command.type === 'usage-error' ? command.message : '', message);
  });
}
