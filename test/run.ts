/**
 * `npm test`: every *.test.ts, and every *.e2e.ts that the control plane at hand can serve; or the files that are named.
 * What was left out is said in the last line. Options go to the test runner.
 */

import { spawnSync } from 'node:child_process';
import { type Available, availableIn } from './control-plane/availability.ts';

const { hasApi, hasPods, leftOut } = availableOrExit();
const all = [
  'test/**/*.test.ts',
  ...(hasApi ? ['test/control-plane/**/*.e2e.ts'] : []),
  ...(hasPods ? ['test/e2e/**/*.e2e.ts'] : []),
];
const given = process.argv.slice(2);
const areFilesNamed = given.some((argument) => argument.endsWith('.ts'));
const args = ['--test', '--test-concurrency=2', ...given, ...(areFilesNamed ? [] : all)];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
if (leftOut !== undefined && !areFilesNamed) console.log(leftOut);
process.exitCode = status ?? 1;

/** What is there; a variable that names what is not there ends this program. */
function availableOrExit(): Available {
  try {
    return availableIn();
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
