/** The flags of what is served over HTTP: the pages and the probes. */

/** Their names. */
export type ServingFlagName = 'port' | 'health-port' | 'bind-address' | 'allowed-hosts' | 'no-status-page';

/** The flags, as in the table of all flags. */
export const SERVING_FLAGS: readonly {
  readonly name: ServingFlagName;
  readonly value?: string;
  readonly list?: true;
  readonly help: string;
}[] = [
  {
    name: 'port',
    value: 'number',
    help: 'port of the status page, /status.json, /metrics, /healthz and /readyz (default: $PORT, then 9090 in place of Stakater Reloader, else 8080)',
  },
  {
    name: 'health-port',
    value: 'number',
    help: 'port of /healthz, /live and /readyz alone, for probes (default: 8081 in a pod, else none)',
  },
  {
    name: 'bind-address',
    value: 'address',
    help: 'the address that all ports listen at (default: all addresses in a pod, else 127.0.0.1)',
  },
  {
    name: 'allowed-hosts',
    value: 'names',
    list: true,
    help: 'where --bind-address is a loopback address: hosts that requests may name beside localhost and addresses; repeatable or a comma list',
  },
  { name: 'no-status-page', help: 'serve no page for browsers at /; /status.json stays' },
];
