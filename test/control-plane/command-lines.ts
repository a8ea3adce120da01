/** How each program is called. */

import type { Settings } from './settings.ts';

/** The ports that servers listen on. */
export interface Ports {
  readonly etcd: number;
  readonly api: number;
}

/** Nothing is synced to the disk: nobody needs it after the tests. */
export function etcdFlags({ folder }: Settings, { etcd }: Ports): string[] {
  const url = `http://127.0.0.1:${etcd}`;
  return [
    `--data-dir=${folder}/etcd`,
    `--listen-client-urls=${url}`,
    `--advertise-client-urls=${url}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

/** Everything that is not said is as Kubernetes has it: admission, priority and fairness, caches. */
export function apiServerFlags(settings: Settings, { etcd, api }: Ports): string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcd}`,
    `--secure-port=${api}`,
    '--bind-address=127.0.0.1',
    // No address of this machine is looked for, and none is published.
    '--advertise-address=127.0.0.1',
    '--endpoint-reconciler-type=none',
    '--service-cluster-ip-range=10.96.0.0/16',
    `--cert-dir=${settings.certificates}`,
    '--authorization-mode=RBAC',
    `--token-auth-file=${settings.tokenFile}`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    `--service-account-signing-key-file=${settings.signingKey}`,
    `--service-account-key-file=${settings.verificationKey}`,
    '--allow-privileged',
    `--audit-policy-file=${settings.auditPolicy}`,
    `--audit-log-path=${settings.auditLog}`,
    '--audit-log-mode=blocking',
  ];
}

/** Without limits to its requests: what is measured is not to be this. */
export function controllerFlags(settings: Settings, kubeconfig: string): string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--secure-port=0',
    `--service-account-private-key-file=${settings.signingKey}`,
    `--root-ca-file=${settings.certificates}/apiserver.crt`,
    // Nodes that are made up give no sign of life: after the usual 50 s their pods would no longer count as ready.
    '--node-monitor-grace-period=24h',
    ...UNLIMITED,
  ];
}

/** See controllerFlags. */
export function schedulerFlags(kubeconfig: string): string[] {
  return [`--kubeconfig=${kubeconfig}`, '--leader-elect=false', '--secure-port=0', ...UNLIMITED];
}

/** Nodes are ready at once, pods too, and Jobs' pods complete. */
export function kwokFlags(stages: readonly string[], kubeconfig: string): string[] {
  return [`--kubeconfig=${kubeconfig}`, '--manage-all-nodes', ...stages.map((file) => `--config=${file}`)];
}

const UNLIMITED = ['--kube-api-qps=1000', '--kube-api-burst=2000'];
