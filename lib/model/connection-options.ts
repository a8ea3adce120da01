/** The settings of the connection to the API server, from the command line to the transport. */

/** How to reach the API server; what is absent comes from the kubeconfig or from the pod's service account. */
export interface ConnectionOptions {
  /** Path of a kubeconfig. */
  readonly kubeconfig?: string;
  /** Name of a context in it. @default its current-context */
  readonly context?: string;
  /** An http or https URL; credentials never stand in it. */
  readonly server?: string;
  /** Path of a PEM file; never together with `insecureSkipTlsVerify`. */
  readonly certificateAuthority?: string;
  /** Path of a PEM file; always together with `clientKey`. */
  readonly clientCertificate?: string;
  /** Path of a PEM file; always together with `clientCertificate`. */
  readonly clientKey?: string;
  /** Without it no credentials are sent over http. @default false */
  readonly insecureSkipTlsVerify?: boolean;
  /** A bearer token: secret; never together with `tokenFile`. */
  readonly token?: string;
  /** Path of a file with a bearer token; read again once a minute, and when the server no longer takes the old one. */
  readonly tokenFile?: string;
}
