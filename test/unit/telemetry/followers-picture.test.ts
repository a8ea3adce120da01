/** The picture of one object's followers: whom it shows, in what order and words, and what it may load. */

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { StatusReport, WorkloadStatus } from '../../../lib/model/status-report.ts';
import {
  followersPicture,
  objectIn,
  PICTURE_HEADERS,
  pictureOf,
} from '../../../lib/telemetry/followers-picture.ts';
import { current, outdated, report, workload } from './reports.ts';

const WEB = 'default/ConfigMap/web';
const NOW = new Date('2026-11-21T09:30:05.250Z');

function picture(
  workloads: readonly WorkloadStatus[],
  object = WEB,
  parts: Partial<StatusReport> = {},
): string {
  return followersPicture(report({ workloads, ...parts }), object, NOW);
}

/** All texts, in their order. */
function textsOf(svg: string): readonly string[] {
  return [...svg.matchAll(/<text[^>]*>([^<]*)</g)].map(([, text = '']) => text);
}

const excluded = { ...current('ConfigMap/web'), policy: { asks: false, because: 'excluded' } } as const;
const absent = { ...current('ConfigMap/web'), observed: undefined };

test('it shows the followers of the object alone, those that are out of date first', () => {
  const svg = picture([
    workload('b'),
    workload('current', { follows: [current('ConfigMap/web')] }),
    workload('excluding', { follows: [excluded] }),
    workload('late', { follows: [current('ConfigMap/b'), outdated('ConfigMap/web')] }),
    workload('other', { namespace: 'shop', follows: [absent] }),
    workload('same-name', { follows: [{ ...outdated('ConfigMap/web'), key: 'shop/ConfigMap/web' }] }),
  ]);
  assert.deepEqual(textsOf(svg), [
    'ConfigMap/web in default: 4 followers, as of 2026-11-21T09:30:05.250Z',
    'Deployment/late: out of date',
    'Deployment/current: up to date',
    'Deployment/excluding: not rolled for it',
    'Deployment/other in shop: the object does not exist',
    'ConfigMap/web in default',
  ]);
  assert.equal(svg.match(/<g class="outdated">/g)?.length, 1);
  assert.equal(svg.match(/<g class="left-alone">/g)?.length, 1);
});

test('it names two hundred of them, and how many more there are', () => {
  const many = Array.from({ length: 203 }, (_, i) =>
    workload(`w${i}`, { follows: [current('ConfigMap/web')] }),
  );
  const texts = textsOf(picture(many));
  assert.deepEqual([texts.length, texts.at(-1)], [203, '\u2026 and 3 more']);
  assert.ok(!textsOf(picture(many.slice(3))).some((text) => text.includes('more')));
});

test('it is as large as what it shows', () => {
  const svg = picture([workload('w'.repeat(200), { follows: [current('ConfigMap/web')] })]);
  const [, width, height] = /width="(\d+)" height="(\d+)"/.exec(svg) ?? [];
  const ends = [...svg.matchAll(/x="(\d+)" y="([\d.]+)" width="(\d+)"/g)];
  assert.equal(ends.length, 2);
  for (const [, x, y, own] of ends)
    assert.ok(Number(x) + Number(own) < Number(width) && Number(y) + 24 < Number(height));
});

test('without followers it says so, and repeats nothing of what was asked', () => {
  const asked = '"><script>alert(1)</script>';
  for (const object of [asked, '', 'web']) {
    const svg = picture([workload('web')], object);
    assert.deepEqual(textsOf(svg), ['No workload follows this object, as of 2026-11-21T09:30:05.250Z']);
    assert.ok(!svg.includes('script'));
  }
  const standby = picture([], WEB, { leader: { isThis: false, identity: 'other' } });
  assert.match(standby, /A standby does not know who follows an object/);
});

test('every text is escaped', () => {
  const evil = `"><script>&'`;
  const follows = [{ ...current('x'), key: `default/${evil}/x` }];
  const svg = picture([workload('w', { follows, workload: evil, namespace: evil })], `default/${evil}/x`);
  assert.ok(!svg.includes('<script'));
  assert.equal(svg.split('&quot;&gt;&lt;script&gt;&amp;&#39;').length, 6);
});

test('it is styled by what its policy names, and loads and runs nothing', () => {
  const svg = picture([workload('web')]);
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(svg) ?? [];
  const policy = PICTURE_HEADERS['content-security-policy'] ?? '';
  const hash = createHash('sha256').update(style).digest('base64');
  assert.equal(policy, `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`);
  assert.match(style, /prefers-color-scheme: dark/);
  assert.doesNotMatch(svg.replace('xmlns="http://www.w3.org/2000/svg"', ''), /https?:|href|url\(|@import/);
});

for (const object of [WEB, 'a/Secret/b.c', 'a/b c&d=e', '\ud800'])
  test(`the address of ${JSON.stringify(object)} asks for it`, () => {
    const query = pictureOf(object).replace('followers.svg?', '');
    assert.equal(objectIn(query), object.replace('\ud800', '\ufffd'));
    assert.match(query, /^object=[\w%.+*-]+$/);
  });

test('a query without an object asks for none', () => assert.equal(objectIn('find=web'), ''));
