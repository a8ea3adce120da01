/** What flags, variables and values of other reloaders are here. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CommandError } from '../../../../lib/commands/connect.ts';
import { otherValues, valuesFor } from '../../../../lib/commands/migrate/chart-values.ts';
import { argumentsOf, settingsFor } from '../../../../lib/commands/migrate/new-settings.ts';
import { SOURCES } from '../../../../lib/commands/migrate/others.ts';
import { overlayFor } from '../../../../lib/commands/migrate/overlay.ts';
import { parseOptions } from '../../../../lib/options/parse-options.ts';
import { SETTINGS_OF_OTHERS, type SettingsOfOther, shortRow } from './settings-of-others.ts';

const HOME = 'reloader';

function settingsOf({ from, args, env = {}, hidden = [] }: SettingsOfOther): ReturnType<typeof settingsFor> {
  return settingsFor(SOURCES[from], { args, env, hidden }, { home: HOME, settings: [] });
}

describe('the flags of', () => {
  for (const [name, other] of Object.entries(SETTINGS_OF_OTHERS))
    test(name, () => {
      const settings = settingsOf(other);
      const args = argumentsOf(settings);
      assert.deepEqual(args, other.becomes);
      assert.equal(parseOptions(args, {}).type, 'run');
      const rows = settings.rows.map(shortRow);
      for (const row of other.rows ?? [])
        assert.ok(rows.includes(row), `${row} is not among ${rows.join('\n')}`);
    });
});

test('no value that may be a secret is shown', () => {
  const settings = settingsOf(
    SETTINGS_OF_OTHERS['Stakater Reloader of some namespaces, with secrets'] as SettingsOfOther,
  );
  const { rows, variables } = settings;
  const values = valuesFor(settings, { home: HOME, replicas: 1 });
  assert.doesNotMatch(JSON.stringify({ rows, variables, values, args: argumentsOf(settings) }), /hush/);
  const secrets = {
    reloader: {
      webhookUrl: 'https://hush',
      deployment: { env: { secret: { A: 'hush' }, open: { ALERT_WEBHOOK_URL: 'https://hush' } } },
    },
    config: { token: 'hush' },
  };
  const given = otherValues(SOURCES.stakater, secrets, HOME);
  assert.doesNotMatch(JSON.stringify([given.carried, given.rows]), /hush/);
  assert.deepEqual(given.rows.map(shortRow), [
    'reloader.webhookUrl: secret',
    'reloader.deployment.env.secret: secret',
    'reloader.deployment.env.open.ALERT_WEBHOOK_URL: secret',
    'config.token: secret',
  ]);
});

test('a variable from a Secret stays one', () => {
  const hidden = [{ name: 'ALERT_WEBHOOK_URL', valueFrom: { secretKeyRef: { name: 'alerts', key: 'url' } } }];
  const settings = settingsOf({ from: 'stakater', args: [], hidden, becomes: [] });
  const values = valuesFor(settings, { home: HOME, replicas: 1 });
  assert.deepEqual(values['reloader'], {
    ignoreJobs: false,
    ignoreCronJobs: false,
    deployment: { env: { existing: { alerts: { ALERT_WEBHOOK_URL: 'url' } } } },
  });
  assert.match(overlayFor(settings, { home: HOME, replicas: 1 }, '/tmp'), /name: alerts\n +key: url/);
});

test('the rights of several namespaces are no single overlay', () => {
  const settings = settingsOf({ from: 'wave', args: ['--namespaces=a,b'], becomes: [] });
  assert.throws(() => overlayFor(settings, { home: HOME, replicas: 1 }, '/tmp'), CommandError);
});

test('flags that contradict each other are an error, and so are values of a reloader without a chart', () => {
  const args = ['--resources-to-ignore=secrets', '--resources-to-ignore=configmaps'];
  assert.throws(
    () => settingsOf({ from: 'stakater', args, becomes: [] }),
    /Stakater Reloader cannot be used as they are/,
  );
  assert.throws(() => otherValues(SOURCES.collaborne, {}, HOME), /has no chart/);
});
