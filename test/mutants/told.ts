/** Sabotages of what is told outside the cluster: by a webhook in place of rollouts, and by alerts. */

import type { Mutant } from './table.ts';

const TOLD = 'test/unit/controller/told.test.ts';
const POST = 'test/unit/notify/http-post.test.ts';
const ALERTS = 'test/unit/notify/alerts.test.ts';

/** Every one of them must be noticed. */
export const TOLD_MUTANTS: readonly Mutant[] = [
  {
    name: 'told: whoever was told and rolls the workload is told again for it',
    file: 'lib/controller/follow.ts',
    find: 'edges.onlyTells || ',
    replace: '',
    tests: [TOLD],
  },
  {
    name: 'told: two rollouts are told with the same number',
    file: 'lib/controller/rollout.ts',
    find: 'asTold(edge, { digest: version.digest, number })',
    replace: 'asTold(edge, { digest: version.digest, number: 0 })',
    tests: [TOLD],
  },
  {
    name: 'told: a post that was not answered counts as taken',
    file: 'lib/notify/webhook.ts',
    find: "return { ...result, kind: 'throttled' };",
    replace: "return { kind: 'accepted', object: undefined };",
    tests: ['test/unit/notify/webhook.test.ts'],
  },
  {
    name: 'told: a redirect counts as taken',
    file: 'lib/notify/http-post.ts',
    find: 'status < 300)',
    replace: 'status < 400)',
    tests: [POST],
  },
  {
    name: 'told: a proxy that hangs is waited for',
    file: 'lib/notify/http-post.ts',
    find: '        call.destroy();\n        end();',
    replace: '        call.destroy();',
    tests: [POST],
  },
  {
    name: 'told: the whole address is shown',
    file: 'lib/notify/http-post.ts',
    find: 'this.origin = originOf(options.url);',
    replace: 'this.origin = options.url;',
    tests: [POST],
  },
  {
    name: 'told: the queue of alerts grows without end',
    file: 'lib/notify/alerts.ts',
    find: 'this.#queue.shift();\n    onResult',
    replace: 'onResult',
    tests: [ALERTS],
  },
  {
    name: 'told: the end of the program waits for a better moment to alert',
    file: 'lib/notify/alerts.ts',
    find: ' && !this.#closing.signal.aborted',
    replace: '',
    tests: [ALERTS],
  },
];
