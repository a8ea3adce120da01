/** `reloader explain`: what a workload follows and why nothing happens, or who follows an object. */

import { EVENT_OBJECTS, FIELD_MANAGER } from '../../kubernetes/api-path.ts';
import type { Send } from '../../kubernetes/transport.ts';
import type { RawObject } from '../../model/raw-objects.ts';
import { connect } from '../connect.ts';
import { findReloader } from '../installed-reloader.ts';
import { listObjects } from '../reads.ts';
import type { CommandContext } from '../run-command.ts';
import { factsOf } from '../scene.ts';
import { subjectOf } from '../subject.ts';
import { formatted, withProgress } from '../terminal.ts';
import type { Facts } from './cause.ts';
import { explainObject, objectText } from './explain-object.ts';
import { explanationOf, type ShownEvent } from './explanation.ts';
import { explanationText } from './explanation-text.ts';

const MOST_EVENTS = 5;

/** Runs the command. */
export async function runExplain(context: CommandContext): Promise<number> {
  const { flags, operands, settings, env, terminal } = context;
  const { send, namespace } = connect(flags, env);
  const text = await withProgress(terminal, `reading namespace ${namespace} …`, async () => {
    const reloader = await findReloader(send, { asked: flags.reloader, namespace, settings });
    const scene = { send, namespace, reloader };
    const subject = subjectOf(operands, reloader.options);
    if (subject.is === 'object') {
      const answer = await explainObject(scene, subject);
      return formatted(flags.output, answer, () => objectText(answer, terminal.paint));
    }
    const facts = await factsOf(scene, subject.row, subject.name);
    const answer = explanationOf(facts, await eventsOf(send, facts));
    return formatted(flags.output, answer, () => explanationText(answer, terminal.paint));
  });
  await terminal.write(text);
  return 0;
}

interface RawEvent extends RawObject {
  readonly reason?: string;
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly source?: { readonly component?: string };
}

/** The last Events of a reloader about the workload. */
async function eventsOf(send: Send, { workload }: Facts): Promise<readonly ShownEvent[]> {
  const { kind, namespace, name } = workload.ref;
  const fieldSelector = `involvedObject.kind=${kind},involvedObject.name=${name}`;
  const reading = await listObjects<RawEvent>(send, EVENT_OBJECTS, namespace, { fieldSelector });
  if (reading.kind !== 'found') return [];
  return reading.object
    .filter(({ source }) => source?.component === FIELD_MANAGER)
    .map(({ lastTimestamp: time = '', reason = '', message = '' }) => ({ time, reason, message }))
    .sort((one, other) => one.time.localeCompare(other.time))
    .slice(-MOST_EVENTS);
}
