/** Tells a webhook whom the reloader would roll, in place of rolling. */

import { createHash } from 'node:crypto';
import { configRefIn } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { RolloutPlan } from '../model/rollout-plan.ts';
import { formatStamp } from '../model/stamp.ts';
import type { HttpPoster, PostBody } from './http-post.ts';

/** One per process. */
export class Webhook {
  readonly #poster: Pick<HttpPoster, 'post'>;

  constructor(poster: Pick<HttpPoster, 'post'>) {
    this.#poster = poster;
  }

  /**
   * The plan is carried out when the webhook has taken it, without an object: the workload stays as it is. There is nothing
   * to look at afterwards, so what is not taken is not in force, and told again. Never rejects.
   */
  async tell(plan: RolloutPlan): Promise<WriteResult<undefined>> {
    const result = await this.#poster.post(bodyOf(plan, new Date()));
    switch (result.kind) {
      case 'taken':
        return { kind: 'accepted', object: undefined };
      case 'refused':
        return { kind: 'rejected', code: 'forbidden', message: result.message };
      case 'later':
        return { ...result, kind: 'throttled' };
    }
  }
}

/**
 * What is posted; its `webhook` is all that Stakater Reloader sends. The `id` is the same however often the same rollout is
 * told: no number of a stamp is used for another one.
 */
export function bodyOf({ workload, stamps }: RolloutPlan, now: Date): PostBody {
  const versions = stamps.map(({ config, stamp }) => [config, formatStamp(stamp)]);
  const id = createHash('sha1')
    .update(JSON.stringify([workload, versions.sort()]))
    .digest('hex');
  const { kind, namespace, name } = workload;
  const text = JSON.stringify({
    webhook: 'update successful',
    id,
    time: now.toISOString(),
    workload: { kind, namespace, name },
    objects: stamps.map(({ config }) => configRefIn(config)),
  });
  return { contentType: 'application/json', text };
}
