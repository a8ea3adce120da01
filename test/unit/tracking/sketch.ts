/** What a test says of the small world of `world.ts`, and how an API server would send it. */

import type { RawPodTemplate, RawWorkload } from '../../../lib/model/raw-objects.ts';
import type { RolloutPlan } from '../../../lib/model/rollout-plan.ts';
import { pick } from '../../../lib/model/text.ts';
import { type Json, type JsonObject, objectOf } from '../../sandbox/json.ts';
import { jsonPatch } from '../../sandbox/json-patch.ts';

/** What a test says of a live workload; what it leaves out stays as it was. */
export interface Sketch {
  readonly follows?: readonly string[];
  /** The Secrets that it follows. */
  readonly secrets?: readonly string[];
  /** The ConfigMaps that its pods read. */
  readonly refers?: readonly string[];
  /** The ConfigMaps that its pods read if they are there. */
  readonly mayMiss?: readonly string[];
  /** Its further annotations. */
  readonly asks?: Readonly<Record<string, string>>;
  /** The pod template, instead of the one that is made of the rest. */
  readonly template?: RawPodTemplate | undefined;
  /** Config, or a variable of Stakater Reloader → stamp in the live template, e.g. `b.2`. */
  readonly stamps?: Readonly<Record<string, string>>;
  /** Stands for all of the template that is not ours. */
  readonly image?: string;
  readonly replicas?: number;
  readonly paused?: boolean;
  readonly isRolledOut?: boolean;
  /** How many pods are of the present template, and how many of these are ready, where only some are. */
  readonly updated?: number | undefined;
  readonly ready?: number | undefined;
  /** Why its controller has given its rollout up. */
  readonly failure?: string | undefined;
  readonly uid?: string;
  readonly manager?: string;
}

/** How news arrives. */
export interface Arrival {
  /** Part of the stream's first list. */
  readonly initial?: boolean;
  /** Told by a later list: several writes may hide behind it. */
  readonly relisted?: boolean;
  /** The axis position of the stream's last sign of life; of the write itself unless told. */
  readonly since?: number;
}

/** Annotations of an object. */
export interface Marks {
  /** As they were unless told. */
  readonly marks?: Readonly<Record<string, string>>;
}

/** A live workload. */
export interface Live extends Required<Sketch> {
  readonly version: number;
  readonly generation: number;
}

/** A workload of which a test has said nothing yet. */
export const NEW: Live = {
  follows: [],
  secrets: [],
  refers: [],
  mayMiss: [],
  asks: {},
  template: undefined,
  stamps: {},
  image: 'v1',
  replicas: 1,
  paused: false,
  isRolledOut: true,
  updated: undefined,
  ready: undefined,
  failure: undefined,
  uid: 'uid-1',
  manager: 'kubectl',
  version: 0,
  generation: 0,
};

/** The digest of the content `letter`. */
export function d(letter: string): string {
  return letter.repeat(40);
}

/** The full text of the stamp or entry `b.2`. */
export function full(short: string): string {
  return short.replace(/[a-f]/, d);
}

/** The workload as the API server would send it. */
export function rawOf(about: { readonly name: string; readonly namespace: string }, live: Live): RawWorkload {
  const env = Object.entries(live.stamps).map(([config, stamp]) => ({
    name: variableOf(config),
    value: full(stamp),
  }));
  const envFrom = [
    ...live.refers.map((name) => ({ configMapRef: { name } })),
    ...live.mayMiss.map((name) => ({ configMapRef: { name, optional: true } })),
  ];
  const container = {
    name: 'main',
    ...(env.length > 0 ? { env } : {}),
    ...(envFrom.length > 0 ? { envFrom } : {}),
  };
  return {
    metadata: {
      ...about,
      uid: live.uid,
      resourceVersion: String(live.version),
      generation: live.generation,
      annotations: {
        'reloader.k8s.collaborne.com/configmap': live.follows.join(', '),
        'reloader.k8s.collaborne.com/secret': live.secrets.join(', '),
        ...live.asks,
      },
      managedFields: [{ manager: live.manager, time: '2026-01-01T00:00:00Z' }],
    },
    spec: {
      replicas: live.replicas,
      paused: live.paused,
      template: live.template ?? {
        metadata: { annotations: { image: live.image } },
        spec: { containers: [container] },
      },
    },
    status: {
      observedGeneration: live.generation,
      replicas: live.replicas,
      updatedReplicas: live.updated ?? (live.isRolledOut ? live.replicas : 0),
      readyReplicas: live.ready ?? (live.isRolledOut ? live.replicas : 0),
      ...(live.failure !== undefined && {
        conditions: [{ type: 'Progressing', status: 'False', reason: live.failure }],
      }),
    },
  };
}

/** The variable of an object in the pod template; one of Stakater Reloader is said in full. */
export function variableOf(config: string): string {
  return config.startsWith('STAKATER_') ? config : `_RELOADER_CONFIGMAP_${config.toUpperCase()}`;
}

/** The annotations and fields of the object itself that a plan's patch sets; null: it removes one. */
export function changesOf({ operations }: Pick<RolloutPlan, 'operations'>): {
  readonly annotations: Readonly<Record<string, unknown>>;
  readonly fields: Readonly<Record<string, unknown>>;
} {
  const changes = operations.filter(({ op }) => op !== 'test');
  const below = (prefix: string): Readonly<Record<string, unknown>> =>
    Object.fromEntries(
      changes
        .filter(({ path }) => path.startsWith(prefix) && !path.slice(prefix.length).includes('/'))
        .map((each) => [
          each.path.slice(prefix.length).replaceAll('~1', '/'),
          'value' in each ? each.value : null,
        ]),
    );
  return { annotations: below('/metadata/annotations/'), fields: below('/spec/') };
}

function templateAfter(template: RawPodTemplate, operations: RolloutPlan['operations']): RawPodTemplate {
  const object = { spec: { template } } as unknown as JsonObject;
  return objectOf(objectOf(jsonPatch(object, operations as Json)['spec'])['template']);
}

/** What the patch of a plan makes of a workload. */
export function patched({ asks, stamps, template }: Live, plan: RolloutPlan): Sketch {
  const { operations, triggers = [] } = plan;
  const ofTemplate = operations.filter(({ op, path }) => op !== 'test' && path.startsWith('/spec/template'));
  const written = plan.stamps.flatMap(({ config, stamp, places }) =>
    places.map(({ variable }) => {
      const key = config.slice(config.lastIndexOf('/') + 1);
      return [variable === variableOf(key) ? key : variable, `${stamp.digest[0]}.${stamp.id}`] as const;
    }),
  );
  return {
    asks: pick(asks, (key) => !triggers.includes(key)),
    stamps: { ...stamps, ...Object.fromEntries(written) },
    ...(template && { template: templateAfter(template, ofTemplate) }),
  };
}
