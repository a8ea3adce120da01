/** Programs that people use on a cluster, run as they run them. */

import { spawn } from 'node:child_process';

/** What a program said. */
export interface Said {
  readonly stdout: string;
  /** Warnings of the API server come here. */
  readonly stderr: string;
}

/** How a program is run. */
export interface RunOptions {
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Beside PATH. */
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a program to its end; rejects with what it said if it fails. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { input = '', env = {} }: RunOptions = {},
): Promise<Said> {
  const child = spawn(program, args, { env: { PATH: process.env['PATH'], ...env } });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.stderr += text;
  });
  // A program that reads nothing may have ended already.
  child.stdin.on('error', () => undefined).end(input);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${program} ${args.join(' ')}: ${code}\n${said.stdout}${said.stderr}`);
  return said;
}

/** Whether what `kubectl` read and wrote was the present version; false: a controller wrote just then. */
export async function hasWritten(kubectl: () => Promise<unknown>): Promise<boolean> {
  try {
    await kubectl();
    return true;
  } catch (error) {
    if (/\(Conflict\)/.test(String(error))) return false;
    throw error;
  }
}
