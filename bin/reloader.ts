/** The command: what it is asked for, until it ends or is told to. */

import path from 'node:path';
import { parseCommand } from '../lib/options/commands.ts';
import { USAGE_EXIT_CODE } from '../lib/options/options.ts';
import { parseOptions } from '../lib/options/parse-options.ts';
import { API_VERSION, wrongOfNode } from '../lib/options/version.ts';

/** How long the process may stay when all is finished. */
const LONGEST_LINGER_MS = 2_000;

const wrong = wrongOfNode(process.versions.node);
if (wrong !== undefined) {
  process.stderr.write(`reloader: ${wrong}\n`);
  process.exit(1);
}
const [, program = '', ...words] = process.argv;
// kubectl finds a plugin, and what completes its words, by these names.
const isPlugin = path.basename(program).startsWith('kubectl-reloader');
const argv = path.basename(program).startsWith('kubectl_complete-') ? ['complete', ...words] : words;
// A pod may have a terminal too.
const isAlone = process.stdout.isTTY && process.env['KUBERNETES_SERVICE_HOST'] === undefined;
const command = parseCommand(argv, isPlugin, isAlone) ?? parseOptions(argv, process.env);
switch (command.type) {
  case 'print':
    process.stdout.write(command.text);
    break;
  case 'usage-error':
    process.stderr.write(`${usageError(command)}
`);
    process.exitCode = USAGE_EXIT_CODE;
    break;
  case 'command': {
    const { runCommand } = await import('../lib/commands/run-command.ts');
    process.exitCode = await runCommand(command, process.env);
    // The streams that it has observed are left open; nothing waits for them.
    setImmediate(() => process.exit());
    break;
  }
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

/** The error for people, or in a format for programs: every JSON is YAML too. */
function usageError({ message, command: name }: { message: string; command?: string }): string {
  if (!/(^| )(-o|--output)[ =]?(json|yaml)( |$)/.test(words.join(' ')))
    return `reloader${name === undefined ? '' : ` ${name}`}: ${message}`;
  return JSON.stringify({ apiVersion: API_VERSION, error: { code: 'usage', message } }, undefined, 2);
}
