import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import {
  follow as followFiles,
  readAuthorities,
  readPair,
} from '../../../lib/admission/certificate-files.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import type { KeyPair } from '../../../lib/serving/web-server.ts';
import { Authority } from '../serving/certificates.ts';

let directory = '';
beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'reloader-tls-'));
});
afterEach(() => rm(directory, { recursive: true }));

async function put(certificate: string, key: string): Promise<void> {
  await writeFile(path.join(directory, 'tls.crt'), certificate);
  await writeFile(path.join(directory, 'tls.key'), key);
}

/** What is used and warned of while `between` happens between the looks. */
async function follow(...between: (() => Promise<void>)[]): Promise<{ used: string[]; warned: number }> {
  const end = new AbortController();
  const used: string[] = [];
  let warned = 0;
  const use = ({ certificate, key }: KeyPair): void => {
    if (certificate !== key) throw new Error('key values mismatch');
    used.push(certificate);
  };
  const wait = async (): Promise<void> => {
    const next = between.shift();
    if (next === undefined) end.abort();
    else await next();
  };
  const log = { ...NO_LOG, warn: () => (warned += 1) };
  await followFiles({ what: 'it', path: directory, read: readPair, use, log, wait }, end.signal);
  return { used, warned };
}

test('each pair is used once', async () => {
  await put('a', 'a');
  const nothing = () => Promise.resolve();
  assert.deepEqual(await follow(nothing, () => put('b', 'b'), nothing), { used: ['a', 'b'], warned: 0 });
});

test('files that come later are used then, and their absence is said once', async () => {
  const nothing = () => Promise.resolve();
  assert.deepEqual(await follow(nothing, nothing, () => put('a', 'a')), { used: ['a'], warned: 1 });
});

test('a pair that is half renewed is used when it is whole', async () => {
  await put('a', 'a');
  assert.deepEqual(
    await follow(
      () => put('b', 'a'),
      () => put('b', 'b'),
    ),
    { used: ['a', 'b'], warned: 1 },
  );
});

/** The authorities that are used, and the warnings, while `texts` are written one after the other; undefined: no change. */
async function trust(...texts: (string | undefined)[]): Promise<{ used: string[][]; warned: string[] }> {
  const file = path.join(directory, 'ca.pem');
  const end = new AbortController();
  const used: string[][] = [];
  const warned: string[] = [];
  const wait = async (): Promise<void> => {
    if (texts.length === 0) end.abort();
    const text = texts.shift();
    if (text !== undefined) await writeFile(file, text);
  };
  const log = { ...NO_LOG, warn: (_: string, fields: object = {}) => warned.push(JSON.stringify(fields)) };
  await wait();
  const use = (all: readonly string[]): number => used.push([...all]);
  await followFiles({ what: 'it', path: file, read: readAuthorities, use, log, wait }, end.signal);
  return { used, warned };
}

test('each content of the CA file is used once, with all of its authorities', async () => {
  const [one, other] = [new Authority(), new Authority()];
  const [a, b] = [one.certificate, other.certificate];
  assert.deepEqual(await trust(a, undefined, `${a}# the next one\n${b}`, b), {
    used: [[a], [a, b], [b]],
    warned: [],
  });
});

test('a CA file without a certificate is warned of once, and what was trusted stays', async () => {
  const { certificate } = new Authority();
  const broken = certificate.replace(/\n.{9}/, '\n');
  for (const text of ['', 'no PEM', broken]) {
    const { used, warned } = await trust(certificate, text, undefined);
    assert.deepEqual(used, [[certificate]]);
    assert.equal(warned.length, 1, text);
  }
  assert.match(String((await trust('', undefined)).warned), /no certificate in PEM/);
});
