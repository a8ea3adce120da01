/** What holds of each vocabulary by itself: a row for each rule, and one for each rule that goes before another. */

import { test } from 'node:test';
import type { Vocabulary } from '../../../lib/annotations/vocabulary.ts';
import { ALL, BOTH, type Case, excluded, hold, named, OTHER, TLS } from './judged.ts';

const RULES: Record<string, (words: Vocabulary) => Case> = {
  'without a word nothing is asked for': () => ({ says: 'not-asked' }),
  'a name asks for the object': (w) => ({ own: named(w, 'x', 'cfg'), says: 'named' }),
  'a name asks for what the pods do not refer to': (w) => ({
    own: named(w, 'other'),
    of: OTHER,
    says: 'named',
  }),
  'a name asks for nothing else': (w) => ({ own: named(w, 'cf', 'cfgs', 'c'), says: 'not-asked' }),
  'the name of a ConfigMap asks for no Secret': (w) => ({ own: named(w, 'tls'), of: TLS, says: 'not-asked' }),
  'auto asks for what the pods refer to': (w) => ({ own: { [w.auto]: 'true' }, says: 'auto' }),
  'auto asks for Secrets too': (w) => ({ own: { [w.auto]: 'true' }, of: TLS, says: 'auto' }),
  'auto asks for nothing else': (w) => ({ own: { [w.auto]: 'true' }, of: OTHER, says: 'not-asked' }),
  'typed auto asks for its kind': (w) => ({
    own: { [w.typedAuto.Secret]: 'true' },
    of: TLS,
    says: 'typed-auto',
  }),
  'typed auto asks for no other kind': (w) => ({ own: { [w.typedAuto.Secret]: 'true' }, says: 'not-asked' }),
  'typed auto asks only for what the pods refer to': (w) => ({
    own: { [w.typedAuto.ConfigMap]: 'true' },
    of: OTHER,
    says: 'not-asked',
  }),
  'search asks for what carries the mark': (w) => ({
    own: { [w.search]: 'true' },
    object: { [w.match]: 'true' },
    says: 'matched',
  }),
  'search asks for nothing without the mark': (w) => ({ own: { [w.search]: 'true' }, says: 'not-matched' }),
  'search asks for nothing that the pods do not refer to': (w) => ({
    own: { [w.search]: 'true' },
    object: { [w.match]: 'true' },
    of: OTHER,
    says: 'not-asked',
  }),
  'the mark asks for nothing without search': (w) => ({ object: { [w.match]: 'true' }, says: 'not-asked' }),
  'search is read to the letter': (w) => ({
    own: { [w.search]: 'True' },
    object: { [w.match]: 'true' },
    says: 'not-asked',
  }),
  'the mark is read to the letter': (w) => ({
    own: { [w.search]: 'true' },
    object: { [w.match]: '1' },
    says: 'not-matched',
  }),
  'ignore is read to the letter': (w) => ({
    own: named(w, 'cfg'),
    object: { [w.ignore]: 'True' },
    says: 'named',
  }),
  'ignore on the workload is no word': (w) => ({
    own: { ...named(w, 'cfg'), [w.ignore]: 'true' },
    says: 'named',
  }),
  'exclusion is of whole names': (w) => ({
    own: { ...named(w, 'cfg'), ...excluded(w, 'cf, cfg2') },
    says: 'named',
  }),
  'exclusion is of its kind': (w) => ({
    own: { ...named(w, 'cfg'), [w.exclude.Secret]: 'cfg' },
    says: 'named',
  }),
  'exclusion lists names, no expressions': (w) => ({
    own: { ...named(w, 'cfg'), ...excluded(w, 'cf.') },
    says: 'named',
  }),

  'ignore goes before exclude': (w) => ({
    own: excluded(w),
    object: { [w.ignore]: 'true' },
    says: 'ignored',
  }),
  'ignore goes before a name': (w) => ({
    own: named(w, 'cfg'),
    object: { [w.ignore]: 'true' },
    says: 'ignored',
  }),
  'ignore goes before the mark': (w) => ({
    own: { [w.search]: 'true' },
    object: { [w.ignore]: 'true', [w.match]: 'true' },
    says: 'ignored',
  }),
  'ignore goes before auto': (w) => ({
    own: { [w.auto]: 'true' },
    object: { [w.ignore]: 'true' },
    says: 'ignored',
  }),
  'ignore goes before everything that is asked for by the flag': (w) => ({
    object: { [w.ignore]: 'true' },
    flags: ALL,
    says: 'ignored',
  }),
  'exclude goes before a name': (w) => ({ own: { ...named(w, 'cfg'), ...excluded(w) }, says: 'excluded' }),
  'exclude goes before the mark': (w) => ({
    own: { [w.search]: 'true', ...excluded(w, 'x , cfg') },
    object: { [w.match]: 'true' },
    says: 'excluded',
  }),
  'exclude goes before auto': (w) => ({ own: { [w.auto]: 'true', ...excluded(w) }, says: 'excluded' }),
  'exclude goes before typed auto': (w) => ({
    own: { [w.typedAuto.ConfigMap]: 'true', ...excluded(w) },
    says: 'excluded',
  }),
  'exclude goes before everything that is asked for by the flag': (w) => ({
    own: excluded(w),
    flags: ALL,
    says: 'excluded',
  }),
  'a name goes before the mark': (w) => ({
    own: { ...named(w, 'cfg'), [w.search]: 'true' },
    object: { [w.match]: 'true' },
    says: 'named',
  }),
  'a name goes before auto': (w) => ({ own: { ...named(w, 'cfg'), [w.auto]: 'true' }, says: 'named' }),
  'a name asks although auto is false': (w) => ({
    own: { ...named(w, 'cfg'), [w.auto]: 'false' },
    says: 'named',
  }),
  'the mark goes before auto': (w) => ({
    own: { [w.search]: 'true', [w.auto]: 'true' },
    object: { [w.match]: 'true' },
    says: 'matched',
  }),
  'auto asks for what search does not find': (w) => ({
    own: { [w.search]: 'true', [w.auto]: 'true' },
    says: 'auto',
  }),
  'auto goes before typed auto': (w) => ({
    own: { [w.auto]: 'true', [w.typedAuto.ConfigMap]: 'true' },
    says: 'auto',
  }),
  'typed auto asks although auto is false': (w) => ({
    own: { [w.auto]: 'false', [w.typedAuto.ConfigMap]: 'true' },
    says: 'typed-auto',
  }),
  'auto asks although typed auto is false': (w) => ({
    own: { [w.auto]: 'true', [w.typedAuto.ConfigMap]: 'false' },
    says: 'auto',
  }),
  'a name goes before the flag for everything': (w) => ({ own: named(w, 'cfg'), flags: ALL, says: 'named' }),

  'the flag for everything asks for what the pods refer to': () => ({ flags: ALL, says: 'auto-all' }),
  'the flag for everything asks for nothing else': () => ({ flags: ALL, of: OTHER, says: 'not-asked' }),
  'the flag for everything yields to auto: false': (w) => ({
    own: { [w.auto]: 'false' },
    flags: ALL,
    says: 'not-asked',
  }),
  'the flag for everything yields to typed auto: false': (w) => ({
    own: { [w.typedAuto.ConfigMap]: 'false' },
    flags: ALL,
    says: 'not-asked',
  }),
  'the flag for everything does not yield to typed auto of the other kind': (w) => ({
    own: { [w.typedAuto.Secret]: 'false' },
    flags: ALL,
    says: 'auto-all',
  }),
  'the flag for everything yields to an auto that is neither true nor false': (w) => ({
    own: { [w.auto]: 'maybe' },
    flags: ALL,
    says: 'not-asked',
  }),
  'the flag for everything does not yield to an empty auto': (w) => ({
    own: { [w.auto]: '' },
    flags: ALL,
    says: 'auto-all',
  }),
  'the flag for everything does not yield to search': (w) => ({
    own: { [w.search]: 'true' },
    flags: ALL,
    says: 'auto-all',
  }),
  'the flag for everything does not yield to the name of another object': (w) => ({
    own: named(w, 'other'),
    flags: ALL,
    says: 'auto-all',
  }),
};

for (const words of BOTH) {
  for (const [sentence, rule] of Object.entries(RULES)) {
    test(`${words.name}: ${sentence}`, () => {
      hold(rule(words));
      const { flags, ...alone } = rule(words);
      hold({ ...alone, flags: { ...flags, dialects: [words.name] } });
    });
  }

  for (const value of ['1', 't', 'T', 'TRUE', 'true', 'True']) {
    test(`${words.name}: auto "${value}" is true`, () =>
      hold({ own: { [words.auto]: value }, says: 'auto' }));
  }

  for (const value of ['0', 'f', 'F', 'FALSE', 'false', 'False', '', ' true', 'tRUE', 'yes', 'on', 'y']) {
    test(`${words.name}: auto "${value}" is not true`, () =>
      hold({ own: { [words.auto]: value }, says: 'not-asked' }));
  }
}
