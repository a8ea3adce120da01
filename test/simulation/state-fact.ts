/** What the ConfigMaps of the state say, in terms of contents. */

import { entryKeyOf } from '../../lib/model/state-entry.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import { type LooseObject, NAMESPACE, refOf, STATE_NAMES } from './api.ts';
import { readOfDigest, SCOPES } from './contents.ts';
import type { ConfigName } from './history.ts';
import type { Read } from './trace.ts';

/** The content that the state records of an object; \`other\`: none that was ever in force. */
export function recordedNow(sandbox: Pick<Sandbox, 'get'>, config: ConfigName): Read | 'other' | undefined {
  const [entry] = entriesOf(sandbox, config);
  return entry === undefined ? undefined : readOfDigest(config, entry.replace(/\.\d+(?:!.*)?$/, ''));
}

/** The tokens of what halted the content of an object, the oldest first; notes have one digit. */
export function haltsNow(sandbox: Pick<Sandbox, 'get'>, config: ConfigName): readonly string[] {
  const tokens = entriesOf(sandbox, config).flatMap((entry) => [...entry.matchAll(/!([0-9a-f]{8})=/g)]);
  return tokens.map(([, token = '']) => token);
}

/** What is said of the object, or of what pods may read of it, the highest number first. */
function entriesOf(sandbox: Pick<Sandbox, 'get'>, config: ConfigName): readonly string[] {
  const ref = refOf(config);
  const keys = [ref, ...SCOPES.map((each) => ({ ...ref, keys: each }))].map((part) =>
    entryKeyOf(part, NAMESPACE),
  );
  const entries = STATE_NAMES.flatMap((name) => {
    const { data = {} } = (sandbox.get('configmaps', NAMESPACE, name) ?? {}) as Partial<LooseObject>;
    return keys.flatMap((key) => data[key] ?? []);
  });
  return entries.toSorted((a, b) => numberOf(b) - numberOf(a));
}

function numberOf(entry: string): number {
  return Number(/\.(\d+)(?:!|$)/.exec(entry)?.[1] ?? 0);
}
