/** The flags of the admission webhook. Not to be taken for --webhook-url, which names somebody who is told. */

/** Their names. */
export type AdmissionFlagName =
  | 'webhook-port'
  | 'webhook-tls-directory'
  | 'webhook-tls-secret'
  | 'webhook-configuration'
  | 'sap-hash-check';

/** The flags, as in the table of all flags. */
export const ADMISSION_FLAGS: readonly {
  readonly name: AdmissionFlagName;
  readonly value?: string;
  readonly help: string;
}[] = [
  {
    name: 'webhook-port',
    value: 'number',
    help: 'port of the admission webhook, which keeps stamps through updates of their owners (default: no webhook)',
  },
  {
    name: 'webhook-tls-directory',
    value: 'folder',
    help: 'where its tls.crt and tls.key are; read again when they change',
  },
  {
    name: 'webhook-tls-secret',
    value: 'name',
    help: 'or a Secret beside the state, which the reloader fills with a certificate of its own and renews',
  },
  {
    name: 'webhook-configuration',
    value: 'name',
    help: 'with --webhook-tls-secret: the MutatingWebhookConfiguration into which the reloader writes the authority of that certificate (default: kubernetes-reloader)',
  },
  {
    name: 'sap-hash-check',
    help: 'refuse writes that carry another pod-reloader.cs.sap.com/config-hash than that of what is in force; needs --webhook-port, and sap in --dialects',
  },
];
