/** A world in which pods read single keys of one ConfigMap `cfg`. */

import assert from 'node:assert/strict';
import type { VocabularyOptions } from '../../../lib/annotations/vocabularies.ts';
import { configObjectOf } from '../../../lib/model/config-object.ts';
import type { Edge } from '../../../lib/model/edge.ts';
import { keyOf } from '../../../lib/model/object-ref.ts';
import type { RawPodTemplate } from '../../../lib/model/raw-objects.ts';
import type { Effects } from '../../../lib/tracking/effects.ts';
import { observeConfig } from '../../../lib/tracking/observe-config.ts';
import type { Arrival, Sketch } from './sketch.ts';
import { World } from './world.ts';

type Data = Readonly<Record<string, string>>;

/** A template of which each variable reads a key of `cfg`; one with `?` may be missing. */
export function reading(...keys: readonly string[]): RawPodTemplate {
  const env = keys.map((key) => {
    const name = key.replace('?', '');
    const configMapKeyRef = { name: 'cfg', key: name, optional: key.endsWith('?') };
    return { name: `READS_${name}`, valueFrom: { configMapKeyRef } };
  });
  return { spec: { containers: [{ name: 'main', env }] } };
}

/** See the file's comment. */
export class KeyWorld extends World {
  data: Data | undefined;
  version = 0;

  constructor(state: Data = {}, flags: Partial<VocabularyOptions> = { keyScoped: true }) {
    super(state, 'home', flags);
  }

  /** `cfg` holds `data` from now on, and its stream tells. */
  holds(data: Data, arrival: Arrival = {}): Effects {
    this.now += 1;
    this.data = data;
    this.version = this.now;
    return this.look(arrival);
  }

  /** The stream, or somebody who looks, tells of `cfg` as it is. */
  look({ initial = false, relisted = false }: Arrival = {}): Effects {
    const { store, data = {}, version } = this;
    const metadata = { name: 'cfg', namespace: 'home', resourceVersion: String(version) };
    const object = configObjectOf(
      'ConfigMap',
      { metadata, data },
      {
        algorithms: store.settings.algorithms,
        annotations: () => ({}),
      },
    );
    const span = { from: initial ? Number.NEGATIVE_INFINITY : version - 1, to: version };
    const news = { type: 'present', isInInitialList: initial, isRelisted: relisted } as const;
    return this.requested(observeConfig(store, { ...news, span, key: keyOf(object.ref), object }));
  }

  /** A workload that follows `cfg`, as `sketch` says besides. */
  reads(name: string, keys: readonly string[], sketch: Sketch = {}, arrival: Arrival = {}): Effects {
    return this.workload(name, { follows: ['cfg'], template: reading(...keys), ...sketch }, arrival);
  }

  /** The one edge of the workload. */
  only(name: string): Edge {
    const [edge, ...others] = this.record(name).edges.values();
    assert.ok(edge !== undefined && others.length === 0, `${name} has not one edge`);
    return edge;
  }

  /** The state in the form of its ConfigMap, digests as they are. */
  get entries(): readonly string[] {
    return [...this.store.persisted.state.entries.keys()].sort();
  }

  /** The process dies; with these flags another one reads what was written, and lists all as it is. `first`: what it lists first. */
  again(
    flags: Partial<VocabularyOptions> = { keyScoped: true },
    first: 'configs' | 'workloads' = 'configs',
  ): KeyWorld {
    const next = new KeyWorld({}, flags);
    next.store.persisted.takeShard(0, this.store.persisted.state.entries);
    next.now = this.now;
    [next.data, next.version] = [this.data, this.version];
    for (const [name, live] of this.live) next.live.set(name, live);
    if (first === 'configs') next.look({ initial: true });
    for (const name of next.live.keys()) next.tellWorkload(name, { initial: true });
    if (first === 'workloads') next.look({ initial: true });
    return next;
  }
}

/** A world at rest: `cfg` holds `a` and `b`, and `web` reads these keys. */
export function atRest(...keys: readonly string[]): KeyWorld {
  const world = new KeyWorld();
  world.holds({ a: '1', b: '1' }, { initial: true });
  world.reads('web', keys, {}, { initial: true });
  world.write();
  return world;
}
