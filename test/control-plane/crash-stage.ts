/** Pods that crash, played by kwok. */

/**
 * A stage of kwok as text: containers of pods that carry a stamp with one of these digests end again and again, instead of
 * becoming ready.
 */
export function crashStage(digests: readonly string[]): string {
  const values = '[.spec.containers[].env[]?.value // ""]';
  return JSON.stringify({
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name: 'pod-crash' },
    spec: {
      resourceRef: { apiGroup: 'v1', kind: 'Pod' },
      selector: {
        matchExpressions: [
          { key: '.metadata.deletionTimestamp', operator: 'DoesNotExist' },
          { key: '.status.phase', operator: 'In', values: ['Pending'] },
          {
            key: `${values} | any(test("^(${digests.join('|')})[.]")) | tostring`,
            operator: 'In',
            values: ['true'],
          },
        ],
      },
      // Of several stages that fit, kwok takes one with a weight.
      weight: 1,
      next: { statusTemplate: STATUS },
    },
  });
}

const STATUS = `
phase: Running
startTime: {{ Now | Quote }}
conditions:
- type: Ready
  status: "False"
  lastTransitionTime: {{ Now | Quote }}
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
