/** The text of an alert, in the format of each sink. */

import { type ConfigRef, configKindOf, type WorkloadRef } from '../model/object-ref.ts';
import type { FailureInfo, RolloutInfo } from '../model/outcome.ts';
import type { EventReason } from '../model/reasons.ts';
import type { AlertOptions, AlertSink } from '../model/settings.ts';
import { cutToBytes, listedText } from '../model/text.ts';
import type { PostBody } from './http-post.ts';

/** How many objects or workloads a message names. */
const MOST_NAMES = 20;
/** Bytes of a text: Teams refuses a post of more than 28 KB. */
const LONGEST_TEXT = 20_000;

/** What the text of an alert is made with. */
export type AlertStyle = Pick<AlertOptions, 'sink' | 'additionalInfo' | 'clusterName'>;

/** The alert of one rollout, in the wording of Stakater Reloader, which receivers may parse. */
export function alertBodyOf({ workload, objects }: RolloutInfo, style: AlertStyle): PostBody {
  const { kind, namespace, name } = workload;
  const detected = `Reloader detected changes in ${listed(objects)} in namespace *${namespace}*.`;
  const reloaded = `Hence reloaded *${name}* of type *${kind}* in namespace *${namespace}*`;
  return bodyOf(`${detected} ${reloaded}`, 'good', style);
}

/** The alert of workloads that are not rolled for the same cause, with the message about the first one. */
export function failureBodyOf(
  failures: readonly [FailureInfo, ...FailureInfo[]],
  style: AlertStyle,
): PostBody {
  const [{ workload, objects, reason, message }] = failures;
  const detected = `Reloader detected changes in ${listed(objects)} in namespace *${workload.namespace}*.`;
  const workloads = listed(failures.map((each) => each.workload));
  const colour = reason === APPROVAL ? 'warning' : 'danger';
  return bodyOf(`${detected} ${workloads}: ${message} (${reason})`, colour, style);
}

const APPROVAL: EventReason = 'ApprovalRequired';

/** Slack's colours. */
type Colour = 'good' | 'warning' | 'danger';

function bodyOf(text: string, colour: Colour, { sink, additionalInfo, clusterName }: AlertStyle): PostBody {
  const cluster = clusterName === undefined ? '' : `[${clusterName}] `;
  const info = additionalInfo === undefined ? '' : `${additionalInfo} : `;
  return BODIES[sink](cutToBytes(`${cluster}${info}${text}`, LONGEST_TEXT), colour);
}

const BODIES: Readonly<Record<AlertSink, (text: string, colour: Colour) => PostBody>> = {
  slack: (text, color) => json({ attachments: [{ color, author_name: 'Reloader', text }] }),
  teams: (text) => json({ type: 'message', attachments: [cardOf(text)] }),
  gchat: (text) => json({ text }),
  raw: (text) => ({ contentType: 'text/plain; charset=utf-8', text: text.replaceAll('*', '') }),
};

/** Workflows, the only webhook that Teams still has, post an Adaptive Card and ignore any other text. */
function cardOf(text: string): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [{ type: 'TextBlock', text, wrap: true }],
  };
  return { contentType: 'application/vnd.microsoft.card.adaptive', content };
}

function json(body: object): PostBody {
  return { contentType: 'application/json', text: JSON.stringify(body) };
}

function listed(objects: readonly (ConfigRef | WorkloadRef)[]): string {
  const names = objects.map((each) => `*${each.name}* of type *${typeOf(each)}*`);
  return listedText(names, MOST_NAMES);
}

/** The word of Stakater Reloader: objects in capitals, workloads as they are. */
function typeOf({ kind }: ConfigRef | WorkloadRef): string {
  return configKindOf(kind) === undefined ? kind : kind.toUpperCase();
}
