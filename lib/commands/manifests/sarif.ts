/** Problems in the format SARIF 2.1.0, which code hosts show beside the lines of a pull request. */

import { VERSION } from '../../options/version.ts';
import type { Problem } from './check.ts';
import { CHECKED_RULES } from './check-rules.ts';

/** The log of one run. */
export function sarifOf(problems: readonly Problem[]): object {
  const rules = Object.entries(CHECKED_RULES).map(([id, [level, text]]) => ({
    id,
    shortDescription: { text },
    defaultConfiguration: { level },
  }));
  const driver = { name: 'kubernetes-reloader', version: VERSION, rules };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [{ tool: { driver }, results: problems.map(resultOf) }],
  };
}

function resultOf({ rule, level, file, line, object, says, todo }: Problem): object {
  const text = [`${object}: ${says}`, ...(todo === undefined ? [] : [todo])].join('; ');
  const uri = file.split('/').map(encodeURIComponent).join('/');
  const physicalLocation = { artifactLocation: { uri }, region: { startLine: line } };
  return { ruleId: rule, level, message: { text }, locations: [{ physicalLocation }] };
}
