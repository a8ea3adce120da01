/**
 * `npm run release:check [-- --tag v1.2.3]`: all of a release that needs no credentials. What cannot be looked at here,
 * for want of a tool, is named; `REQUIRE_TOOLS=1` makes that a fault.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { helmOf } from '../control-plane/assets.ts';
import { isRequired, programOnPath } from '../install/tools.ts';
import { changelogFaults, packFaults, sbomFaults, type Texts, versionFaults, versionIn } from './checks.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const WITH_VERSION = [
  'package.json',
  'package-lock.json',
  'Dockerfile',
  'README.md',
  'docs/guides/*.md',
  'k8s/**/*.yaml',
];

/** What one look found. */
interface Finding {
  readonly what: string;
  readonly faults: readonly string[];
  /** Why it did not look. */
  readonly leftOut?: string;
}

/** What `npm pack` made. */
interface Pack {
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

const { tag } = parseArgs({ options: { tag: { type: 'string' } } }).values;
const folder = mkdtempSync(path.join(tmpdir(), 'reloader-release-'));
try {
  const findings = findingsIn(textsIn());
  for (const { what, faults, leftOut } of findings) {
    console.log(`${faults.length > 0 ? 'FAULT' : leftOut === undefined ? 'ok   ' : 'left '} ${what}`);
    for (const line of [...faults, ...(leftOut === undefined ? [] : [leftOut])]) console.log(`      ${line}`);
  }
  const isWrong = ({ faults, leftOut }: Finding): boolean =>
    faults.length > 0 || (leftOut !== undefined && isRequired());
  process.exitCode = findings.some(isWrong) ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function textsIn(): Texts {
  const files = globSync(WITH_VERSION, { cwd: ROOT }).sort();
  return Object.fromEntries(files.map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')]));
}

function findingsIn(texts: Texts): readonly Finding[] {
  const version = versionIn(texts);
  const changelog = readFileSync(path.join(ROOT, 'CHANGELOG.md'), 'utf8');
  const [first, second] = [packed(), packed()];
  return [
    { what: `the version is ${version} everywhere`, faults: versionFaults(texts, tag) },
    { what: 'the changelog has a section', faults: changelogFaults(changelog, version, tag !== undefined) },
    {
      what: 'two builds and packages have the same bytes',
      faults: first.integrity === second.integrity ? [] : [`${first.integrity}, then ${second.integrity}`],
    },
    {
      what: 'the npm package holds what it should',
      faults: packFaults(first.files.map((file) => file.path)),
    },
    {
      what: 'the SBOM names every package of the bundle',
      faults: sbomFaults(readFileSync(path.join(ROOT, 'dist/sbom.cdx.json'), 'utf8'), version),
    },
    chart(),
    ran('the workflows are valid', programOnPath('actionlint'), 'actionlint', []),
  ];
}

/** Builds anew, and packs. */
function packed(): Pack {
  rmSync(path.join(ROOT, 'dist'), { recursive: true, force: true });
  const text = execFileSync('npm', ['pack', '--json', '--silent', '--pack-destination', folder], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  const packs: unknown = JSON.parse(text);
  // npm 11 answers a list, its successor an object by name.
  const [pack] = Object.values(packs as Readonly<Record<string, Pack>>);
  if (pack === undefined) throw new Error('npm pack said nothing');
  return pack;
}

function chart(): Finding {
  const source = path.join(ROOT, 'k8s/chart');
  const what = 'the chart can be packaged';
  if (!existsSync(source)) return { what, faults: [], leftOut: 'k8s/chart is not there' };
  return ran(what, helmOf(4) ?? programOnPath('helm'), 'helm', ['package', source, '--destination', folder]);
}

function ran(what: string, program: string | undefined, name: string, args: readonly string[]): Finding {
  if (program === undefined) return { what, faults: [], leftOut: `${name} is not on PATH` };
  try {
    execFileSync(program, args, { cwd: ROOT, stdio: 'pipe' });
    return { what, faults: [] };
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer };
    return { what, faults: `${stdout}${stderr}`.trim().split('\n') };
  }
}
