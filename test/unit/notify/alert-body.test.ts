import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ConfigRef } from '../../../lib/model/object-ref.ts';
import type { FailureInfo } from '../../../lib/model/outcome.ts';
import type { AlertSink } from '../../../lib/model/settings.ts';
import { alertBodyOf, failureBodyOf } from '../../../lib/notify/alerts.ts';

const WORKLOAD = { kind: 'Deployment', namespace: 'shop', name: 'web' };
const MAP: ConfigRef = { kind: 'ConfigMap', namespace: 'shop', name: 'web' };
const SECRET: ConfigRef = { kind: 'Secret', namespace: 'shop', name: 'tls' };
const TEXT =
  'Reloader detected changes in *web* of type *CONFIGMAP*, *tls* of type *SECRET* in namespace *shop*. Hence reloaded *web* of type *Deployment* in namespace *shop*';

const BODIES: Record<AlertSink, [contentType: string, body: unknown]> = {
  slack: ['application/json', { attachments: [{ color: 'good', author_name: 'Reloader', text: TEXT }] }],
  teams: [
    'application/json',
    {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [{ type: 'TextBlock', text: TEXT, wrap: true }],
          },
        },
      ],
    },
  ],
  gchat: ['application/json', { text: TEXT }],
  raw: ['text/plain; charset=utf-8', TEXT.replaceAll('*', '')],
};

describe('the alert of a rollout with two objects', () => {
  for (const [sink, [contentType, body]] of Object.entries(BODIES)) {
    test(`for ${sink}`, () => {
      const alert = alertBodyOf({ workload: WORKLOAD, objects: [MAP, SECRET] }, { sink: sink as AlertSink });
      assert.equal(alert.contentType, contentType);
      assert.deepEqual(sink === 'raw' ? alert.text : JSON.parse(alert.text), body);
    });
  }
});

test('what a person has to add stands before the words', () => {
  const news = { workload: WORKLOAD, objects: [MAP] };
  const { text } = alertBodyOf(news, { sink: 'raw', additionalInfo: 'cluster "a"', clusterName: 'eu' });
  assert.equal(
    text,
    '[eu] cluster "a" : Reloader detected changes in web of type CONFIGMAP in namespace shop. Hence reloaded web of type Deployment in namespace shop',
  );
});

test('of very many objects the first are named', () => {
  const objects = Array.from({ length: 500 }, (_, i): ConfigRef => ({ ...MAP, name: `map-${i}` }));
  const { text } = alertBodyOf({ workload: WORKLOAD, objects }, { sink: 'raw' });
  assert.match(text, /map-19 of type CONFIGMAP and 480 more in namespace shop/);
});

describe('the alert of a failure', () => {
  const failed = (name: string, reason: FailureInfo['reason'], message: string): FailureInfo => ({
    workload: { ...WORKLOAD, name },
    objects: [MAP],
    reason,
    message,
    cause: '',
  });

  test('names every workload, and has the message of the first', () => {
    const failures = [failed('web', 'ReloadRefused', 'no'), failed('api', 'ReloadRefused', 'never')] as const;
    const text =
      'Reloader detected changes in *web* of type *CONFIGMAP* in namespace *shop*. *web* of type *Deployment*, *api* of type *Deployment*: no (ReloadRefused)';
    assert.deepEqual(JSON.parse(failureBodyOf([...failures], { sink: 'slack' }).text), {
      attachments: [{ color: 'danger', author_name: 'Reloader', text }],
    });
  });

  test('has another colour where a person is only asked', () => {
    const { text } = failureBodyOf([failed('web', 'ApprovalRequired', 'approve it')], { sink: 'slack' });
    assert.match(text, /"color":"warning"/);
  });

  test('is short enough for Teams', () => {
    const failure = failed('web', 'ReloadRefused', 'ä'.repeat(100_000));
    const { text } = failureBodyOf([failure], { sink: 'teams' });
    assert.ok(Buffer.byteLength(text) < 28 * 1024);
  });
});
