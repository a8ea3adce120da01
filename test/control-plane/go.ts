/** Runs the Go client: its progress as it happens, its failures as sentences. */

import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

/** Why something could not be built, for the person who asked for it. */
export class BuildError extends Error {}

/** How one command of Go is run. */
export interface GoCommand {
  readonly folder: string;
  readonly args: readonly string[];
  /** Called with each line that it says, on either stream. */
  readonly onLine?: (line: string) => void;
}

const KEPT_LINES = 12;

/**
 * Runs `go <args>`; resolves with its standard output.
 *
 * @throws BuildError
 */
export async function runGo({ folder, args, onLine = () => undefined }: GoCommand): Promise<string> {
  // CGO off: the same programs with and without a C compiler. The host's own system, whatever is usually built here.
  const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOOS: '', GOARCH: '' };
  const child = spawn('go', args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  // Go does not outlive us, and tidies up after an interrupt.
  const interrupt = (): void => void child.kill('SIGINT');
  process.once('exit', interrupt);
  const out: string[] = [];
  const said: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.push(line);
    onLine(line);
  });
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (!isProgress(line)) said.push(line);
    onLine(line);
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(unstartable(error)));
    child.once('close', resolve);
  });
  process.off('exit', interrupt);
  if (code !== 0) throw failure(args, said);
  return out.join('\n');
}

/** Whether a line names what is being fetched or compiled. */
export function isProgress(line: string): boolean {
  return line.startsWith('go: downloading ') || /^[\w.~/-]+$/.test(line);
}

function unstartable(error: NodeJS.ErrnoException): Error {
  if (error.code !== 'ENOENT') return error;
  return new BuildError(
    'Go is not installed (no `go` in PATH). Install it from https://go.dev/dl, or let KUBEBUILDER_ASSETS name a folder\n' +
      'with etcd and kube-apiserver, or KUBECONFIG a cluster that may be thrown away: see docs/explanation/testing.md',
  );
}

/** What usually goes wrong, by the words of Go or of the system. */
const CAUSES: readonly (readonly [RegExp, string])[] = [
  [/no space left on device|disk quota exceeded/i, 'the disk is full'],
  [
    /dial tcp|no such host|i\/o timeout|TLS handshake|connection (refused|reset)|network is unreachable|: EOF$/im,
    'a Go module could not be fetched: no way to the module proxy (GOPROXY, HTTPS_PROXY)',
  ],
  [/requires go >= |toolchain not available/i, 'this Go is too old, and may not fetch a newer one'],
  [/signal: killed|cannot allocate memory/i, 'not enough memory: linking kube-apiserver needs about 2 GB'],
];

function failure(args: readonly string[], said: readonly string[]): BuildError {
  const text = said.slice(-KEPT_LINES).join('\n');
  const cause = CAUSES.find(([words]) => words.test(text))?.[1] ?? 'Go failed';
  return new BuildError(`${cause}. \`go ${args[0] ?? ''}\` said:\n${text}`);
}
