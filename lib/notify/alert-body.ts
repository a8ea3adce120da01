/** The text of an alert, in the format of each sink. */

import type { ConfigRef } from '../model/object-ref.ts';
import type { RolloutInfo } from '../model/outcome.ts';
import type { AlertOptions, AlertSink } from '../model/settings.ts';
import { listedText } from '../model/text.ts';
import type { PostBody } from './http-post.ts';

/** How many objects a message names. */
const MOST_OBJECTS = 20;

/** The alert of one rollout, in the wording of Stakater Reloader, which receivers may parse. */
export function alertBodyOf(
  { workload, objects }: RolloutInfo,
  { sink, additionalInfo }: Pick<AlertOptions, 'sink' | 'additionalInfo'>,
): PostBody {
  const { kind, namespace, name } = workload;
  const detected = `Reloader detected changes in ${listed(objects)} in namespace *${namespace}*.`;
  const reloaded = `Hence reloaded *${name}* of type *${kind}* in namespace *${namespace}*`;
  const info = additionalInfo === undefined ? '' : `${additionalInfo} : `;
  return BODIES[sink](`${info}${detected} ${reloaded}`);
}

const BODIES: Readonly<Record<AlertSink, (text: string) => PostBody>> = {
  slack: (text) => json({ attachments: [{ color: 'good', author_name: 'Reloader', text }] }),
  teams: (text) => json({ text }),
  gchat: (text) => json({ text }),
  raw: (text) => ({ contentType: 'text/plain; charset=utf-8', text: text.replaceAll('*', '') }),
};

function json(body: object): PostBody {
  return { contentType: 'application/json', text: JSON.stringify(body) };
}

function listed(objects: readonly ConfigRef[]): string {
  const names = objects.map(({ kind, name }) => `*${name}* of type *${kind.toUpperCase()}*`);
  return listedText(names, MOST_OBJECTS);
}
