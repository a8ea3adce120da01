/** What `npm run control-plane` builds, from which module, and under which key. The versions stand in the go.mod files. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** One Go module whose tools are built. */
export interface GoModule {
  /** Its folder, beside this file. */
  readonly folder: string;
  /** The programs that it makes; where the name that Go gives differs, that comes second. */
  readonly programs: readonly (readonly [Program, string?])[];
  /** Variables that the linker sets to the version of the module that this one is about. */
  readonly about: string;
  readonly versionVariables: readonly string[];
}

/** A program of the control plane. */
export type Program =
  | 'etcd'
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'kwok';

/** In the order of their building. */
export const GO_MODULES: readonly GoModule[] = [
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
  },
];

/** How Go is called; a change of these is a new key. */
export const GO_FLAGS: readonly string[] = ['-mod=readonly', '-trimpath', '-buildvcs=false'];

/** The folder of kwok's module whose files say how nodes and pods become ready at once. */
export const STAGES: readonly string[] = [
  'kustomize/stage/node/fast/node-initialize.yaml',
  'kustomize/stage/pod/fast/pod-complete.yaml',
  'kustomize/stage/pod/fast/pod-delete.yaml',
  'kustomize/stage/pod/fast/pod-ready.yaml',
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

/** The name of the folder that holds a build of exactly these versions: `kubernetes-v1.34.4-<digest>`. */
export function buildKey(): string {
  const hash = createHash('sha256').update(JSON.stringify([GO_MODULES.map(relative), GO_FLAGS, STAGES]));
  for (const { folder } of GO_MODULES)
    for (const file of ['go.mod', 'go.sum']) hash.update(readFileSync(path.join(folder, file)));
  const version = GO_MODULES.map((module) => versionIn(module, module.about))[0];
  return `kubernetes-${version}-${hash.digest('hex').slice(0, 12)}`;
}

function relative(module: GoModule): GoModule {
  return { ...module, folder: path.basename(module.folder) };
}
