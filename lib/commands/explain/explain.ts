/** `reloader explain`: what a workload follows and why nothing happens, or who follows an object. */

import { EVENT_OBJECTS, FIELD_MANAGER } from '../../kubernetes/api-path.ts';
import type { Send } from '../../kubernetes/transport.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import type { Workload } from '../../model/workload.ts';
import { listObjects } from '../reads.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { factsOf, openScene, withLeader } from '../scene.ts';
import { subjectOf } from '../subject.ts';
import type { ShownEvent } from './cause.ts';
import { explainObject, objectText } from './explain-object.ts';
import { explanationOf } from './explanation.ts';
import { explanationText } from './explanation-text.ts';

const MOST_EVENTS = 5;
/** The exit code if the object does not exist. */
const MISSING = 1;

/** Runs the command. */
export async function runExplain(context: CommandContext): Promise<Answered> {
  const { operands, terminal } = context;
  const scene = await openScene(context);
  const { send, reloader } = scene;
  const subject = subjectOf(operands, reloader.options);
  if (subject.is === 'object') {
    const answer = await explainObject(scene, subject);
    const text = (): string => objectText(answer, terminal.paint);
    const ending = answer.isMissing ? { unknown: [], code: MISSING } : { unknown: answer.unknown };
    return { answer, text, ...ending };
  }
  const { row, name } = subject;
  const first = await factsOf(scene, row, name);
  const [facts = first] = await withLeader(scene, [first]);
  const events = await eventsOf(send, facts.workload);
  const answer = explanationOf(facts, events);
  await facts.observation.end();
  return { answer, text: () => explanationText(answer, terminal.paint), unknown: answer.unknown };
}

interface RawEvent extends RawObject, Partial<Omit<ShownEvent, 'time'>> {
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string };
}

/** The last Events of a reloader about a workload; none if they cannot be read. */
async function eventsOf(send: Send, { ref: { namespace }, uid }: Workload): Promise<readonly ShownEvent[]> {
  const fieldSelector = `involvedObject.uid=${uid}`;
  const reading = await listObjects<RawEvent>(send, EVENT_OBJECTS, namespace, { fieldSelector });
  return (reading.kind === 'found' ? reading.object : [])
    .filter(({ source }) => source?.component === FIELD_MANAGER)
    .map(({ lastTimestamp: time = '', reason = '', message = '' }) => ({ time, reason, message }))
    .sort((one, other) => one.time.localeCompare(other.time))
    .slice(-MOST_EVENTS);
}
