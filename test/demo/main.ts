/** `npm run demo`: the arguments, the signals and the exit code of the demo. */

import { execFile } from 'node:child_process';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { parseDurationMs } from '../../lib/model/time.ts';
import { type DemoOptions, play } from './demo.ts';
import { Screen } from './screen.ts';

const HELP = `npm run demo [-- options]

Shows the reloader at work beside an embedded API server: no cluster is needed, nothing leaves this
machine. Exits 0 if everything that it claims is so, 1 if not, 130 if it was ended by Ctrl-C.

  --keep                         goes on after the last act, for kubectl, curl and a browser
  --coalesce-period <duration>   the reloader's quiet period, such as 500ms or 3s (default 1.5s);
                                 with 0 nothing is coalesced, and the claims of the demo fail
  --build                        bundles the program first, as npm run demo does
  -h, --help                     shows this
`;

const ARGUMENTS = {
  keep: { type: 'boolean', default: false },
  'coalesce-period': { type: 'string', default: '1.5s' },
  build: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const FAILED = 1;
const USAGE = 64;
const INTERRUPTED = 130;

async function main(): Promise<number> {
  const { keep, build, help, 'coalesce-period': coalescePeriod } = parseArgs({ options: ARGUMENTS }).values;
  if (parseDurationMs(coalescePeriod) === undefined)
    throw new TypeError(`--coalesce-period: "${coalescePeriod}" is no duration such as 500ms or 3s`);
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  // Whoever reads the output has gone: `npm run demo | head`.
  process.stdout.on('error', () => stop.abort());
  const screen = new Screen(process.stdout);
  return await perform(screen, { keep, build, coalescePeriod, signal: stop.signal });
}

interface Wishes extends Omit<DemoOptions, 'screen'> {
  readonly build: boolean;
}

async function perform(screen: Screen, { build, ...options }: Wishes): Promise<number> {
  try {
    if (build) await screen.during('the program is bundled', bundle(options.signal));
    return (await play({ ...options, screen })) ? 0 : FAILED;
  } catch (error) {
    if (options.signal.aborted) {
      screen.print('', 'Ended before the last act; nothing is left behind.');
      return INTERRUPTED;
    }
    screen.print('', screen.paint('red', `The demo failed: ${messageOf(error)}`));
    return FAILED;
  }
}

async function bundle(signal: AbortSignal): Promise<void> {
  const script = path.resolve(import.meta.dirname, '../../build.ts');
  await promisify(execFile)(process.execPath, [script], { signal });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`demo: ${messageOf(error)}\n`);
  process.exitCode = USAGE;
}
