/** ESLint only looks for lost promises and incomplete switches, which need types; Biome does everything else. */

import { parser, plugin } from 'typescript-eslint';

export default [
  { ignores: ['dist/', 'coverage/', '**/*.mjs'] },
  {
    files: ['**/*.ts'],
    plugins: { '@typescript-eslint': plugin },
    languageOptions: {
      parser,
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    rules: {
      '@typescript-eslint/no-floating-promises': [
        'error',
        {
          // The runner awaits what these return.
          allowForKnownSafeCalls: [
            { from: 'package', package: 'node:test', name: ['test', 'it', 'describe', 'suite'] },
          ],
        },
      ],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/only-throw-error': 'error',
      // A default says that the rest was thought of; without one every case must be there.
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
    },
  },
];
