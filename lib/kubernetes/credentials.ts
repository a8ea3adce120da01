/** What a request needs besides itself: the server, the headers that say who we are, and sockets to send it on. */

import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { KubeConfig } from '@kubernetes/client-node';
import { monotonicMs } from '../model/time.ts';
import { IdleDeadline } from './idle-deadline.ts';

/** Everything for one request but the request. */
export interface Access {
  /** Whose credentials these are: to tell, after a 401, whether others have been loaded meanwhile. */
  readonly config: KubeConfig;
  /** protocol, hostname, port, agent, auth. */
  readonly target: RequestOptions;
  /** Path of the server's URL, without a slash at its end. */
  readonly basePath: string;
  /** Authorization, Impersonate-User. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The credentials cannot be had: an exec plugin, a token file, a certificate. Quotes nothing that a plugin or file said. */
class CredentialsError extends Error {
  override readonly name: string = 'CredentialsError';
}

/** Longer than a plugin takes that asks its cloud. */
const CREDENTIALS_MS = 30_000;
/** After so long a plugin that hangs is run once more. */
const GIVEN_UP_MS = 600_000;
const MAX_FREE_SOCKETS = 64;
/** Idle sockets are let go before a load balancer cuts them. */
const IDLE_SOCKET_MS = 30_000;
/** No agent bounds its sockets: what waits for one could not be ended, and watches would take them from the rest. */
const KEEP_ALIVE: AgentOptions = {
  keepAlive: true,
  maxFreeSockets: MAX_FREE_SOCKETS,
  timeout: IDLE_SOCKET_MS,
};

/** Holds one KubeConfig and one keep-alive agent; a new agent takes over when the certificates change. */
export class Credentials {
  readonly #load: () => KubeConfig;
  #config: KubeConfig | undefined;
  #agent: HttpAgent | undefined;
  /** The digest of what the agent was made with. */
  #agentOf = '';
  /** Requests that start together share one run of an exec plugin. */
  #pending: Promise<Access> | undefined;

  /** @param load reads all files anew at each call. */
  constructor(load: () => KubeConfig) {
    this.#load = load;
  }

  /** @throws CredentialsError, or what `load` throws. */
  access(): Promise<Access> {
    this.#pending ??= this.#prepare().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /** The server does not take `refused`: the next `access` reads everything anew, unless that has happened meanwhile. */
  renew(refused: Access): void {
    if (this.#config !== refused.config) return;
    this.#config = undefined;
    this.#pending = undefined;
  }

  /** Closes every socket. */
  close(): void {
    this.#agent?.destroy();
  }

  async #prepare(): Promise<Access> {
    const applied = await this.#apply();
    const { config, options } = applied;
    const server = new URL(config.getCurrentCluster()?.server ?? '');
    const { protocol, hostname, port } = urlToHttpOptions(server);
    const auth = options.auth === undefined ? {} : { auth: options.auth };
    return {
      config,
      target: { protocol, hostname, port, agent: this.#agentFor(applied), ...auth } as RequestOptions,
      basePath: server.pathname.replace(/\/+$/, ''),
      headers: headersOf(options),
    };
  }

  /** Of a new KubeConfig where the agent of the present one has outlived its certificates. */
  async #apply(): Promise<Applied> {
    const applied = await apply(this.#newest());
    if (applied.proxyAgent === undefined || applied.proxyAgent !== this.#agent) return applied;
    if (applied.digest === this.#agentOf) return applied;
    this.#config = undefined;
    return await apply(this.#newest());
  }

  #newest(): KubeConfig {
    this.#config ??= this.#load();
    return this.#config;
  }

  #agentFor({ proxyAgent, digest, protocol, tls }: Applied): HttpAgent {
    const isKept = proxyAgent === undefined ? this.#agentOf === digest : this.#agent === proxyAgent;
    if (this.#agent !== undefined && isKept) return this.#agent;
    retire(this.#agent);
    this.#agentOf = digest;
    this.#agent = proxyAgent ?? newAgent(protocol, tls);
    return this.#agent;
  }
}

/** What a KubeConfig says now, its files included. */
interface Applied {
  readonly config: KubeConfig;
  readonly options: RequestOptions;
  readonly protocol: string;
  /** Certificates, and how they are checked. */
  readonly tls: AgentOptions;
  /** Of all that an agent is made with. */
  readonly digest: string;
  /** Through a proxy leads only an agent of the library's. It makes one for a KubeConfig and never looks at files again. */
  readonly proxyAgent: HttpAgent | undefined;
}

/** @throws CredentialsError */
async function apply(config: KubeConfig): Promise<Applied> {
  const options = await optionsOf(config);
  const { server = '', proxyUrl } = config.getCurrentCluster() ?? {};
  const { protocol } = new URL(server);
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  const tls = Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(
    ([, v]) => v !== undefined,
  );
  const digest = createHash('sha256');
  for (const [name, value] of [['protocol', protocol], ['proxy', proxyUrl], ...tls]) {
    digest.update(`\0${name}\0${String(value)}`);
  }
  return {
    config,
    options,
    protocol,
    tls: Object.fromEntries(tls),
    digest: digest.digest('hex'),
    proxyAgent: proxyUrl ? (options.agent as HttpAgent) : undefined,
  };
}

function newAgent(protocol: string, tls: AgentOptions): HttpAgent {
  return protocol === 'http:' ? new HttpAgent(KEEP_ALIVE) : new HttpsAgent({ ...KEEP_ALIVE, ...tls });
}

/** What is under way on `agent` ends as it may; then its sockets are closed. */
function retire(agent: HttpAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** What each KubeConfig is asked for now. */
const RUNS = new WeakMap<KubeConfig, { readonly options: Promise<RequestOptions>; readonly until: number }>();

/** Nobody can end a plugin that hangs: it is run again beside itself, but seldom. */
function running(config: KubeConfig): Promise<RequestOptions> {
  const known = RUNS.get(config);
  if (known !== undefined && monotonicMs() < known.until) return known.options;
  const options: RequestOptions = {};
  const applying = config.applyToHTTPSOptions(options).then(() => options);
  const run = { options: applying, until: monotonicMs() + GIVEN_UP_MS };
  const forget = (): void => void (RUNS.get(config) === run && RUNS.delete(config));
  applying.then(forget, forget);
  RUNS.set(config, run);
  return run.options;
}

/** A plugin that hangs is not waited for: who asks later may be luckier. */
async function optionsOf(config: KubeConfig): Promise<RequestOptions> {
  const deadline = new IdleDeadline(CREDENTIALS_MS);
  try {
    return await deadline.race(running(config));
  } catch (error) {
    throw new CredentialsError(whyNot(config, error, deadline.signal.aborted));
  } finally {
    deadline.end();
  }
}

/** A token file may end in a line end, which no header may hold. */
function headersOf({ headers }: RequestOptions): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => [name, String(value).trim()]),
  );
}

function whyNot(config: KubeConfig, error: unknown, isLate: boolean): string {
  const { code, path } = error as NodeJS.ErrnoException;
  const { name = '', exec } = config.getCurrentUser() ?? {};
  const within = isLate ? ` within ${CREDENTIALS_MS / 1000} s` : '';
  if (typeof exec?.command === 'string') {
    return `the exec plugin ${exec.command} gave no credentials${within}; run it to see why`;
  }
  if (isLate) return `the credentials of user "${name}" were not there${within}`;
  if (typeof path === 'string') return `credentials cannot be read from ${path} (${code ?? 'unknown error'})`;
  return `the credentials of user "${name}" cannot be used`;
}
