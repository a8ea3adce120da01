/** Sabotages of what a Deployment of another reloader brings along: its arguments, variables, annotations and rights. */

import { change } from './edit.ts';
import type { Mutant } from './table.ts';

/** Every one of them must be noticed. */
export const DROP_IN_MUTANTS: readonly Mutant[] = [
  {
    name: 'drop-in: words about a kind that no stream shows are not spoken of',
    edit: change('unservedFindings', '!shows(workload.ref.namespace, kind)', 'false'),
    tests: ['test/unit/annotations/mistakes.test.ts'],
  },
  {
    name: 'drop-in: a state that exists needs the right to create it',
    edit: change('mayGoOn', 'creation !== undefined', 'false'),
    tests: ['test/unit/app/preflight.test.ts'],
  },
  {
    name: 'drop-in: a state that is not there needs no right to create it',
    edit: change('mayGoOn', "(await state.read(signal)).kind === 'found'", 'true'),
    tests: ['test/unit/app/preflight.test.ts'],
  },
];
