/** What becomes of pods beside what kwok has them do: they crash, are stuck, or flap. */

/** As what kwok finds a pod, in jq. */
const FOUND = {
  pending: '.status.phase == "Pending"',
  ready: 'any(.status.conditions[]?; .type == "Ready" and .status == "True")',
  unready:
    '.status.phase == "Running" and any(.status.conditions[]?; .type == "Ready" and .status == "False")',
};
const AGES_MS = 3_600_000;

/** What a stage does to which pods. */
export interface PodStage {
  /** Of a stamp that the pods carry. */
  readonly digest: string;
  /** A pattern of the label `app`. @default any */
  readonly apps?: string;
  readonly found: keyof typeof FOUND;
  readonly becomes: 'crashing' | 'ready' | 'unready' | 'stuck';
  /** @default 0 */
  readonly afterMs?: number;
}

/** A stage of kwok as text. */
export function podStage({ digest, apps = '', found, becomes, afterMs = 0 }: PodStage): string {
  const conditions = [
    '.metadata.deletionTimestamp == null',
    FOUND[found],
    `((.metadata.labels.app // "") | test("${apps}"))`,
    `([.spec.containers[].env[]?.value // ""] | any(test("^${digest}[.]")))`,
  ];
  const key = `${conditions.map((each) => `(${each})`).join(' and ')} | tostring`;
  const name = `pod-${becomes}-${digest.slice(0, 8)}`;
  return JSON.stringify({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: 'v1', kind: 'Pod' },
      selector: { matchExpressions: [{ key, operator: 'In', values: ['true'] }] },
      // Of several stages that fit, kwok takes one with a weight.
      weight: 1,
      delay: { durationMilliseconds: becomes === 'stuck' ? AGES_MS : afterMs },
      next: { statusTemplate: becomes === 'crashing' ? CRASHING : isReady(becomes === 'ready') },
    },
  });
}

function isReady(ready: boolean): string {
  return `
phase: Running
conditions:
- type: Ready
  status: "${ready ? 'True' : 'False'}"
  lastTransitionTime: {{ Now | Quote }}
`;
}

const CRASHING = `${isReady(false)}
startTime: {{ Now | Quote }}
containerStatuses:
{{ range .spec.containers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  ready: false
  restartCount: 3
  state:
    waiting:
      reason: CrashLoopBackOff
{{ end }}
`;
