/** Settings of rules under test, which a test may change before anything is observed. */

import { UNKEYED } from '../lib/model/digest.ts';
import type { Knows } from '../lib/model/state-entry.ts';
import type { Settings } from '../lib/store/term-settings.ts';
import { vocabulary } from './unit/annotations/defaults.ts';

/** The same, not frozen. */
export type TestSettings = { -readonly [Name in keyof Settings]: Settings[Name] };

/** Knows the algorithms without keys. */
export const knows: Knows = (name) => UNKEYED.named(name) !== undefined;

/** Ids 2, 3, 4, …: tests write 1 for what was there before. */
export function countedIds(): () => number {
  let last = 1;
  return () => {
    last += 1;
    return last;
  };
}

/** The default settings, but for `changes`. */
export function settingsWith(changes: Partial<Settings> = {}): TestSettings {
  return {
    vocabularies: vocabulary(),
    algorithms: UNKEYED,
    knows,
    homeNamespace: 'home',
    ownState: new Set(),
    ownKeys: 'home/Secret/reloader-state-key',
    presence: { onCreate: false, onDelete: false },
    newStampId: countedIds(),
    selectsNamespaces: false,
    isSelective: false,
    absorbsExternalRollouts: () => false,
    onlyTells: false,
    ...changes,
  };
}
