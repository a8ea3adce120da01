/** The command: what it is asked for, until it ends or is told to. */

import { USAGE_EXIT_CODE } from '../lib/options/options.ts';
import { parseOptions } from '../lib/options/parse-options.ts';
import { wrongOfNode } from '../lib/options/version.ts';

/** How long the process may stay when all is finished. */
const LONGEST_LINGER_MS = 2_000;

const wrong = wrongOfNode(process.versions.node);
if (wrong !== undefined) {
  process.stderr.write(`reloader: ${wrong}\n`);
  process.exit(1);
}
const command = parseOptions(process.argv.slice(2), process.env);
switch (command.type) {
  case 'print':
    process.stdout.write(command.text);
    break;
  case 'usage-error':
    process.stderr.write(`reloader: ${command.message}\n`);
    process.exitCode = USAGE_EXIT_CODE;
    break;
  case 'run': {
    const stop = new AbortController();
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
    const { main } = await import('../lib/app/main.ts');
    process.exitCode = await main(command.options, command.notices, process.env, stop.signal);
    // Exit without waiting for work that cannot be aborted: an exec plugin that hangs, a lookup of a name.
    setTimeout(() => process.exit(), LONGEST_LINGER_MS).unref();
    break;
  }
}
