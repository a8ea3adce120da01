/** Settings that several rooms read. */

import { parseDurationMs } from './time.ts';

/** The environment of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The settings name no usable API server, credentials or proxy. The message names the flag, file or variable, and quotes nothing of
 * its content.
 */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError';
}

/** The names of the vocabularies. */
export const VOCABULARY_NAMES = ['collaborne', 'stakater', 'sap', 'wave'] as const;

/** One of VOCABULARY_NAMES. */
export type VocabularyName = (typeof VOCABULARY_NAMES)[number];

/** The keys of the vocabulary of Stakater Reloader that can be renamed, as they are by default. */
export const STAKATER_KEYS = {
  auto: 'reloader.stakater.com/auto',
  configMapAuto: 'configmap.reloader.stakater.com/auto',
  secretAuto: 'secret.reloader.stakater.com/auto',
  search: 'reloader.stakater.com/search',
  match: 'reloader.stakater.com/match',
  ignore: 'reloader.stakater.com/ignore',
  configMap: 'configmap.reloader.stakater.com/reload',
  secret: 'secret.reloader.stakater.com/reload',
  secretProviderClass: 'secretproviderclass.reloader.stakater.com/reload',
  secretProviderClassAuto: 'secretproviderclass.reloader.stakater.com/auto',
  secretProviderClassExclude: 'secretproviderclasses.exclude.reloader.stakater.com/reload',
  pausePeriod: 'deployment.reloader.stakater.com/pause-period',
  pausedAt: 'deployment.reloader.stakater.com/paused-at',
} as const;

/** These keys, by default or renamed. */
export type StakaterKeys = Readonly<Record<keyof typeof STAKATER_KEYS, string>>;

/** A limit of rollouts; more of them within that time are a sign of an object that changes for ever. */
export interface RolloutLimit {
  /** At least 1. */
  readonly rollouts: number;
  readonly withinMs: number;
}

/** How often a workload may be rolled. */
export interface Pace {
  /** The least time between two rollouts, in ms. */
  readonly minIntervalMs: number;
  /** Undefined for no limit. */
  readonly limit: RolloutLimit | undefined;
}

/** The pace of a workload that may be rolled at every change. */
export const UNHURRIED: Pace = { minIntervalMs: 0, limit: undefined };

/** Parses `20/1h` or `off`; undefined for any other text. */
export function parseRolloutLimit(text: string): RolloutLimit | 'off' | undefined {
  if (text.trim() === 'off') return 'off';
  const [, rollouts = '', within = ''] = /^([1-9]\d{0,3})\s*\/\s*(\S+)$/.exec(text.trim()) ?? [];
  const withinMs = parseDurationMs(within);
  return rollouts === '' || !withinMs ? undefined : { rollouts: Number(rollouts), withinMs };
}

/** One boundary of stages: so many workloads, or so much of them, have begun at the end of the stage. */
export type StageEnd = { readonly count: number } | { readonly percent: number };

/** How a change that concerns several workloads is rolled out. */
export interface Staging {
  /** In turn, cumulative. @default objects without the annotation have no stages */
  readonly stages?: readonly StageEnd[] | undefined;
  /** For how long the workloads of a stage stay ready before the next stage begins. */
  readonly soakMs: number;
}

const MOST_STAGES = 20;

/** Parses `1,10%,50%,100%`; undefined for any other text. */
export function parseStages(text: string): readonly StageEnd[] | undefined {
  const parts = text.split(',').map((part) => /^\s*([1-9]\d{0,4})(%?)\s*$/.exec(part));
  if (parts.length > MOST_STAGES) return undefined;
  const ends = parts.map((part) => {
    const number = Number(part?.[1]);
    return part?.[2] === '%' ? { percent: number } : { count: number };
  });
  const isValid = (end: StageEnd): boolean => ('percent' in end ? end.percent <= 100 : end.count > 0);
  return ends.every(isValid) ? ends : undefined;
}

/** How to reach the API server; absent settings come from the kubeconfig or from the pod's service account. */
export interface ConnectionOptions {
  /** Path of a kubeconfig. */
  readonly kubeconfig?: string | undefined;
  /** Name of a context in it. @default its current-context */
  readonly context?: string | undefined;
  /** An http or https URL without credentials. */
  readonly server?: string | undefined;
  /** Path of a PEM file; never together with `insecureSkipTlsVerify`. */
  readonly certificateAuthority?: string | undefined;
  /** Path of a PEM file; always together with `clientKey`. */
  readonly clientCertificate?: string | undefined;
  /** Path of a PEM file; always together with `clientCertificate`. */
  readonly clientKey?: string | undefined;
  /** Without it no credentials are sent over http. @default false */
  readonly insecureSkipTlsVerify?: boolean | undefined;
  /** A bearer token: secret; never together with `tokenFile`. */
  readonly token?: string | undefined;
  /** Path of a file with a bearer token; read again once a minute, and when the server no longer takes the old one. */
  readonly tokenFile?: string | undefined;
}

/** The receivers of alerts, which determine the format of their body. */
export const ALERT_SINKS = ['slack', 'teams', 'gchat', 'raw'] as const;

/** One of ALERT_SINKS. */
export type AlertSink = (typeof ALERT_SINKS)[number];

/** Where alerts go. */
export interface AlertOptions {
  /** @default raw */
  readonly sink: AlertSink;
  /** A secret, except for scheme and host. */
  readonly url: string;
  /** The proxy to it. @default that of the environment of the process */
  readonly proxy?: string | undefined;
  /** A prefix of each message. */
  readonly additionalInfo?: string | undefined;
  /** Another prefix, in brackets. */
  readonly clusterName?: string | undefined;
}

/** The results of an alert; a dropped one was never tried, because the queue was full or the program ended. */
export const ALERT_RESULTS = ['sent', 'failed', 'dropped'] as const;

/** See ALERT_RESULTS. */
export type AlertResult = (typeof ALERT_RESULTS)[number];

/** The times of a leader election, with the meaning that client-go gives them: retryPeriodMs < renewDeadlineMs < leaseDurationMs. */
export interface ElectionTimes {
  /** How long other processes wait for a leader that does not renew the Lease; whole seconds. */
  readonly leaseDurationMs: number;
  /** How long after its last successful renewal a leader stops. */
  readonly renewDeadlineMs: number;
  /** The time between two attempts to take or renew the Lease, without jitter. */
  readonly retryPeriodMs: number;
}

/** The results of a review, and their meaning. */
export const ADMISSION_RESULTS = {
  kept: 'Only stamps were missing in the update: they are put back as they were, and no pod starts anew.',
  renewed:
    'An external writer changed the pod template and left stamps out: they are put back with the current content.',
  stamped: 'A new workload is stamped with the current content.',
  complete: 'No stamp is missing.',
  unclaimed: 'The workload follows nothing, or is not one that is rolled.',
  own: 'A write of the reloader itself.',
  unknown: 'Not everything is listed yet, or this namespace or kind is not watched.',
  malformed: 'The request is not an admission review.',
  unauthenticated: 'The client has no certificate of an authority of --webhook-client-ca: it gets no answer.',
  failed: 'An error of the program: the request goes through as it is.',
} as const;

/** See ADMISSION_RESULTS. */
export type AdmissionResult = keyof typeof ADMISSION_RESULTS;

/** How many rollouts may be in progress at once, and how many may begin in a time; 0: any number. */
export interface Budget {
  readonly slots: number;
  /** How many may begin in a second, on average. */
  readonly rate: number;
  /** How many may begin at once after a pause. */
  readonly burst: number;
}
