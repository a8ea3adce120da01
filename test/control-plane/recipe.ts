/**
 * What `npm run control-plane` builds, from which module, and under which key. The versions stand in the go.mod files;
 * what does not depend on each other has keys of its own, so that a new version of one builds only that.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One Go module whose tools are built, if it has any. */
export interface GoModule {
  /** Its folder, beside this file. */
  readonly folder: string;
  /** The programs that it makes; where the name that Go gives differs, that comes second. */
  readonly programs: readonly (readonly [Program, string?])[];
  /** Variables that the linker sets to the version of the module that this one is about. */
  readonly about: string;
  readonly versionVariables: readonly string[];
  /** Build tags that leave out what no test needs. @default none */
  readonly tags?: string;
  /** What is copied beside the programs. @default nothing */
  readonly copies?: Copies;
}

/** Files of the module that a GoModule is about, and the folder beside the programs that they are copied into. */
export interface Copies {
  readonly into: string;
  readonly paths: readonly string[];
}

/** What is built together, into a folder of its own. */
export interface Part {
  /** The first gives the folder its name and version. */
  readonly modules: readonly GoModule[];
  /** How many minutes it takes on two processors, the first time. */
  readonly minutes: number;
}

/** A program of the control plane, or one that tests use on it. */
export type Program =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kwok'
  | 'helm'
  | PrometheusProgram
  | ArgoRolloutsProgram;

/** Prometheus, and the tool that checks and tests its rules. */
export type PrometheusProgram = 'prometheus' | 'promtool';

/** The controller of Argo Rollouts, and the plugin of kubectl that promotes, aborts and undoes. */
export type ArgoRolloutsProgram = 'rollouts-controller' | 'kubectl-argo-rollouts';

/** The versions of Helm whose ways to write differ: three-way merge, and server-side apply. */
export type HelmVersion = 3 | 4;

/** kwok's files that say how nodes and pods become ready at once. */
export const STAGES: Copies = {
  into: 'stages',
  paths: [
    'kustomize/stage/node/fast/node-initialize.yaml',
    'kustomize/stage/pod/fast/pod-complete.yaml',
    'kustomize/stage/pod/fast/pod-delete.yaml',
    'kustomize/stage/pod/fast/pod-ready.yaml',
  ],
};

/** The kinds of Argo Rollouts. */
export const ARGO_ROLLOUTS_CRDS: Copies = {
  into: 'crds',
  paths: [
    'manifests/crds/analysis-run-crd.yaml',
    'manifests/crds/analysis-template-crd.yaml',
    'manifests/crds/cluster-analysis-template-crd.yaml',
    'manifests/crds/experiment-crd.yaml',
    'manifests/crds/rollout-crd.yaml',
  ],
};

/** The kinds of the Secrets Store CSI driver. */
export const SECRETS_STORE_CRDS: Copies = {
  into: 'crds',
  paths: [
    'config/crd/bases/secrets-store.csi.x-k8s.io_secretproviderclasses.yaml',
    'config/crd/bases/secrets-store.csi.x-k8s.io_secretproviderclasspodstatuses.yaml',
  ],
};

/** In the order of their building. */
const GO_MODULES: readonly GoModule[] = [
  {
    folder: path.join(import.meta.dirname, 'kubernetes'),
    programs: [
      ['etcd', 'server'],
      ['kube-apiserver'],
      ['kube-controller-manager'],
      ['kube-scheduler'],
      ['kubectl'],
    ],
    about: 'k8s.io/kubernetes',
    versionVariables: ['k8s.io/component-base/version.gitVersion', 'k8s.io/client-go/pkg/version.gitVersion'],
  },
  {
    folder: path.join(import.meta.dirname, 'kwok'),
    programs: [['kwok']],
    about: 'sigs.k8s.io/kwok',
    versionVariables: [],
    copies: STAGES,
  },
];

/** How Go is called; a change of these is a new key. */
export const GO_FLAGS: readonly string[] = ['-mod=readonly', '-trimpath', '-buildvcs=false'];

/** etcd, kube-apiserver and what makes and runs pods. */
export const CONTROL_PLANE: Part = { modules: GO_MODULES, minutes: 8 };

/** Helm, by version. */
export const HELM: Readonly<Record<HelmVersion, Part>> = { 3: helm(3), 4: helm(4) };

/** Prometheus without its pages, and without service discovery but for files. */
export const PROMETHEUS: Part = {
  modules: [
    {
      folder: path.join(import.meta.dirname, 'prometheus'),
      programs: [['prometheus'], ['promtool']],
      about: 'github.com/prometheus/prometheus',
      versionVariables: ['github.com/prometheus/common/version.Version'],
      tags: 'remove_all_sd',
    },
  ],
  minutes: 2,
};

/** Argo Rollouts, with its kinds. */
export const ARGO_ROLLOUTS: Part = {
  modules: [
    {
      folder: path.join(import.meta.dirname, 'argo-rollouts'),
      programs: [['rollouts-controller'], ['kubectl-argo-rollouts']],
      about: 'github.com/argoproj/argo-rollouts',
      versionVariables: ['github.com/argoproj/argo-rollouts/utils/version.version'],
      copies: ARGO_ROLLOUTS_CRDS,
    },
  ],
  minutes: 4,
};

/** The kinds of the Secrets Store CSI driver, and nothing that is built. */
export const SECRETS_STORE: Part = {
  modules: [
    {
      folder: path.join(import.meta.dirname, 'secrets-store-csi'),
      programs: [],
      about: 'sigs.k8s.io/secrets-store-csi-driver',
      versionVariables: [],
      copies: SECRETS_STORE_CRDS,
    },
  ],
  minutes: 1,
};

/** Everything, in the order of its building. */
export const PARTS: readonly Part[] = [
  CONTROL_PLANE,
  HELM[3],
  HELM[4],
  PROMETHEUS,
  ARGO_ROLLOUTS,
  SECRETS_STORE,
];

/** Where everything that is built stands; ignored by git. */
export const BUILDS: string = path.resolve(import.meta.dirname, '../../.control-plane');

/** The version of `name` that a go.mod requires. */
export function versionIn({ folder }: GoModule, name: string): string {
  const text = readFileSync(path.join(folder, 'go.mod'), 'utf8');
  const line = text.split('\n').find((each) => each.trim().startsWith(`${name} v`));
  if (line === undefined) throw new Error(`${folder}/go.mod does not require ${name}`);
  return line.trim().split(' ')[1] ?? '';
}

/** The name of the folder that holds a build of exactly these versions: `kubernetes-v1.37.2-<digest>`. */
export function buildKey({ modules }: Part): string {
  const copied = modules.flatMap(({ copies }) => copies?.paths ?? []);
  const hash = createHash('sha256').update(JSON.stringify([modules.map(programsIn), GO_FLAGS, copied]));
  for (const { folder } of modules)
    for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(path.join(folder, file)));
  const [name] = modules.map(
    (module) => `${path.basename(module.folder)}-${versionIn(module, module.about)}`,
  );
  return `${name}-${hash.digest('hex').slice(0, 12)}`;
}

function programsIn({ copies: _, ...module }: GoModule): GoModule {
  return { ...module, folder: path.basename(module.folder) };
}

function helm(version: HelmVersion): Part {
  const about = `helm.sh/helm/v${version}`;
  const module: GoModule = {
    folder: path.join(import.meta.dirname, `helm-${version}`),
    programs: [['helm']],
    about,
    versionVariables: [`${about}/internal/version.version`],
  };
  return { modules: [module], minutes: 2 };
}
