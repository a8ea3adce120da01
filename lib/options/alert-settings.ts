/** The settings of alerts; each also goes by the variable that Stakater Reloader has for it. */

import type { AlertOptions } from '../model/settings.ts';
import type { FlagName } from './flags.ts';
import type { Reader } from './reader.ts';
import * as types from './value-types.ts';

/** Variables of Stakater Reloader that stand for flags of ours, after those of our own. */
export const ALERT_VARIABLES: readonly (readonly [variable: string, flag: FlagName])[] = [
  ['ALERT_ON_RELOAD', 'alert-on-reload'],
  ['ALERT_SINK', 'alert-sink'],
  ['ALERT_WEBHOOK_URL', 'alert-webhook-url'],
  ['ALERT_WEBHOOK_PROXY', 'alert-webhook-proxy'],
  ['ALERT_ADDITIONAL_INFO', 'alert-additional-info'],
];

/** Where alerts go; undefined: nowhere. @throws UsageError */
export function alertsFrom(reader: Reader): AlertOptions | undefined {
  // What is wrong is said at once, not on the day on which alerts are turned on.
  const url = reader.one('alert-webhook-url', types.WEBHOOK);
  const sink = reader.one('alert-sink', types.ALERT_SINK) ?? 'raw';
  const proxy = reader.one('alert-webhook-proxy', types.WEBHOOK);
  const additionalInfo = reader.one('alert-additional-info', types.ANY);
  if (!asksForAlerts(reader) || !url) return undefined;
  return { sink, url, ...(proxy ? { proxy } : {}), ...(additionalInfo ? { additionalInfo } : {}) };
}

/** A warning where alerts are asked for and cannot be sent, or the other way round. */
export function alertNotices(reader: Reader, webhookUrl: string | undefined): string[] {
  const asked = reader.sourceOf('alert-on-reload');
  if (!asksForAlerts(reader)) {
    const idle = asked === undefined ? detailsGiven(reader) : [];
    return idle.map((source) => `${source} has no effect without --alert-on-reload`);
  }
  if (webhookUrl !== undefined)
    return [`${asked} has no effect with ${reader.sourceOf('webhook-url')}: nothing is rolled here`];
  if (!reader.one('alert-webhook-url', types.WEBHOOK))
    return [
      `${asked} has no effect: no alert is sent, since neither --alert-webhook-url nor ALERT_WEBHOOK_URL says where to`,
    ];
  return [];
}

/** Where it was said how alerts are sent; an empty value says nothing. */
function detailsGiven(reader: Reader): string[] {
  return ALERT_VARIABLES.flatMap(([, flag]) => {
    const isDetail = flag !== 'alert-on-reload' && reader.one(flag, types.ANY);
    return isDetail ? (reader.sourceOf(flag) ?? []) : [];
  });
}

function asksForAlerts(reader: Reader): boolean {
  return reader.one('alert-on-reload', types.BOOLEAN) ?? false;
}
