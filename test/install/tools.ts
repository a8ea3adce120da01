/** Programs that the machine may have. A test that needs one is skipped without it, unless REQUIRE_TOOLS is set. */

import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';

/** The first of `names` on PATH. */
export function programOnPath(...names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find(isExecutable);
}

/** For `skip` of a test: why, or false where the tool is there or has to be. */
export function skipWithout(program: string | undefined, what: string): string | false {
  return program === undefined && !isRequired() && `${what} is not on PATH`;
}

/** Whether a missing tool is a failure: so in continuous integration. */
export function isRequired(): boolean {
  return (process.env['REQUIRE_TOOLS'] ?? '') !== '';
}

/** What `program` writes to its standard output. @throws if it fails */
export function outputOf(program: string | undefined, ...args: readonly string[]): string {
  if (program === undefined) throw new Error('REQUIRE_TOOLS is set, and the tool is not on PATH');
  return execFileSync(program, args, { encoding: 'utf8' });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // not there, or not for us: the next folder may have it
  }
}
