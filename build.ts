/** Bundles the program and its dependencies into dist/reloader.mjs, which starts faster and smaller than the sources. */

import { isAscii } from 'node:buffer';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const root = import.meta.dirname;

/**
 * Lets the generated half of the client library be dropped. The package does not say that importing it has no effect,
 * so without this every API class it has is kept. The path is worked out here: asking
 * esbuild for each of some thousand files takes ten times as long.
 */
const shakeClientLibrary: Plugin = {
  name: 'shake-client-library',
  setup({ onResolve }) {
    const folder = path.join('node_modules', '@kubernetes', 'client-node');
    onResolve({ filter: /^\.{1,2}\// }, ({ path: request, resolveDir, kind }) => {
      if (kind === 'entry-point' || !resolveDir.includes(folder)) return undefined;
      return { path: path.resolve(resolveDir, request), sideEffects: false };
    });
  },
};

/**
 * The client library's own calls go through undici, which would be more than half of the bundle; this program sends its
 * requests itself and takes nothing but credentials from the library.
 */
const withoutFetch: Plugin = {
  name: 'without-fetch',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'without-fetch' }));
    onLoad({ filter: /./, namespace: 'without-fetch' }, () => ({
      contents: 'export class Agent {}\nexport class ProxyAgent {}\nexport const fetch = undefined;',
    }));
  },
};

/**
 * An import of a module of Node reads all that it exports, which loads the whole of fetch and WebSocket (node:http), all root
 * certificates (node:tls), the standard input (node:process); to require it does not.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(https?|tls|process)$/ }, ({ path: name, kind }) =>
      kind === 'import-statement' ? { path: name, namespace: 'lazy-builtins' } : undefined,
    );
    onLoad({ filter: /./, namespace: 'lazy-builtins' }, ({ path: name }) => ({
      contents: `module.exports = require('${name}');`,
    }));
  },
};

// CommonJS dependencies call require() for Node's own modules.
const banner: string = [
  '#!/usr/bin/env node',
  "import { createRequire as reloaderCreateRequire } from 'node:module';",
  'const require = reloaderCreateRequire(import.meta.url);',
].join('\n');

const dist = path.join(root, 'dist');
/** What the authors of the packages in the bundle want to be said. */
const NOTICES = 'THIRD-PARTY-NOTICES.txt';
/** The packages in the bundle, for programs that look for known faults: CycloneDX. */
const SBOM = 'sbom.cdx.json';

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['bin/reloader.ts'],
  outdir: dist,
  outExtension: { '.js': '.mjs' },
  // What is imported on demand becomes a file of its own, so that --help does not load the client library.
  splitting: true,
  write: false,
  metafile: true,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: { js: banner },
  // Optional companions of ws and of the colour libraries: absent is fine.
  external: ['utf-8-validate', 'bufferutil', 'supports-color'],
  plugins: [shakeClientLibrary, withoutFetch, lazyBuiltins],
  // They stand in a file of their own.
  legalComments: 'none',
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: 'warning',
});

for (const { path: file, contents } of outputFiles) {
  // V8 keeps the source of a module: in one byte a character, or in two for all if there is one beyond these.
  if (!isAscii(contents))
    throw new Error(`${file} is not ASCII: esbuild escapes all but tagged templates and regular expressions`);
}
await mkdir(dist, { recursive: true });
const before = await readdir(dist);
// The entry last: a program that starts meanwhile finds a complete set.
const entryLast = outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
for (const { path: file, contents } of entryLast) await replace(file, contents);
const packages = await packagesIn(metafile);
const texts = { [NOTICES]: await noticesOf(packages), [SBOM]: await sbomOf(packages) };
for (const [name, text] of Object.entries(texts)) await replace(path.join(dist, name), text, 0o644);
const present = new Set([...Object.keys(texts), ...outputFiles.map(({ path: file }) => path.basename(file))]);
await Promise.all(
  before.filter((name) => !present.has(name)).map((name) => rm(path.join(dist, name), { force: true })),
);

function isEntry(file: string): boolean {
  return path.basename(file) === 'reloader.mjs';
}

/** Nobody ever reads half a file. */
async function replace(file: string, contents: Uint8Array | string, mode = 0o755): Promise<void> {
  const draft = `${file}.${process.pid}`;
  await writeFile(draft, contents, { mode });
  await rename(draft, file);
}

/** What a package says of itself. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  /** An SPDX expression. */
  readonly license: string;
}

/** A package of which something is in the bundle. */
interface Package extends Manifest {
  readonly folder: string;
}

/** Ordered by their folders. */
async function packagesIn({ outputs }: Metafile): Promise<readonly Package[]> {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs.flatMap(([file, { bytesInOutput }]) =>
    bytesInOutput > 0 ? (/^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []) : [],
  );
  const sorted = [...new Set(folders)].sort();
  return await Promise.all(sorted.map(async (folder) => ({ ...(await manifestIn(folder)), folder })));
}

async function manifestIn(folder: string): Promise<Manifest> {
  const text = await readFile(path.join(root, folder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(text) as Manifest;
  return { name, version, license };
}

/** The licences of all packages. */
async function noticesOf(packages: readonly Package[]): Promise<string> {
  return (await Promise.all(packages.map(noticeOf))).join(`\n${'-'.repeat(80)}\n\n`);
}

async function noticeOf({ folder, name, version, license }: Package): Promise<string> {
  const files = (await readdir(path.join(root, folder))).filter((file) =>
    /^(licen[cs]e|notice|copying)/i.test(file),
  );
  const texts = await Promise.all(
    files.sort().map((file) => readFile(path.join(root, folder, file), 'utf8')),
  );
  const all = texts.map((text) => text.trim()).filter((text) => text !== '');
  return [`${name} ${version} (${license})\n`, ...all.map((text) => `${text}\n`)].join('\n');
}

/** Without a time or a random number: the same sources make the same bytes. */
async function sbomOf(packages: readonly Package[]): Promise<string> {
  const components = packages.map((each) => componentOf('library', each));
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: componentOf('application', await manifestIn('.')) },
    components: [...new Map(components.map((each) => [each.purl, each])).values()],
  };
  return `${JSON.stringify(sbom, undefined, 2)}\n`;
}

function componentOf(type: string, { name, version, license }: Manifest) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return { type, 'bom-ref': purl, name, version, purl, licenses: [{ expression: license }] };
}
