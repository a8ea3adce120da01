/**
 * Credentials and connections: for each request the server, the headers that authenticate it, and an agent with open sockets.
 * Certificates, token files and exec plugins may change while the program runs, so each request asks anew.
 */

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
  /** protocol, hostname, port, agent, auth, certificates. */
  readonly target: RequestOptions;
  /** The agent of a watch: `false` gives it a connection of its own, since it would occupy one of the others for minutes. */
  readonly watchAgent: HttpAgent | false;
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
  readonly #maxSockets: number;
  #config: KubeConfig | undefined;
  #agent: HttpAgent | undefined;
  /** The settings that the agent was made with. */
  #agentOf = '';
  /** Requests that start together share one run of an exec plugin; a later one joins it, until it is given up. */
  #pending: { readonly access: Promise<Access>; readonly until: number } | undefined;

  /**
   * @param load reads all files anew at each call.
   * @param maxSockets how many requests without a proxy are under way at once; the others wait in order.
   */
  constructor(load: () => KubeConfig, maxSockets: number = Number.POSITIVE_INFINITY) {
    this.#load = load;
    this.#maxSockets = maxSockets;
  }

  /** The present credentials. The wait for a plugin is bounded. @throws CredentialsError, or the error of `load`. */
  async access(): Promise<Access> {
    const deadline = new IdleDeadline(CREDENTIALS_MS);
    try {
      return await deadline.race(this.#running());
    } catch (error) {
      throw deadline.signal.aborted ? new CredentialsError(whyNot(this.#newest(), error, true)) : error;
    } finally {
      deadline.end();
    }
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

  /** A plugin that hangs cannot be ended, so a second run is started beside it after GIVEN_UP_MS. */
  #running(): Promise<Access> {
    if (this.#pending !== undefined && monotonicMs() < this.#pending.until) return this.#pending.access;
    const pending = { access: this.#prepare(), until: monotonicMs() + GIVEN_UP_MS };
    const forget = (): void => {
      if (this.#pending === pending) this.#pending = undefined;
    };
    pending.access.then(forget, forget);
    this.#pending = pending;
    return pending.access;
  }

  async #prepare(): Promise<Access> {
    let applied = await apply(this.#newest());
    if (applied.proxyUrl && this.#agent !== undefined && applied.settings !== this.#agentOf) {
      // The library makes one proxy agent per KubeConfig, with the certificates of its first use.
      this.#config = undefined;
      applied = await apply(this.#newest());
    }
    const { config, options, server, tls, proxyUrl } = applied;
    const { protocol, hostname, port } = urlToHttpOptions(server);
    const agent = this.#agentFor(applied);
    const auth = options.auth === undefined ? {} : { auth: options.auth };
    return {
      config,
      target: { protocol, hostname, port, agent, ...auth, ...tls } as RequestOptions,
      watchAgent: proxyUrl ? agent : false,
      basePath: server.pathname.replace(/\/+$/, ''),
      headers: headersOf(options),
    };
  }

  #newest(): KubeConfig {
    this.#config ??= this.#load();
    return this.#config;
  }

  #agentFor({ options, proxyUrl, server, settings, tls }: Applied): HttpAgent {
    if (this.#agent !== undefined && settings === this.#agentOf) return this.#agent;
    retire(this.#agent);
    this.#agentOf = settings;
    const Agent = server.protocol === 'http:' ? HttpAgent : HttpsAgent;
    const own = { ...KEEP_ALIVE, ...tls, maxSockets: this.#maxSockets };
    this.#agent = proxyUrl ? (options.agent as HttpAgent) : new Agent(own);
    return this.#agent;
  }
}

/** The settings of a KubeConfig as its files are now. */
interface Applied {
  readonly config: KubeConfig;
  readonly options: RequestOptions;
  readonly server: URL;
  readonly proxyUrl: string | undefined;
  /** The certificates, and how those of the server are checked. */
  readonly tls: AgentOptions;
  /** Everything that an agent is made with, as one text. */
  readonly settings: string;
}

/** @throws CredentialsError */
async function apply(config: KubeConfig): Promise<Applied> {
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new CredentialsError(whyNot(config, error, false));
  }
  const { server: url = '', proxyUrl } = config.getCurrentCluster() ?? {};
  const server = new URL(url);
  const { ca, cert, key, rejectUnauthorized, servername } = options;
  const tls = Object.entries({ ca, cert, key, rejectUnauthorized, servername }).filter(
    ([, v]) => v !== undefined,
  );
  const settings = [server.protocol, proxyUrl, ...tls.flat()].join('\0');
  return { config, options, server, proxyUrl, tls: Object.fromEntries(tls), settings };
}

/** Closes the idle sockets of `agent`; requests under way end undisturbed, and then their sockets are closed. */
function retire(agent: HttpAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0;
  for (const sockets of Object.values(agent.freeSockets)) {
    for (const socket of sockets ?? []) socket.destroy();
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
