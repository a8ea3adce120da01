import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { describe, test } from 'node:test';
import { issuePair } from '../../../lib/admission/certificate-authority.ts';
import {
  type CertificateStore,
  keepOwnCertificate,
  LIFETIME_MS,
} from '../../../lib/admission/own-certificate.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import type { WriteResult } from '../../../lib/model/outcome.ts';
import type { KeyPair } from '../../../lib/serving/tls.ts';

const NAME = 'kubernetes-reloader-webhook.reloader.svc';
const DAY_MS = 24 * 3_600_000;
/** Between two looks where nothing is to be done; days pass meanwhile. */
const LOOK_MS = 60_000;

type Held = Awaited<ReturnType<CertificateStore['read']>> & {};

/** A Secret and a configuration, with the fences of the API server. */
class Cluster implements CertificateStore {
  version = 0;
  data: Readonly<Record<string, string>> | undefined;
  trustVersion = 0;
  authorities = '';
  host = NAME;
  /** What happens just before the next write of the Secret, and of the configuration. */
  before: () => void = () => undefined;
  beforeTrust: () => void = () => undefined;

  async read() {
    return this.data && { resourceVersion: String(this.version), data: this.data };
  }
  async create() {
    this.data ??= {};
    return { kind: 'accepted', object: { resourceVersion: String(this.version), data: this.data } } as const;
  }
  async write(version: string, texts: Readonly<Record<string, string>>): Promise<WriteResult<Held>> {
    this.before();
    if (version !== String(this.version)) return { kind: 'conflict' };
    this.put(texts);
    return { kind: 'accepted', object: { resourceVersion: String(this.version), data: texts } };
  }
  async trust() {
    const { host, authorities, trustVersion } = this;
    return { resourceVersion: String(trustVersion), webhooks: [{ host, authorities }] };
  }
  async setTrust(
    trusted: { readonly resourceVersion: string },
    authorities: string,
  ): Promise<WriteResult<unknown>> {
    this.beforeTrust();
    if (trusted.resourceVersion !== String(this.trustVersion)) return { kind: 'conflict' };
    this.putTrust(authorities);
    return { kind: 'accepted', object: {} };
  }
  put(texts: Readonly<Record<string, string>> | undefined): void {
    this.data = texts;
    this.version += 1;
  }
  putTrust(authorities: string): void {
    this.authorities = authorities;
    this.trustVersion += 1;
  }
  /** Whether the API server trusts who serves with `pair`. */
  trusts({ certificate }: KeyPair): boolean {
    const served = new X509Certificate(certificate);
    return authoritiesIn(this.authorities).some(({ publicKey }) => served.verify(publicKey));
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
    now += ms < LOOK_MS ? ms : DAY_MS * 25;
    if (run.waits.length >= looks) end.abort();
  };
  const use = (pair: KeyPair): void => {
    assert.ok(cluster.trusts(pair), 'it is used before it is trusted');
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
  assert.equal(secrets?.length, 1, 'the key of the authority is not stored');
});

test('it is renewed before its time, and used a look after the API server was told to trust it', async () => {
  const cluster = new Cluster();
  // 90 days, 65, 40, then 15 are left, less than 30.
  const { used, waits } = await replica(cluster, 5);
  assert.deepEqual(
    waits.map((ms) => ms < LOOK_MS),
    [false, false, false, true, false],
  );
  assert.equal(used.length, 2);
});

test('one that another replica has renewed a moment ago is used a look later too', async () => {
  const cluster = new Cluster();
  const { certificate, key, authority } = await issuePair({
    names: [NAME],
    now: Date.now(),
    lifetimeMs: LIFETIME_MS,
  });
  const { used, waits } = await replica(cluster, 3, (look) => {
    if (look > 1) return;
    const authorities = authority + cluster.authorities;
    cluster.put({ 'tls.crt': certificate, 'tls.key': key, 'ca.crt': authorities });
    cluster.putTrust(authorities);
  });
  assert.deepEqual(used.slice(1), [{ certificate, key }]);
  assert.deepEqual(
    waits.map((ms) => ms < LOOK_MS),
    [false, true, false],
  );
});

test('a replica that missed two renewals, or serves a certificate that the Secret has lost, is trusted until its next poll', async () => {
  const cluster = new Cluster();
  const late = await replica(cluster, 1);
  const [served] = late.used;
  assert.ok(served);
  await replica(cluster, 1, undefined, DAY_MS * 61);
  assert.ok(cluster.trusts(served), 'one renewal');
  cluster.put(undefined);
  await replica(cluster, 1, undefined, DAY_MS * 62);
  assert.ok(cluster.trusts(served), 'and the Secret is deleted');
  assert.equal(authoritiesIn(cluster.authorities).length, 3);
  cluster.put({ 'tls.crt': 'what?' });
  await replica(cluster, 1, undefined, DAY_MS * 91);
  assert.ok(!cluster.trusts(served), 'no replica serves with an expired certificate');
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

test('who loses the race for the configuration looks again soon, and says nothing', async () => {
  const cluster = new Cluster();
  let races = 1;
  cluster.beforeTrust = () => {
    if (races-- > 0) cluster.putTrust('');
  };
  const { used, waits, warned } = await replica(cluster, 2);
  assert.deepEqual([used.length, warned, (waits[0] ?? 0) < LOOK_MS], [1, [], true]);
});

test('a write whose answer is lost is found by the next look', async () => {
  const cluster = new Cluster();
  const { write, setTrust } = cluster;
  let lost = 2;
  const losing = <T>(result: WriteResult<T>): WriteResult<T> =>
    lost-- > 0 ? { kind: 'unanswered', message: 'the connection is gone' } : result;
  cluster.write = async (...args) => losing(await write.apply(cluster, args));
  cluster.setTrust = async (...args) => losing(await setTrust.apply(cluster, args));
  const { used, warned } = await replica(cluster, 3);
  assert.deepEqual(used, [
    { certificate: cluster.data?.['tls.crt'] ?? '', key: cluster.data?.['tls.key'] ?? '' },
  ]);
  assert.equal(cluster.version, 1, 'it is written once');
  assert.deepEqual(warned, ['{"error":"the connection is gone"}']);
});

test('trust that another client removes is restored', async () => {
  const cluster = new Cluster();
  const { used } = await replica(cluster, 2, (look) => {
    if (look === 1) cluster.putTrust('');
  });
  assert.deepEqual([used.length, authoritiesIn(cluster.authorities).length], [1, 1]);
});

const UNREADABLE = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
const foreign = await issuePair({ names: [NAME], now: Date.now(), lifetimeMs: LIFETIME_MS });

describe('it is made anew', () => {
  const spoilt: Record<string, (cluster: Cluster) => void> = {
    'for another name that is asked': (cluster) => {
      cluster.host = 'kubernetes-reloader-webhook.other.svc';
    },
    'where it does not parse': (cluster) => cluster.put({ ...cluster.data, 'tls.crt': 'what?' }),
    'where its key is gone': (cluster) => cluster.put({ ...cluster.data, 'tls.key': '' }),
    'where its key is that of another': (cluster) => cluster.put({ ...cluster.data, 'tls.key': foreign.key }),
    'where its authority is gone': (cluster) => cluster.put({ ...cluster.data, 'ca.crt': '' }),
    'where its authority is another': (cluster) =>
      cluster.put({ ...cluster.data, 'ca.crt': foreign.authority }),
    'where its authority does not parse, which is not handed on': (cluster) =>
      cluster.put({ ...cluster.data, 'ca.crt': UNREADABLE }),
  };
  for (const [name, spoil] of Object.entries(spoilt)) {
    test(name, async () => {
      const cluster = new Cluster();
      const { used } = await replica(cluster, 3, (look) => {
        if (look === 1) spoil(cluster);
      });
      assert.equal(used.length, 2);
      const [before, after] = used;
      assert.ok(before && after && cluster.trusts(before) && cluster.trusts(after));
    });
  }
});

test('a configuration that is not there is said once, and one that comes later is served', async () => {
  const cluster = new Cluster();
  const { trust } = cluster;
  cluster.trust = () => Promise.reject(new Error('not found'));
  const { used, warned } = await replica(cluster, 4, (look) => {
    if (look === 3) cluster.trust = trust;
  });
  assert.deepEqual([used.length, warned], [1, ['{"error":"not found"}']]);
});
