/** Settings of rules under test, which a test may change before anything is observed. */

import { monotonicMs } from '../lib/model/time.ts';
import type { Settings } from '../lib/store/term-settings.ts';
import { vocabulary } from './unit/annotations/defaults.ts';

/** The same, not frozen. */
export type TestSettings = { -readonly [Name in keyof Settings]: Settings[Name] };

/** The default settings, but for `changes`. */
export function settingsWith(changes: Partial<Settings> = {}): TestSettings {
  return {
    vocabularies: vocabulary(),
    homeNamespace: 'home',
    ownState: new Set(),
    presence: { onCreate: false, onDelete: false },
    term: undefined,
    selectsNamespaces: false,
    isSelective: false,
    keyScoped: false,
    absorbsExternalRollouts: () => false,
    onlyTells: false,
    now: monotonicMs,
    ...changes,
  };
}
