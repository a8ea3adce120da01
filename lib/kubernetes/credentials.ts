/**
 * Credentials and connections: for each request the server, the headers that authenticate it, and an agent with open sockets.
 * Certificates, token files and exec plugins may change while the program runs, so each request asks anew.
 */

import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { type AgentOptions, Agent as HttpsAgent, type RequestOptions } from 'node:https';
import { urlToHttpOptions } from 'node:url';
import type { KubeConfig } from '@kubernetes/client-node';
import { monotonicMs } from '../model/time.ts';
import { IdleDeadline } from './json-call.ts';

/** The credentials and the connection for one request. */
export interface Access {
  /** The KubeConfig that they come from; after a 401 `renew` compares it, to load new ones only once. */
  readonly config: KubeConfig;
  /** protocol, hostname, port, agent, auth. */
  readonly target: RequestOptions;
  /** Path of the server's URL, without a slash at its end. */
  readonly basePath: string;
  /** Authorization and Impersonate-User. */
  readonly headers: Readonly<Record<string, string>>;
}

/** An exec plugin, token file or certificate gave no credentials. The message quotes nothing of their output or content. */
class CredentialsError extends Error {
  override readonly name: string = 'CredentialsError';
}

/** How long a request waits for credentials; an exec plugin that calls its cloud takes less. */
const CREDENTIALS_MS = 30_000;
/** After so long a plugin that hangs is run once more. */
const GIVEN_UP_MS = 600_000;
const MAX_FREE_SOCKETS = 64;
/** Idle sockets are closed before a load balancer cuts them. */
const IDLE_SOCKET_MS = 30_000;
/**
 * Without maxSockets: a request that waits for a socket cannot be aborted, and watches would keep the sockets from the rest.
 */
const KEEP_ALIVE: AgentOptions = {
  keepAlive: true,
  maxFreeSockets: MAX_FREE_SOCKETS,
  timeout: IDLE_SOCKET_MS,
};

/**
 * Holds one KubeConfig and one keep-alive agent. A new agent takes over when the certificates change; requests under way on the
 * old one end undisturbed. Safe for concurrent requests.
 */
export class Credentials {
  readonly #load: () => KubeConfig;
  #config: KubeConfig | undefined;
  #agent: HttpAgent | undefined;
  /** The digest of the settings that the agent was made with. */
  #agentOf = '';
  /** Requests that start together share one run of an exec plugin. */
  #pending: Promise<Access> | undefined;

  /** @param load reads all files anew at each call. */
  constructor(load: () => KubeConfig) {
    this.#load = load;
  }

  /** The present credentials. @throws CredentialsError, or the error of `load`. */
  access(): Promise<Access> {
    this.#pending ??= this.#prepare().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  /**
   * The server answered 401 to `failed`, or could not be reached: the next `access` reads all files anew, unless another request
   * has caused that already.
   */
  renew(failed: Access): void {
    if (this.#config !== failed.config) return;
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

  /** Applies the KubeConfig, or a new one if its certificates changed: the library's proxy agent would keep the old ones. */
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
    const Agent = protocol === 'http:' ? HttpAgent : HttpsAgent;
    this.#agent = proxyAgent ?? new Agent({ ...KEEP_ALIVE, ...tls });
    return this.#agent;
  }
}

/** The settings of a KubeConfig as its files are now. */
interface Applied {
  readonly config: KubeConfig;
  readonly options: RequestOptions;
  readonly protocol: string;
  /** The certificates, and how those of the server are checked. */
  readonly tls: AgentOptions;
  /** The digest of everything that an agent is made with. */
  readonly digest: string;
  /** With a proxy: the agent of the client library, which makes one per KubeConfig and never reads its files again. */
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

/** Closes the idle sockets of `agent`; requests under way end undisturbed, and then their sockets are closed. */
function retire(agent: HttpAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
  }
}

/** The run of an exec plugin under way for each KubeConfig. */
const RUNS = new WeakMap<KubeConfig, { readonly options: Promise<RequestOptions>; readonly until: number }>();

/** Joins the run under way. A plugin that hangs cannot be ended, so a second run is started beside it after GIVEN_UP_MS. */
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

/** The options of `config`. The wait for a plugin is bounded; its run goes on, and a later request may get its result. */
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

/** Trims the values: a token file may end with a newline, which a header must not contain. */
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
