/** Who is told outside the cluster: flags, their variables, and those of Stakater Reloader. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALERT_VARIABLES } from '../../../lib/options/alert-settings.ts';
import { variableOf } from '../../../lib/options/flags.ts';
import type { Options, ParsedCommand } from '../../../lib/options/options.ts';
import { parseOptions } from '../../../lib/options/parse-options.ts';

type Env = Readonly<Record<string, string>>;
type Run = ParsedCommand & { readonly type: 'run' };

const SECRET = 'hunter2';
const URL_TEXT = `https://me:${SECRET}@hooks.example.com/${SECRET}`;
const ON: Env = { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: URL_TEXT };

function run(env: Env, argv: readonly string[] = []): Run {
  const command = parseOptions(argv, env);
  assert.ok(command.type === 'run', JSON.stringify(command));
  return command;
}

const ALERTS: Record<string, [Env, argv: string[], Options['alerts']]> = {
  'where nothing is said, none': [{}, [], undefined],
  'with a URL alone, none': [{ ALERT_WEBHOOK_URL: URL_TEXT }, [], undefined],
  'switched off, none': [{ ...ON, ALERT_ON_RELOAD: 'false' }, [], undefined],
  'without a URL, none': [{ ALERT_ON_RELOAD: 'true' }, [], undefined],
  'by the variables of Stakater Reloader': [ON, [], { sink: 'raw', url: URL_TEXT }],
  'with all that it has': [
    { ...ON, ALERT_SINK: 'Slack', ALERT_WEBHOOK_PROXY: 'http://proxy:3128', ALERT_ADDITIONAL_INFO: 'prod' },
    [],
    { sink: 'slack', url: URL_TEXT, proxy: 'http://proxy:3128', additionalInfo: 'prod' },
  ],
  'by flags, which win over variables': [
    { ...ON, ALERT_SINK: 'slack', ALERT_WEBHOOK_PROXY: 'http://proxy:3128' },
    ['--alert-sink=teams', '--alert-webhook-url', 'http://a', '--alert-webhook-proxy='],
    { sink: 'teams', url: 'http://a' },
  ],
  'by our own variables, which win over those': [
    { ...ON, RELOADER_OPT_ALERT_SINK: 'gchat', ALERT_SINK: 'slack' },
    [],
    { sink: 'gchat', url: URL_TEXT },
  ],
  'with the word webhook for a sink, which is raw': [
    ON,
    ['--alert-sink=webhook'],
    { sink: 'raw', url: URL_TEXT },
  ],
  'with nothing for a sink': [ON, ['--alert-sink='], { sink: 'raw', url: URL_TEXT }],
};

describe('alerts are sent', () => {
  for (const [how, [env, argv, alerts]] of Object.entries(ALERTS))
    test(how, () => assert.deepEqual(run(env, argv).options.alerts, alerts));

  test('and each variable of Stakater Reloader bears the name of its flag', () => {
    for (const [variable, flag] of ALERT_VARIABLES)
      assert.equal(`RELOADER_OPT_${variable}`, variableOf(flag));
  });
});

const NOTICES: Record<string, [Env, argv: string[], says: RegExp | undefined]> = {
  'nothing of alerts that can be sent': [ON, [], undefined],
  'nothing where they are switched off': [{ ...ON, ALERT_ON_RELOAD: 'false' }, [], undefined],
  'that there is no address': [
    { ALERT_ON_RELOAD: 'true' },
    [],
    /^ALERT_ON_RELOAD has no effect: no alert is sent, since neither --alert-webhook-url nor ALERT_WEBHOOK_URL/,
  ],
  'that nobody asked for them': [
    { ALERT_WEBHOOK_URL: URL_TEXT },
    [],
    /^ALERT_WEBHOOK_URL has no effect without --alert-on-reload$/,
  ],
  'that nobody asked for them, of a sink alone': [
    {},
    ['--alert-sink=slack'],
    /^--alert-sink has no effect without --alert-on-reload$/,
  ],
  'that nobody asked for them, of a text alone': [
    { ALERT_ADDITIONAL_INFO: 'prod' },
    [],
    /^ALERT_ADDITIONAL_INFO has no effect without --alert-on-reload$/,
  ],
  'nothing of what is said to be nothing': [{}, ['--alert-webhook-proxy='], undefined],
  'that a webhook leaves nothing to alert of': [
    { ...ON, RELOADER_OPT_WEBHOOK_URL: URL_TEXT },
    [],
    /^ALERT_ON_RELOAD has no effect with RELOADER_OPT_WEBHOOK_URL: nothing is rolled here$/,
  ],
};

describe('a warning says', () => {
  for (const [what, [env, argv, says]] of Object.entries(NOTICES)) {
    test(what, () => {
      const { notices } = run(env, argv);
      assert.equal(notices.length, says === undefined ? 0 : 1, notices.join());
      if (says !== undefined) assert.match(notices[0] ?? '', says);
      assert.ok(!notices.join().includes(SECRET));
    });
  }
});

const EXPECTED = 'expected an http:// or https:// URL, with %25 for each % of a user name or password';
const ERRORS: Record<string, [Env, argv: string[], message: string]> = {
  'an unknown sink': [
    { ...ON, ALERT_SINK: 'webex' },
    [],
    'ALERT_SINK: expected one of slack, teams, gchat, raw, got "webex"',
  ],
  'an address that is no URL': [
    { ALERT_ON_RELOAD: 'true', ALERT_WEBHOOK_URL: `hooks.example.com/${SECRET}` },
    [],
    `ALERT_WEBHOOK_URL: ${EXPECTED}`,
  ],
  'an unknown sink before alerts are turned on': [
    { ALERT_SINK: 'webex' },
    [],
    'ALERT_SINK: expected one of slack, teams, gchat, raw, got "webex"',
  ],
  'an address that is no URL before they are turned on': [
    {},
    ['--alert-webhook-url', SECRET],
    `--alert-webhook-url: ${EXPECTED}`,
  ],
  'a proxy of another kind': [
    { ...ON, ALERT_WEBHOOK_PROXY: `socks5://me:${SECRET}@proxy` },
    [],
    `ALERT_WEBHOOK_PROXY: ${EXPECTED}`,
  ],
  'a password that cannot be decoded': [
    { ...ON, ALERT_WEBHOOK_URL: `https://me:${SECRET}%@hooks.example.com` },
    [],
    `ALERT_WEBHOOK_URL: ${EXPECTED}`,
  ],
  'a user name of a proxy that cannot be decoded': [
    { ...ON, ALERT_WEBHOOK_PROXY: `http://${SECRET}%zz@proxy:3128` },
    [],
    `ALERT_WEBHOOK_PROXY: ${EXPECTED}`,
  ],
  'neither yes nor no': [
    { ALERT_ON_RELOAD: 'yes' },
    [],
    'ALERT_ON_RELOAD: expected true or false, got "yes"',
  ],
  'a webhook of another kind': [{}, ['--webhook-url', `ftp://${SECRET}`], `--webhook-url: ${EXPECTED}`],
};

describe('refused is', () => {
  for (const [what, [env, argv, message]] of Object.entries(ERRORS))
    test(what, () => assert.deepEqual(parseOptions(argv, env), { type: 'usage-error', message }));
});

test('a webhook may be any http or https URL, and no text is none', () => {
  assert.equal(run({}, ['--webhook-url', URL_TEXT]).options.webhookUrl, URL_TEXT);
  const quoted = 'https://me:50%25@hooks.example.com/100%';
  assert.equal(run({}, ['--webhook-url', quoted]).options.webhookUrl, quoted);
  assert.equal(run({ RELOADER_OPT_WEBHOOK_URL: 'http://a' }).options.webhookUrl, 'http://a');
  assert.deepEqual('webhookUrl' in run({}, ['--webhook-url=']).options, false);
});
