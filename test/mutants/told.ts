/** Sabotages of what is told outside the cluster: by a webhook in place of rollouts, and by alerts. */

import { change, drop } from './edit.ts';
import type { Mutant } from './table.ts';

const TOLD = 'test/unit/tracking/told.test.ts';
const POST = 'test/unit/notify/http-post.test.ts';
const ALERTS = 'test/unit/notify/alerts.test.ts';

/** Every one of them must be noticed. */
export const TOLD_MUTANTS: readonly Mutant[] = [
  {
    name: 'told: whoever was told and rolls the workload is told again for it',
    edit: drop('afterWrites', 'store.settings.onlyTells'),
    tests: [TOLD],
  },
  {
    name: 'told: two rollouts are told with the same number',
    edit: change('afterTelling', 'withSequence()', 'edge'),
    tests: [TOLD],
  },
  {
    name: 'told: a post that was not answered counts as taken',
    edit: change(
      'Webhook.tell',
      "{ ...result, kind: 'throttled' }",
      "{ kind: 'accepted', object: undefined }",
    ),
    tests: ['test/unit/notify/webhook.test.ts'],
  },
  {
    name: 'told: a redirect counts as taken',
    edit: change('HttpPoster.#resultOf', 'status < 300', 'status < 400'),
    tests: [POST],
  },
  {
    name: 'told: a proxy that hangs is waited for',
    edit: drop('HttpPoster.#exchange.giveUp', 'end()'),
    tests: [POST],
  },
  {
    name: 'told: the whole address is shown',
    edit: change('HttpPoster.constructor', 'originOf()', 'options.url'),
    tests: [POST],
  },
  {
    name: 'told: the queue of alerts grows without end',
    edit: drop('Alerts.#dropOldest', 'shift()'),
    tests: [ALERTS],
  },
  {
    name: 'told: the end of the program waits for a better moment to alert',
    edit: drop('Alerts.#isWorthARetry', '!this.#closing.signal.aborted'),
    tests: [ALERTS],
  },
  {
    name: 'told: a notification without its key is sent unsigned',
    edit: drop('Webhook.tell', "key?.trim() === ''"),
    tests: ['test/unit/notify/webhook.test.ts'],
  },
];
