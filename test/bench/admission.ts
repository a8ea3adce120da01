/** Reviews of the admission webhook at a steady rate, beside a namespace full of workloads. */

import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { Agent, request as send } from 'node:https';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../control-plane/free-port.ts';
import { servingPair } from '../unit/serving/certificates.ts';
import { Admin } from './admin.ts';
import { quantile } from './figures.ts';
import { type Bench, type Findings, pause } from './scenario.ts';
import { Subject } from './subject.ts';

const NAMESPACE = 'admission';
const WORKLOADS = 300;
const PER_SECOND = 500;
const SECONDS = 60;
const QUICK_SECONDS = 6;
/** Reviews are sent in bunches, so often. */
const TICK_MS = 20;
const MB = 1024 * 1024;
const names: readonly string[] = Array.from({ length: WORKLOADS }, (_, index) => `object-${index}`);

/** Half of the reviews are of replacements that lack a stamp, half of new workloads. */
export async function admission(bench: Bench): Promise<Findings> {
  const { target, progress, quick } = bench;
  progress.step('admission: making a namespace');
  const admin = await Admin.in(target.send, NAMESPACE);
  await admin.configMaps(names);
  await admin.deployments(names.map((name) => ({ name, configMaps: [name] })));
  const folder = await mkdtemp(path.join(tmpdir(), 'reloader-bench-'));
  try {
    const pair = servingPair('localhost');
    await writeFile(path.join(folder, 'tls.crt'), pair.certificate);
    await writeFile(path.join(folder, 'tls.key'), pair.key);
    const port = await freePort();
    const flags = [`--webhook-port=${port}`, `--webhook-tls-directory=${folder}`];
    await using subject = await Subject.start(bench, NAMESPACE, flags);
    await subject.settled();
    const asker = new Asker(port, pair.authority);
    progress.step('admission: sending reviews');
    const times = await asker.askFor(quick ? QUICK_SECONDS : SECONDS);
    const metrics = await subject.metrics();
    const figure = (what: string, unit: string, measured: number) => ({
      scenario: 'admission',
      what,
      unit,
      measured,
    });
    const rate = `${PER_SECOND} reviews a second`;
    return {
      figures: [
        figure(`${rate}: from question to answer, median`, 'ms', quantile(times, 0.5)),
        figure('the same, 99th percentile', 'ms', quantile(times, 0.99)),
        figure('the same in the handler, median, at most', 'ms', handlerQuantileMs(metrics, 0.5)),
        {
          ...figure('the same, 99th percentile, at most', 'ms', handlerQuantileMs(metrics, 0.99)),
          wanted: { atMost: 5 },
        },
        figure('peak memory', 'MB', subject.peakBytes() / MB),
      ],
      charts: [],
    };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Asks over connections that stay open, as an API server does. */
class Asker {
  readonly #port: number;
  readonly #agent: Agent;

  constructor(port: number, authority: string) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: 16, ca: authority });
  }

  /** The time of each answer, in ms. */
  async askFor(seconds: number): Promise<number[]> {
    const answers: Promise<number>[] = [];
    const startedAt = performance.now();
    for (let elapsed = 0; elapsed < seconds * 1000; elapsed = performance.now() - startedAt) {
      while (answers.length < (elapsed / 1000) * PER_SECOND) answers.push(this.#ask(answers.length));
      await pause(TICK_MS);
    }
    const times = await Promise.all(answers);
    this.#agent.destroy();
    return times;
  }

  async #ask(count: number): Promise<number> {
    const startedAt = performance.now();
    const request = send({
      host: 'localhost',
      port: this.#port,
      method: 'POST',
      path: '/mutate?timeout=2s',
      agent: this.#agent,
      headers: { 'content-type': 'application/json' },
    });
    request.end(reviewOf(names[count % names.length] ?? '', count % 2 === 0));
    const [response] = await once(request, 'response');
    let text = '';
    for await (const piece of response) text += piece;
    if (!JSON.parse(text).response.patch) throw new Error(`a review was not answered with a patch: ${text}`);
    return performance.now() - startedAt;
  }
}

function reviewOf(name: string, isNew: boolean): string {
  const object = workload(name, []);
  const stamp = {
    name: `_RELOADER_CONFIGMAP_${name.toUpperCase().replace('-', '_')}`,
    value: `${'a'.repeat(40)}.1`,
  };
  const request = {
    uid: 'u',
    kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
    namespace: NAMESPACE,
    operation: isNew ? 'CREATE' : 'UPDATE',
    options: { fieldManager: 'bench' },
    object,
    ...(isNew ? {} : { oldObject: workload(name, [stamp]) }),
  };
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

function workload(name: string, env: readonly object[]): object {
  const annotations = { 'reloader.k8s.collaborne.com/configmap': name };
  const more = Array.from({ length: 30 }, (_, index) => ({
    name: `VARIABLE_${index}`,
    value: String(index),
  }));
  const container = { name: 'app', image: 'app:1', env: [...env, ...more] };
  const spec = { template: { metadata: { labels: { app: name } }, spec: { containers: [container] } } };
  return { metadata: { name, namespace: NAMESPACE, annotations }, spec };
}

/** The upper bound of the bucket in which that share of all reviews ends. */
function handlerQuantileMs(metrics: string, share: number): number {
  const rows = [...metrics.matchAll(/^reloader_admission_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)];
  const buckets = rows.map(([, bound, count]) => ({ bound: Number(bound), count: Number(count) }));
  const all = Math.max(...buckets.map(({ count }) => count));
  return (buckets.find(({ count }) => count >= share * all)?.bound ?? Number.NaN) * 1000;
}
