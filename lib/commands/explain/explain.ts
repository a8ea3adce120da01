/** `reloader explain`: why nothing happens, or who follows an object. */

import { eventsOf } from '../reloader-events.ts';
import type { Answered, CommandContext } from '../run-command.ts';
import { factsOf, openScene, withLeader } from '../scene.ts';
import { subjectOf } from '../subject.ts';
import { explainObject, objectText } from './explain-object.ts';
import { explanationOf } from './explanation.ts';
import { explanationText } from './explanation-text.ts';

const MOST_EVENTS = 5;
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
  const [events] = await eventsOf(send, [facts.workload]);
  const answer = explanationOf(facts, events?.slice(-MOST_EVENTS));
  await facts.observation.end();
  return { answer, text: () => explanationText(answer, terminal.paint), unknown: answer.unknown };
}
