/** Makes the clients that notify people and programs outside the cluster: alerts and the webhook. */

import { readFile } from 'node:fs/promises';
import { proxyFor } from '../kubernetes/proxy.ts';
import type { Environment } from '../model/settings.ts';
import { Alerts } from '../notify/alerts.ts';
import { HttpPoster } from '../notify/http-post.ts';
import { Webhook } from '../notify/webhook.ts';
import { VERSION } from '../options/version.ts';
import { sleep } from '../queue/abortable-sleep.ts';
import type { Parts } from './assembly.ts';

const USER_AGENT = `kubernetes-reloader/${VERSION}`;

/** The sender of alerts, one for each rollout; undefined if the options ask for none, or nothing is rolled. */
export function alertsOf({ options, log, metrics, proxies, random }: Parts): Alerts | undefined {
  const { alerts: settings, dryRun, webhookUrl } = options;
  if (settings === undefined || dryRun || webhookUrl !== undefined) return undefined;
  const { url, proxy } = settings;
  const own = proxy === undefined ? proxiesFor(url, proxies) : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
  return new Alerts({
    poster: new HttpPoster({ url, proxies: own, userAgent: USER_AGENT }),
    settings,
    log,
    onResult: (result) => metrics?.alerted(result),
    random,
    wait: sleep,
  });
}

/** The webhook that is called in place of a rollout; undefined: workloads are rolled. */
export function webhookOf({ options, proxies }: Parts): Webhook | undefined {
  const { webhookUrl: url, webhookSecretFile: file } = options;
  if (url === undefined) return undefined;
  const readKey = file === undefined ? undefined : () => readFile(file, 'utf8');
  return new Webhook(
    new HttpPoster({ url, proxies: proxiesFor(url, proxies), userAgent: USER_AGENT }),
    readKey,
  );
}

/** The variables for Node's agent, which knows no subnet in NO_PROXY and no proxy without a scheme. */
function proxiesFor(url: string, variables: Environment = {}): Environment {
  const proxy = proxyFor(url, variables);
  return proxy === undefined ? {} : { HTTP_PROXY: proxy, HTTPS_PROXY: proxy };
}
