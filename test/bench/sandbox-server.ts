/** A sandbox as a process: tells its parent the URL, ends with it. */

import { createSandbox } from '../sandbox/sandbox.ts';
import { serve } from '../sandbox/serve.ts';

const { url } = await serve(createSandbox().handle);
process.once('disconnect', () => process.exit());
process.send?.(url);
