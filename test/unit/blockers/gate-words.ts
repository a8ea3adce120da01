/** What the tests of gates do to workloads and objects, and ask. */

import { EVER } from '../../../lib/model/timeline.ts';
import { NamespaceAnnotations } from '../../../lib/rollout/namespace-annotations.ts';
import type { RolloutStage } from '../rollout/rollout-stage.ts';

const PREFIX = 'reloader.k8s.collaborne.com';

/** The workload gets annotations of ours in place of those that it had, and what follows is carried out. */
export function annotate(stage: RolloutStage, words: Readonly<Record<string, string>>, name = 'web'): void {
  stage.apply(stage.world.workload(name, { asks: keyed(words) }));
  stage.controller.wake(stage.world.workloadKey(name));
}

/** The object gets annotations of ours and the same content. */
export function mark(stage: RolloutStage, words: Readonly<Record<string, string>>, config = 'cfg'): void {
  stage.apply(stage.world.mark(config, keyed(words)));
  stage.controller.wake(stage.world.workloadKey('web'));
}

/** What the workload waits for. */
export function waitsFor(stage: RolloutStage, name = 'web'): string | undefined {
  return stage.waitOf(name)?.reason;
}

/** The namespace of all gets annotations of ours in place of those that it had. */
export function annotateNamespace(stage: RolloutStage, words: Readonly<Record<string, string>>): void {
  const namespaces = new NamespaceAnnotations(stage.world.store, (keys) => {
    for (const key of keys) stage.controller.wake(key);
  });
  const object = { name: stage.world.namespace, annotations: keyed(words) };
  const event = { type: 'present', key: `/Namespace/${object.name}`, object, span: EVER } as const;
  namespaces.observe({ ...event, isInInitialList: false, isRelisted: false });
}

function keyed(words: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(words).map(([word, value]) => [`${PREFIX}/${word}`, value]));
}
