/** A real API server as tests see it, and what they ask of any. */

import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { linesOf } from '../../lib/kubernetes/json-call.ts';
import type { ApiRequest, Send } from '../../lib/kubernetes/transport.ts';
import { isObject, type Json, type JsonObject, objectOf, pick } from '../sandbox/json.ts';
import { type Sender, senderTo } from './sender.ts';
import { kubeconfigText } from './settings.ts';

const LONGEST_LINE = 1_000_000;
const execFileAsync = promisify(execFile);

/** Where an API server is, and who its administrator is. */
export interface Access {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly adminToken: string;
  /** The path of kubectl. */
  readonly kubectl: string;
  /** Whether pods are made and run. */
  readonly hasPods: boolean;
  /** Whether there are service accounts, and RBAC says what they may do. */
  readonly hasAccounts: boolean;
  /** For files; removed by whoever made it. */
  readonly folder: string;
}

/** An answer that has been read. */
export interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** A kubeconfig: as whom, and for which namespace. */
export interface KubeconfigOptions {
  /** @default the administrator's */
  readonly token?: string;
  /** @default 'default' */
  readonly namespace?: string;
  /** Another way to the server, such as a proxy. @default the server itself */
  readonly url?: string;
}

/** As whom kubectl is run, and what it reads. */
export interface KubectlOptions extends KubeconfigOptions {
  /** For `-f -`. */
  readonly input?: string;
}

/** A cluster for tests. */
export class RealCluster implements AsyncDisposable {
  readonly access: Access;
  /** As the administrator. */
  readonly send: Send;
  readonly #senders: Sender[] = [];
  #files = 0;

  constructor(access: Access) {
    this.access = access;
    this.send = this.sendAs(access.adminToken);
  }

  /** As whoever has that token. */
  sendAs(token: string): Send {
    const { url, ca } = this.access;
    const sender = senderTo({ url, ca, token });
    this.#senders.push(sender);
    return sender.send;
  }

  /** A key and a certificate, PEM, with which a server at 127.0.0.1 is trusted as this one is; undefined over http. */
  servingCertificate(): { readonly key: string; readonly cert: string } | undefined {
    return undefined;
  }

  /** Sends as the administrator and reads the answer, whatever its status. */
  async ask(method: ApiRequest['method'], pathname: string, body?: JsonObject): Promise<Answer> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = body === undefined ? {} : { 'content-type': type };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    return await answerOf(this.send, { method, path: pathname, headers, ...text });
  }

  /** The same; rejects unless the status is 2xx. */
  async expect(method: ApiRequest['method'], pathname: string, body?: JsonObject): Promise<JsonObject> {
    const answer = await this.ask(method, pathname, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${pathname}: ${answer.status} ${String(answer.body['message'])}`);
    return answer.body;
  }

  /**
   * Tells `see` of every version of the objects of a resource, from now until `signal`. Where the server ends the watch, as
   * under load, it begins anew with the present versions.
   */
  async watch(
    pathname: string,
    signal: AbortSignal,
    see: (version: JsonObject, type: Json | undefined) => void,
  ): Promise<void> {
    try {
      while (!signal.aborted) {
        const { body } = await this.send({ method: 'GET', path: `${pathname}?watch=1`, signal });
        for await (const line of linesOf(body, LONGEST_LINE)) {
          const event: unknown = JSON.parse(line);
          if (isObject(event)) see(objectOf(event['object']), event['type']);
        }
      }
    } catch {
      // its end
    }
  }

  /** Runs kubectl; resolves with what it prints, rejects with what it complains of. */
  kubectl(args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    return this.run(this.access.kubectl, args, options);
  }

  /** The same of a program that takes a kubeconfig as kubectl does. */
  async run(program: string, args: readonly string[], options: KubectlOptions = {}): Promise<string> {
    const { input, ...as } = options;
    const kubeconfig = await this.kubeconfig(as);
    const run = execFileAsync(program, ['--kubeconfig', kubeconfig, ...args]);
    run.child.stdin?.end(input);
    return (await run).stdout;
  }

  /** Writes a kubeconfig; resolves with its path. */
  async kubeconfig({ token, namespace = 'default', url }: KubeconfigOptions = {}): Promise<string> {
    const { access } = this;
    this.#files += 1;
    const file = path.join(access.folder, `kubeconfig-${this.#files}`);
    const text = kubeconfigText(url ?? access.url, access.ca, token ?? access.adminToken, namespace);
    await writeFile(file, text, { mode: 0o600 });
    return file;
  }

  /**
   * A token of a ServiceAccount, which must exist.
   *
   * @param secret whose deletion ends the token; it must exist too. @default the token is good for an hour
   */
  async serviceAccountToken(namespace: string, name: string, secret?: string): Promise<string> {
    const pathname = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
    const request = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        expirationSeconds: 3600,
        ...(secret === undefined
          ? {}
          : { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name: secret } }),
      },
    };
    return String(pick(await this.expect('POST', pathname, request), 'status', 'token'));
  }

  /** Ends the connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const sender of this.#senders) sender.close();
  }
}

/** Sends and reads. */
async function answerOf(send: Send, request: ApiRequest): Promise<Answer> {
  const response = await send(request);
  let text = '';
  for await (const piece of response.body) text += piece;
  // Health checks answer plain text.
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : { message: text };
  return { status: response.status, body: isObject(body) ? body : {} };
}
