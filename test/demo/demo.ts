/** The demo from its first line to its verdict. */

import { ACTS, introduce } from './acts.ts';
import { secretValues } from './examples.ts';
import { keepOpen } from './keep.ts';
import { stateOf } from './papers.ts';
import { ALL, Stage, type StageOptions } from './stage.ts';

/** What the demo is asked for. */
export interface DemoOptions extends StageOptions {
  /** Whether it goes on until it is ended. */
  readonly keep: boolean;
}

/** Plays the demo; answers whether every claim holds. Rejects when it is ended before. */
export async function play(options: DemoOptions): Promise<boolean> {
  const followedSince = Date.now();
  await using stage = await Stage.build(options);
  await stage.furnish();
  const secrets = secretValues(stage.sandbox);
  introduce(stage);
  for (const act of ACTS) await act(stage);
  if (!options.keep) await end(stage);
  const isTrue = conclude(stage, secrets, (Date.now() - followedSince) / 1000);
  if (options.keep) await keepOpen(stage, options.signal);
  else stage.screen.print(...FAREWELL);
  return isTrue;
}

const FAREWELL = [
  '',
  'Next:',
  '  npm run demo -- --keep                        the same, and then it is yours: kubectl, a browser',
  '  npm start -- --dry-run --namespace default    on a cluster of yours; writes nothing',
];

async function end({ screen, reloader, ledger }: Stage): Promise<void> {
  screen.heading('8. SIGTERM: it finishes what is under way, and ends');
  const { code } = await reloader.stop();
  ledger.claim('it ends with exit code 0', code === 0);
}

function conclude(stage: Stage, formerSecrets: readonly string[], seconds: number): boolean {
  const { screen, sandbox, ledger, sent, logs } = stage;
  screen.heading('What the API server saw');
  ledger.claim(
    'every pod runs the present content',
    ALL.every((ref) => stage.hasRolled(ref)),
  );
  // The Secret with the keys of the digests is the one that it writes.
  const patches = sent.filter(({ resource }) => resource !== 'secrets');
  const written = [JSON.stringify(patches), JSON.stringify(stateOf(sandbox)), logs].join();
  const secrets = [...formerSecrets, ...secretValues(sandbox)];
  ledger.claim(
    'no Secret is in its log, patches or state',
    !secrets.some((value) => written.includes(value)),
  );
  const isTrue = ledger.conclude(screen);
  const verdict = isTrue ? 'Every claim holds' : 'NOT every claim holds';
  screen.print('', screen.paint(isTrue ? 'green' : 'red', `${verdict}, after ${seconds.toFixed(0)} s.`));
  return isTrue;
}
