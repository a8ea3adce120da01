/** Bundles the program and its dependencies into dist/reloader.mjs, which starts faster and smaller than the sources. */

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
 * An import of node:http reads all that it exports, which loads the whole of fetch and WebSocket; to require it does not.
 */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?https?$/ }, ({ path: name, kind }) =>
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

await mkdir(dist, { recursive: true });
const before = await readdir(dist);
// The entry last: a program that starts meanwhile finds a complete set.
const entryLast = outputFiles.toSorted((a, b) => Number(isEntry(a.path)) - Number(isEntry(b.path)));
for (const { path: file, contents } of entryLast) await replace(file, contents);
await replace(path.join(dist, NOTICES), await noticesOf(metafile), 0o644);
const present = new Set([NOTICES, ...outputFiles.map(({ path: file }) => path.basename(file))]);
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

/** The licences of all packages of which something is in the bundle. */
async function noticesOf({ outputs }: Metafile): Promise<string> {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  const folders = inputs
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([file]) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0])
    .filter((folder) => folder !== undefined);
  const notices = await Promise.all([...new Set(folders)].sort().map(noticeOf));
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}

async function noticeOf(folder: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
  const { name, version, license } = manifest as Readonly<Record<string, string>>;
  const files = (await readdir(path.join(root, folder))).filter((file) =>
    /^(licen[cs]e|notice|copying)/i.test(file),
  );
  const texts = await Promise.all(
    files.sort().map((file) => readFile(path.join(root, folder, file), 'utf8')),
  );
  return [`${name} ${version} (${license})\n`, ...texts.map((text) => `${text.trim()}\n`)].join('\n');
}
