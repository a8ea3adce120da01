/** Bundles the program into dist/reloader.mjs: one file that starts fast, with its dependencies but without its types. */

import { chmod, rm } from 'node:fs/promises';
import path from 'node:path';
import { build, type Plugin } from 'esbuild';

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

// CommonJS dependencies call require() for Node's own modules.
const banner: string = [
  '#!/usr/bin/env node',
  "import { createRequire as reloaderCreateRequire } from 'node:module';",
  'const require = reloaderCreateRequire(import.meta.url);',
].join('\n');

const outfile: string = path.join(root, 'dist', 'reloader.mjs');

await rm(path.dirname(outfile), { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: ['bin/reloader.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node24',
  banner: { js: banner },
  // Optional companions of ws and of the colour libraries: absent is fine.
  external: ['utf-8-validate', 'bufferutil', 'supports-color'],
  plugins: [shakeClientLibrary],
  legalComments: 'none',
  logLevel: 'warning',
});
await chmod(outfile, 0o755);
