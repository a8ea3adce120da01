/** The settings of alerts, and what becomes of one. */

/** Who takes alerts: what their body looks like. */
export type AlertSink = 'slack' | 'teams' | 'gchat' | 'raw';

/** All of them. */
export const ALERT_SINKS: readonly AlertSink[] = ['slack', 'teams', 'gchat', 'raw'];

/** Where a message goes for each rollout. */
export interface AlertOptions {
  /** @default raw */
  readonly sink: AlertSink;
  /** All of it but scheme and host is a secret. */
  readonly url: string;
  /** The proxy to it. @default what the environment of the process says */
  readonly proxy?: string;
  /** Stands before each message. */
  readonly additionalInfo?: string;
}

/** What became of an alert; there was no room or no time to try those that were dropped. */
export const ALERT_RESULTS = ['sent', 'failed', 'dropped'] as const;

/** See ALERT_RESULTS. */
export type AlertResult = (typeof ALERT_RESULTS)[number];
