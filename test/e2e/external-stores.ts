/**
 * Programs that fill ConfigMaps and Secrets from elsewhere: how each of them writes, by its sources, and how often a workload is rolled
 * for it. The table of docs/guides/external-secrets.md is written from it, external-stores.e2e.ts runs it.
 */

import type { Stage } from './stage.ts';
import {
  annotateTemplate,
  applyCertificate,
  base64,
  create,
  createNextKey,
  jsonPatch,
  readInstead,
  remove,
  SECRET,
  update,
} from './store-writers.ts';
import type { WorkloadParts } from './workloads.ts';

/** What a program does, for a Deployment `web` that follows the Secret `web`. */
export interface StoreRow {
  readonly tool: string;
  /** What a person does or lets happen. */
  readonly scene: string;
  /** Who writes what in which order, in words. */
  readonly writes: string;
  /** How often `web` gets new pods. */
  readonly rollouts: number;
  /** Whether those are made by the program's own write of the workload. @default false */
  readonly isByTool?: true;
  /** What to set if one wants something else. */
  readonly otherwise: string;
  /** How `web` differs from one that lists the Secret. */
  readonly workload?: Partial<WorkloadParts>;
  /** The first write of the Secret. */
  readonly begin: (stage: Stage) => Promise<void>;
  readonly act: (stage: Stage) => Promise<void>;
}

const ESO = 'external-secrets';
const VSO = 'vault-secrets-operator';
const CERT_MANAGER = 'cert-manager';
const HASH = 'reconcile.external-secrets.io/data-hash';
const RESTARTED_AT = 'vso.secrets.hashicorp.com/restartedAt';
const MATCH = { 'reloader.stakater.com/match': 'true' };
const REFLECTOR = 'reflector.v1.k8s.emberstack.com';
const CERTIFICATES = { begin: (stage: Stage) => applyCertificate(stage, 'A', 'ca') };

/** As external-secrets writes a content. */
function ofStore(key: string, annotations = {}): Parameters<typeof create>[1] {
  return { key, annotations: { ...annotations, [HASH]: `hash of ${key}` } };
}

const EXTERNAL = { tool: ESO, begin: (stage: Stage) => create(stage, ofStore('A')) };
const VAULT = { tool: VSO, begin: (stage: Stage) => create(stage, { key: 'A' }) };

/** The program writes contents in turn; each is rolled out before the next one comes. */
async function oneByOne(stage: Stage, writes: readonly (() => Promise<void>)[]): Promise<void> {
  for (const write of writes) {
    const before = await stage.stamps({ kind: 'Deployment', name: 'web' });
    await write();
    await stage.stampedAfter({ kind: 'Deployment', name: 'web' }, before);
    await stage.rolledOut({ kind: 'Deployment', name: 'web' });
  }
}

/** Resolves when a change that comes later than those before was rolled out: their usual window is over too. */
async function passAWindow(stage: Stage): Promise<void> {
  await stage.markBeside();
}

/** All rows, in the order of the guide. */
export const STORES: readonly StoreRow[] = [
  {
    ...EXTERNAL,
    scene: 'refresh without a change, also a forced one',
    writes:
      'each `refreshInterval` it compares, and writes the Secret only if something differs; without a `template` the annotation `force-sync` of the ExternalSecret is copied to the Secret, beside the same data',
    rollouts: 0,
    otherwise: '–',
    act: async (stage) => {
      for (const time of ['1', '2', '3']) await update(stage, ofStore('A', { 'force-sync': time }));
    },
  },
  {
    ...EXTERNAL,
    scene: 'refresh with new data',
    writes: 'one update of the whole Secret: data, and the hash of it as an annotation',
    rollouts: 1,
    otherwise: '`ignore` on the Secret, or an exclude list',
    act: (stage) => update(stage, ofStore('B')),
  },
  {
    ...EXTERNAL,
    scene: 'deleted and created again, same data',
    writes: 'the Secret is deleted with its owner, and created again',
    rollouts: 0,
    otherwise: '`--reload-on-delete` and `--reload-on-create` make a change of each step',
    act: async (stage) => {
      await remove(stage);
      await create(stage, ofStore('A'));
    },
  },
  {
    ...EXTERNAL,
    scene: 'deleted and created again, new data; so with `immutable: true`, which cannot be updated',
    writes: 'the same',
    rollouts: 1,
    otherwise: 'as above',
    act: async (stage) => {
      await remove(stage);
      await create(stage, ofStore('B'));
    },
  },
  {
    ...EXTERNAL,
    scene: '`match` in `template.metadata.annotations`, for workloads with `search`',
    writes: 'annotations and data in one update',
    rollouts: 1,
    otherwise: 'leave `match` out: workloads with `search` are not rolled',
    workload: { annotations: { 'reloader.stakater.com/search': 'true' } },
    begin: (stage) => create(stage, ofStore('A', MATCH)),
    act: (stage) => update(stage, ofStore('B', MATCH)),
  },
  {
    ...EXTERNAL,
    scene: 'a generator, or a dynamic secret, that changes all the time',
    writes: 'one update at each `refreshInterval`; here three',
    rollouts: 3,
    otherwise:
      'a longer `refreshInterval` in the first place; [`min-rollout-interval`](../reference/annotations.md) on the workload; `ignore` if the program reads the file again itself. Without any, [`--rollout-limit`](../explanation/how-it-decides.md#objects-that-change-for-ever) slows the rollouts',
    act: (stage) =>
      oneByOne(
        stage,
        ['B', 'C', 'D'].map((key) => () => update(stage, ofStore(key))),
      ),
  },
  {
    ...VAULT,
    scene: 'a static or dynamic secret, without `rolloutRestartTargets`',
    writes:
      'one update if the HMAC of the data differs (the default), else one with the same data at each `refreshAfter`',
    rollouts: 1,
    otherwise: '`ignore` on the Secret (`destination.annotations`)',
    act: async (stage) => {
      await update(stage, { key: 'A' });
      await update(stage, { key: 'B' });
    },
  },
  {
    ...VAULT,
    scene: '`rolloutRestartTargets` has the workload',
    writes: `an update of the Secret, then at once a patch of the pod template: the annotation \`${RESTARTED_AT}\``,
    rollouts: 1,
    isByTool: true,
    otherwise:
      'remove one of the two. The restart of the operator is [absorbed](../explanation/how-it-decides.md#absorbed-external-rollouts); one that has not begun when the quiet period ends is a second rollout',
    act: async (stage) => {
      await update(stage, { key: 'B' });
      await annotateTemplate(stage, RESTARTED_AT, '2026-08-01T00:00:00Z');
    },
  },
  {
    tool: CERT_MANAGER,
    ...CERTIFICATES,
    scene: 'renewal',
    writes:
      'the next private key into a Secret of its own, `web-…`; when the issuer has signed, key and certificate in one server-side apply; then the Secret of the key is deleted',
    rollouts: 1,
    otherwise:
      '`ignore` (`secretTemplate.annotations`) for a program that reads its certificate again itself',
    act: async (stage) => {
      const next = await createNextKey(stage);
      await applyCertificate(stage, 'B', 'ca');
      await stage.expect('DELETE', `secrets/${next}`);
    },
  },
  {
    tool: CERT_MANAGER,
    scene: 'first certificate, with `issue-temporary-certificate`: pods start with the temporary one',
    writes:
      'an apply of a certificate that it signed itself, without the name of an issuer; minutes later one of the issuer’s',
    rollouts: 1,
    otherwise: 'leave the annotation out: the pods wait for the Secret, and nothing is rolled',
    begin: (stage) => applyCertificate(stage, 'temporary'),
    act: (stage) => applyCertificate(stage, 'A', 'ca'),
  },
  {
    tool: CERT_MANAGER,
    ...CERTIFICATES,
    scene: 'issued again after the Secret was deleted, with `issue-temporary-certificate`',
    writes: 'the Secret is created with the temporary certificate; minutes later the issuer’s',
    rollouts: 2,
    otherwise: '[`pause-period`](pauses.md) to gather both; `ignore` in `secretTemplate.annotations`',
    act: async (stage) => {
      await remove(stage);
      await applyCertificate(stage, 'temporary');
      await passAWindow(stage);
      await applyCertificate(stage, 'B', 'ca');
    },
  },
  {
    tool: CERT_MANAGER,
    ...CERTIFICATES,
    scene: 'two Certificates that fight for one Secret',
    writes:
      'each finds the other’s name in `cert-manager.io/certificate-name` and issues anew, without end; here twice each, two within a window',
    rollouts: 2,
    otherwise:
      'give each Certificate a `secretName` of its own. Until then it is one rollout for each window, and from the 21st within an hour on the windows grow to ten minutes',
    act: async (stage) => {
      const fight = (round: string) => async (): Promise<void> => {
        await applyCertificate(stage, `${round} of the first`, 'ca', 'first');
        await applyCertificate(stage, `${round} of the second`, 'ca', 'second');
      };
      await oneByOne(stage, [fight('B'), fight('C')]);
    },
  },
  {
    tool: 'sealed-secrets',
    scene: 'sealed anew under another key, same data',
    writes:
      'it compares, and updates the Secret only if data, annotations or labels differ; here the annotations',
    rollouts: 0,
    otherwise: '–',
    begin: (stage) => create(stage, { key: 'A' }),
    act: (stage) => update(stage, { key: 'A', annotations: { sealed: 'anew' } }),
  },
  {
    tool: 'sealed-secrets',
    scene: 'a SealedSecret with new data',
    writes: 'one update of the whole Secret',
    rollouts: 1,
    otherwise: '`ignore` in `spec.template.metadata.annotations`',
    begin: (stage) => create(stage, { key: 'A' }),
    act: (stage) => update(stage, { key: 'B' }),
  },
  {
    tool: 'kubernetes-reflector',
    scene: 'a label or an annotation of the source changes',
    writes:
      'one JSON patch of each copy: all annotations, with the version and time of the source, and the same data',
    rollouts: 0,
    otherwise: '–',
    begin: (stage) => create(stage, { key: 'A', annotations: { [`${REFLECTOR}/reflected-version`]: '1' } }),
    act: (stage) => reflect(stage, 'A'),
  },
  {
    tool: 'kubernetes-reflector',
    scene: 'the data of the source changes',
    writes: 'the same, with the new data, one namespace after the other',
    rollouts: 1,
    otherwise:
      'annotations of the source are not copied, and those set on a copy stay: `ignore` or `match` there',
    begin: (stage) => create(stage, { key: 'A', annotations: { [`${REFLECTOR}/reflected-version`]: '1' } }),
    act: (stage) => reflect(stage, 'B'),
  },
  {
    tool: 'kustomize, Helm',
    scene: 'names with a hash of the content',
    writes: 'a new object, then the pod template that names it; the object before is pruned',
    rollouts: 1,
    isByTool: true,
    otherwise: 'nothing to do: a new name is a new template. Such workloads need no annotation',
    workload: { annotations: { 'reloader.stakater.com/auto': 'true' } },
    begin: (stage) => create(stage, { key: 'A' }),
    act: async (stage) => {
      await stage.put('web-5f6g7h', 'B', 'Secret');
      await readInstead(stage, 'web-5f6g7h');
      await remove(stage);
    },
  },
  {
    tool: 'Helm',
    scene: 'a template with `checksum/config`',
    writes: 'the object, then the pod template',
    rollouts: 1,
    isByTool: true,
    otherwise:
      'nothing: the upgrade is absorbed. Changes that do not come from the chart are rolled by the reloader',
    begin: (stage) => create(stage, { key: 'A' }),
    act: async (stage) => {
      await update(stage, { key: 'B' });
      await annotateTemplate(stage, 'checksum/config', 'of B');
    },
  },
];

/** A copy of the source's next version. */
async function reflect(stage: Stage, key: string): Promise<void> {
  const annotations = { [`${REFLECTOR}/reflected-version`]: '2' };
  await jsonPatch(stage, `secrets/${SECRET}`, [
    { op: 'replace', path: '/metadata/annotations', value: annotations },
    { op: 'replace', path: '/data', value: base64({ key }) },
  ]);
}

/** What trust-manager does to many namespaces: one bundle, in each a ConfigMap and so many workloads that read it. */
export const BUNDLE = {
  tool: 'trust-manager',
  namespaces: 200,
  workloadsEach: 2,
  scene: 'a bundle with another certificate, in 200 namespaces with 400 workloads',
  writes:
    'one server-side apply of each ConfigMap whose `trust-manager.io/hash` differs, one namespace after the other; a sync without a change writes nothing',
  rollouts: 'one of each workload: 400',
  otherwise:
    '`ignore` in `target.configMap.metadata.annotations`, for programs that read the file again; [`pause-period`](pauses.md) to gather several changes. A PKCS#12 file differs each time it is written, also after an edit of the target’s annotations',
} as const;

/** The rows of the guide's table. */
export const STORE_TABLE: readonly (readonly string[])[] = [...STORES, BUNDLE].map((row) => {
  const rollouts = 'isByTool' in row ? `${row.rollouts}, the tool’s own` : String(row.rollouts);
  return [row.tool, row.scene, row.writes, rollouts, row.otherwise];
});
