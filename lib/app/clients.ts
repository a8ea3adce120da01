/**
 * The clients through which a reloader reads and writes the API server, and those that notify people and programs outside the cluster.
 * The modes differ only here: in a dry run all writes succeed without being sent, and with a webhook a notification takes the place of
 * the patch of a workload.
 */

import { readFile } from 'node:fs/promises';
import { DryRunObject, KeptObject } from '../kubernetes/kept-object.ts';
import { proxyFor } from '../kubernetes/proxy.ts';
import { Evictions } from '../kubernetes/workloads/evictions.ts';
import { WorkloadWriter } from '../kubernetes/workloads/workload-writer.ts';
import type { WorkloadClient, WriteResult } from '../model/outcome.ts';
import { shardNames } from '../model/shards.ts';
import { Alerts } from '../notify/alerts.ts';
import { HttpPoster } from '../notify/http-post.ts';
import { tellWebhook } from '../notify/webhook.ts';
import { VERSION } from '../options/version.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import { isGenuineCopy } from '../repair/genuine-copy.ts';
import { type KeyedStateClient, keySecretOf } from '../store/state-client.ts';
import type { Store } from '../store/store.ts';
import type { Parts } from './assembly.ts';
import type { ControllersOptions } from './controllers.ts';

/** The clients of workloads and of objects. `store`: decides whether a placeholder Job was made by this program. */
export function clientsOf(
  { send, options }: Pick<Parts, 'send' | 'options'>,
  store: Store,
  tell: WorkloadClient['roll'] | undefined,
): Pick<ControllersOptions, 'client' | 'pods' | 'finish'> {
  const { dryRun } = options;
  const writer = new WorkloadWriter(send, (copy, job) => isGenuineCopy(store, copy, job));
  const get: WorkloadClient['get'] = (ref) => writer.get(ref);
  const mayWrite = !dryRun && tell === undefined;
  const tells = tell && { roll: tell, get };
  return {
    client: dryRun ? { roll: leaveAsItIs, patch: leaveAsItIs, get } : (tells ?? writer),
    pods: mayWrite ? new Evictions(send) : undefined,
    finish: mayWrite ? (ref) => writer.finish(ref) : leaveAsItIs,
  };
}

/** Answers like an accepted write, and sends nothing. */
function leaveAsItIs(): Promise<WriteResult<undefined>> {
  return Promise.resolve({ kind: 'accepted', object: undefined });
}

/** The client of the ConfigMaps of the state and of its keys; in a dry run they are only read. */
export function stateClientOf(parts: Pick<Parts, 'send' | 'server' | 'options' | 'place'>): KeyedStateClient {
  const { send, server, options, place } = parts;
  const Kept = options.dryRun ? DryRunObject : KeptObject;
  const { stateNamespace: namespace } = place;
  const keys = new Kept(send, keySecretOf(options.configmap, namespace));
  const shards = shardNames(options.configmap).map(
    (name) => new Kept(send, { kind: 'ConfigMap', namespace, name }),
  );
  const at = (shard: number): KeptObject => {
    const found = shards[shard];
    if (found === undefined) throw new RangeError(`no shard ${shard}`);
    return found;
  };
  return {
    server,
    keys,
    read: (shard, signal) => at(shard).read(signal),
    create: (shard) => at(shard).create(),
    patch: (shard, patch) => at(shard).patch(patch),
  };
}

const USER_AGENT = `kubernetes-reloader/${VERSION}`;

/** The sender of alerts, one for each rollout; undefined if the options ask for none, or nothing is rolled. */
export function alertsOf({ options, log, metrics, proxies = {}, random }: Parts): Alerts | undefined {
  const { alerts: settings, dryRun, webhookUrl } = options;
  if (settings === undefined || dryRun || webhookUrl !== undefined) return undefined;
  const { url, proxy } = settings;
  return new Alerts({
    poster: new HttpPoster({ url, proxy: proxy ?? proxyFor(url, proxies), userAgent: USER_AGENT }),
    settings,
    log,
    onResult: (result) => metrics?.count('reloader_alerts_total', { result }),
    random,
    wait: sleep,
  });
}

/** Calls the webhook in place of a rollout; undefined: workloads are rolled. */
export function webhookOf({ options, proxies = {} }: Parts): WorkloadClient['roll'] | undefined {
  const { webhookUrl: url, webhookSecretFile: file } = options;
  if (url === undefined) return undefined;
  const readKey = file === undefined ? undefined : () => readFile(file, 'utf8');
  const poster = new HttpPoster({ url, proxy: proxyFor(url, proxies), userAgent: USER_AGENT });
  return (plan) => tellWebhook(plan, poster, readKey);
}
