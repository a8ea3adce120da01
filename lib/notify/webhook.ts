/** Notifies a webhook of each rollout, in place of patching the workload. */

import { createHash, createHmac } from 'node:crypto';
import { configRefIn } from '../model/object-ref.ts';
import type { WriteResult } from '../model/outcome.ts';
import type { RolloutPlan } from '../model/rollout-plan.ts';
import { formatStamp } from '../model/stamp.ts';
import type { HttpPoster, PostBody } from './http-post.ts';

/**
 * Sends the plan. It counts as accepted, without an object, when the webhook accepts it: the workload stays as it is. A post
 * without an answer cannot be looked up afterwards, so it counts as not accepted and is sent again. Without the key nothing is
 * sent. Never rejects.
 *
 * @param readKey reads the key that signs each notification; white space around it does not count. @default none is signed
 */
export async function tellWebhook(
  plan: RolloutPlan,
  poster: Pick<HttpPoster, 'post'>,
  readKey?: () => Promise<string>,
): Promise<WriteResult<undefined>> {
  const body = bodyOf(plan, new Date());
  const key = await readKey?.().catch(() => '');
  if (key?.trim() === '') return NO_KEY;
  const hash = key && createHmac('sha256', key.trim()).update(body.text).digest('hex');
  const result = await poster.post(hash ? { ...body, signature: `sha256=${hash}` } : body);
  if (result.kind === 'taken') return { kind: 'accepted', object: undefined };
  if (result.kind === 'later') return { ...result, kind: 'throttled' };
  return { kind: 'rejected', code: 'forbidden', message: result.message };
}

/** An attempt that is repeated: the file may come. */
const NO_KEY: WriteResult<undefined> = {
  kind: 'throttled',
  message: 'the file of --webhook-secret-file has no key, or cannot be read',
};

/**
 * The body of a notification; its `webhook` is the whole message of Stakater Reloader. A repetition has the same `id` while the
 * objects are not written, also by another process: what was accepted for these versions brings them.
 */
export function bodyOf({ workload, stamps, versions: known }: RolloutPlan, now: Date): PostBody {
  const versions = stamps.map(({ config, stamp }) => {
    return [config, known.get(config)?.objectVersion ?? formatStamp(stamp)];
  });
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
