/** The files that a control plane is started with. */

import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Who has a token of its own. Each is a master: what the tests are about is what ServiceAccounts may do. */
export const USERS = ['admin', 'kube-controller-manager', 'kube-scheduler', 'kwok', 'argo-rollouts'] as const;

/** One of them. */
export type User = (typeof USERS)[number];

/** The paths of the files, and the tokens. */
export interface Settings {
  readonly folder: string;
  readonly tokens: Readonly<Record<User, string>>;
  readonly tokenFile: string;
  readonly signingKey: string;
  readonly verificationKey: string;
  readonly auditPolicy: string;
  readonly auditLog: string;
  /** Where the API server writes its certificate. */
  readonly certificates: string;
}

/** Writes them. */
export function writeSettings(folder: string): Settings {
  const token = (): string => randomBytes(16).toString('hex');
  const tokens = {
    admin: token(),
    'kube-controller-manager': token(),
    'kube-scheduler': token(),
    kwok: token(),
    'argo-rollouts': token(),
  };
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const write = (name: string, text: string): string => {
    const file = path.join(folder, name);
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const certificates = path.join(folder, 'certificates');
  mkdirSync(certificates);
  return {
    folder,
    tokens,
    tokenFile: write(
      'tokens.csv',
      USERS.map((user) => `${tokens[user]},${nameOf(user)},${user},system:masters\n`).join(''),
    ),
    signingKey: write('service-accounts.key', privateKey),
    verificationKey: write('service-accounts.pub', publicKey),
    auditPolicy: write('audit-policy.json', JSON.stringify(AUDIT_POLICY)),
    auditLog: path.join(folder, 'audit.log'),
    certificates,
  };
}

/** The name that an audit log has for a user. */
export function nameOf(user: User): string {
  return `system:${user}`;
}

/** A kubeconfig of one context. */
export function kubeconfigText(server: string, ca: string, token: string, namespace: string): string {
  const data = Buffer.from(ca).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace } }],
  });
}

/** Who asked what and how it was answered; never what was in it. The control plane's own requests are left out. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  omitManagedFields: true,
  rules: [
    { level: 'None', users: ['system:apiserver', ...USERS.filter((user) => user !== 'admin').map(nameOf)] },
    { level: 'Metadata' },
  ],
};
