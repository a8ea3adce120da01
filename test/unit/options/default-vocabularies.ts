/** What the options say of vocabularies where nobody sets a flag. */

import { STAKATER_KEYS } from '../../../lib/model/dialect-name.ts';
import type { Options } from '../../../lib/options/options.ts';

/** As the README tells them. */
export const DEFAULT_VOCABULARIES: Pick<
  Options,
  'dialects' | 'stakaterKeys' | 'autoReloadAll' | 'reloadStrategy' | 'reloadOnCreate' | 'reloadOnDelete'
> = {
  dialects: ['collaborne', 'stakater'],
  stakaterKeys: STAKATER_KEYS,
  autoReloadAll: false,
  reloadStrategy: 'env-vars',
  reloadOnCreate: false,
  reloadOnDelete: false,
};
