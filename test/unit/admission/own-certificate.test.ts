import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import type { KeyPair } from '../../../lib/admission/admission-server.ts';
import { issuePair } from '../../../lib/admission/certificate-authority.ts';
import {
  type CertificateStore,
  keepOwnCertificate,
  LIFETIME_MS,
} from '../../../lib/admission/own-certificate.ts';
import { NO_LOG } from '../../../lib/model/log.ts';

const NAME = 'kubernetes-reloader-webhook.reloader.svc';
const DAY_MS = 24 * 3_600_000;

/** A Secret and a configuration, with the fence of the API server. */
class Cluster implements CertificateStore {
  version = 0;
  data: Readonly<Record<string, string>> | undefined;
  authorities = '';
  host = NAME;
  /** What happens just before the next write of the Secret. */
  before: () => void = () => undefined;

  async read() {
    return this.data && { resourceVersion: String(this.version), data: this.data };
  }
  async create() {
    this.data ??= {};
    return { kind: 'accepted', object: { resourceVersion: String(this.version), data: this.data } } as const;
  }
  async write(version: string, texts: Readonly<Record<string, string>>) {
    this.before();
    if (version !== String(this.version)) return { kind: 'conflict' } as const;
    this.put(texts);
    return { kind: 'accepted', object: { resourceVersion: String(this.version), data: texts } } as const;
  }
  async trust() {
    const { host, authorities } = this;
    return { resourceVersion: '1', webhooks: [{ host, authorities }] };
  }
  async setTrust(_: unknown, authorities: string) {
    this.authorities = authorities;
  }
  put(texts: Readonly<Record<string, string>>): void {
    this.data = texts;
    this.version += 1;
  }
}

interface Run {
  readonly used: KeyPair[];
  readonly warned: string[];
  readonly waits: number[];
}

/** One replica that looks so many times; `between` is called after each look. */
async function replica(
  cluster: Cluster,
  looks: number,
  between = (_: number) => {},
  start = 0,
): Promise<Run> {
  const end = new AbortController();
  const run: Run = { used: [], warned: [], waits: [] };
  let now = Date.now() + start;
  const wait = async (ms: number): Promise<void> => {
    run.waits.push(ms);
    between(run.waits.length);
    now += DAY_MS * 40;
    if (run.waits.length >= looks) end.abort();
  };
  const use = (pair: KeyPair): void => {
    assert.ok(cluster.authorities.length > 0, 'it is used before it is trusted');
    run.used.push(pair);
  };
  const log = { ...NO_LOG, warn: (_: string, fields = {}) => run.warned.push(JSON.stringify(fields)) };
  const options = { store: cluster, issue: issuePair, use, log, wait, now: () => now };
  await keepOwnCertificate(options, end.signal);
  return run;
}

function authoritiesIn(text: string): X509Certificate[] {
  const parts = text.split(/(?<=-----END CERTIFICATE-----\n)/).filter((part) => part !== '');
  return parts.map((part) => new X509Certificate(part));
}

test('the first look makes a certificate for the name that is asked, trusted before it is used', async () => {
  const cluster = new Cluster();
  const { used } = await replica(cluster, 1);
  const [pair] = used;
  assert.ok(pair);
  const certificate = new X509Certificate(pair.certificate);
  assert.equal(certificate.checkHost(NAME), NAME);
  const [authority] = authoritiesIn(cluster.authorities);
  assert.ok(authority && certificate.verify(authority.publicKey));
  const left = Date.parse(certificate.validTo) - Date.now();
  assert.ok(Math.abs(left - LIFETIME_MS) < DAY_MS);
  const secrets = Object.values(cluster.data ?? {})
    .join()
    .match(/BEGIN PRIVATE KEY/g);
  assert.equal(secrets?.length, 1, 'the key of the authority is kept by nobody');
});

test('it is renewed before its time, and those before stay trusted once', async () => {
  const cluster = new Cluster();
  // 40 days between looks: 90, 50, then 10 are left, less than 30.
  const { used } = await replica(cluster, 3);
  assert.equal(used.length, 2);
  const authorities = authoritiesIn(cluster.authorities);
  assert.equal(authorities.length, 2);
  const [second, first] = authorities;
  const [old, renewed] = used.map(({ certificate }) => new X509Certificate(certificate));
  assert.ok(second && first && renewed?.verify(second.publicKey) && old?.verify(first.publicKey));
});

test('a second replica takes what the first one made', async () => {
  const cluster = new Cluster();
  const one = await replica(cluster, 1);
  const two = await replica(cluster, 1);
  assert.deepEqual(two.used, one.used);
});

test('who loses the race takes what the winner wrote', async () => {
  const cluster = new Cluster();
  const winner = await issuePair({ names: [NAME], now: Date.now(), lifetimeMs: LIFETIME_MS });
  const texts = { 'tls.crt': winner.certificate, 'tls.key': winner.key, 'ca.crt': winner.authority };
  cluster.before = () => cluster.put(texts);
  const { used, waits } = await replica(cluster, 2, () => undefined, -DAY_MS * 40);
  assert.deepEqual(used, [{ certificate: winner.certificate, key: winner.key }]);
  assert.ok((waits[0] ?? 0) < (waits[1] ?? 0), 'it looks again soon');
});

test('trust that somebody takes away is given back', async () => {
  const cluster = new Cluster();
  const { used } = await replica(cluster, 2, (look) => {
    if (look === 1) cluster.authorities = '';
  });
  assert.deepEqual([used.length, authoritiesIn(cluster.authorities).length], [1, 1]);
});

describe('it is made anew', () => {
  const spoilt: Record<string, (cluster: Cluster) => void> = {
    'for another name that is asked': (cluster) => {
      cluster.host = 'kubernetes-reloader-webhook.other.svc';
    },
    'where it does not parse': (cluster) => cluster.put({ ...cluster.data, 'tls.crt': 'what?' }),
    'where its key is gone': (cluster) => {
      const { 'tls.key': _, ...rest } = cluster.data ?? {};
      cluster.put(rest);
    },
  };
  for (const [name, spoil] of Object.entries(spoilt)) {
    test(name, async () => {
      const cluster = new Cluster();
      const { used } = await replica(cluster, 2, (look) => {
        if (look === 1) spoil(cluster);
      });
      assert.equal(used.length, 2);
    });
  }
});

test('a configuration that is not there is said once', async () => {
  const cluster = new Cluster();
  cluster.trust = () => Promise.reject(new Error('not found'));
  const { used, warned } = await replica(cluster, 3);
  assert.deepEqual([used, warned], [[], ['{"message":"not found"}']]);
});
