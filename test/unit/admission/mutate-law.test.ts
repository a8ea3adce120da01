import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { mutate } from '../../../lib/admission/mutate.ts';
import { stampVariablesOf } from '../../../lib/annotations/stamp-variables.ts';
import type { RawEnvVar, RawWorkload } from '../../../lib/model/raw-objects.ts';
import { idOfStamp, parseStamp, type Stamp } from '../../../lib/model/stamp.ts';
import { workloadOf } from '../../../lib/model/workload.ts';
import { workloadKindOf } from '../../../lib/model/workload-kind.ts';
import { fc } from '../../laws.ts';
import { vocabulary } from '../annotations/defaults.ts';
import {
  A,
  B,
  C,
  deployment,
  envOf,
  knowing,
  LAST,
  request,
  STAKATER_WEB,
  STAMPS,
  stored,
  WEB,
} from './papers.ts';

const API = '_RELOADER_CONFIGMAP_API';
const OLD = '_RELOADER_CONFIGMAP_OLD';
const digest = fc.constantFrom(A, B, C);
const id = fc.integer({ min: 0, max: 4 });
const stamp: fc.Arbitrary<Stamp> = fc.record({ digest, id }, { noNullPrototype: true });
const value = fc.oneof(
  stamp.map((one) => `${one.digest}.${one.id}`),
  digest,
  fc.constant('what?'),
);
const own: fc.Arbitrary<RawEnvVar> = fc.record(
  { name: fc.constantFrom('X', 'Y', 'Z'), value: fc.constantFrom('1', '2') },
  { noNullPrototype: true },
);
const mark: fc.Arbitrary<RawEnvVar> = fc.record(
  { name: fc.constantFrom(WEB, STAKATER_WEB, API, OLD), value },
  { noNullPrototype: true },
);
const variables = fc
  .uniqueArray(fc.oneof(own, mark), { selector: ({ name }) => name, maxLength: 5 })
  .chain((list) => fc.constantFrom(list, list.length === 0 ? undefined : list));
const objects = fc.constantFrom('ConfigMap/web', 'ConfigMap/api');
const annotations = fc.option(
  fc.dictionary(
    fc.constantFrom('own', STAMPS, LAST),
    fc.oneof(
      fc.dictionary(objects, value, { noNullPrototype: true }).map((all) => JSON.stringify(all)),
      fc.dictionary(objects, value, { noNullPrototype: true }).map((stamps) => JSON.stringify({ stamps })),
      fc.constant('{'),
    ),
    { noNullPrototype: true },
  ),
  { nil: undefined },
);
const follows = fc.constantFrom('web', 'web, api', '');
const workload: fc.Arbitrary<RawWorkload> = fc
  .record({ follows, env: variables, templateAnnotations: annotations, image: fc.constantFrom('1', '2') })
  .map((parts) => deployment(parts));
const known = fc
  .record({
    web: fc.option(digest, { nil: undefined }),
    strategy: fc.constantFrom('env-vars', 'annotations'),
  })
  .map(({ web, strategy }) =>
    knowing(web === undefined ? {} : { web }, {
      flags: { strategy: strategy as 'env-vars' | 'annotations' },
    }),
  );
const live = fc.option(workload, { nil: undefined });
const vocabularies = vocabulary();

const view = (raw: RawWorkload) => workloadOf(workloadKindOf('Deployment'), raw, vocabularies);
const withoutTemplate = ({ spec, ...rest }: RawWorkload) => ({ ...rest, ...spec, template: undefined });

describe('whatever is written,', () => {
  test('nothing but marks changes', () => {
    fc.assert(
      fc.property(known, workload, live, (knows, update, before) => {
        const { object } = stored(knows, request(update, before));
        assert.deepEqual(withoutTemplate(object), withoutTemplate(update));
        assert.equal(view(object).templateDigest, view(update).templateDigest);
        const others = (raw: RawWorkload) =>
          (envOf(raw) ?? []).filter(({ name }) => !vocabularies.isStampVariable(name));
        assert.deepEqual(others(object), others(update));
      }),
    );
  });

  test('what came out of it goes through as it is', () => {
    fc.assert(
      fc.property(known, workload, live, (knows, update, before) => {
        const { object } = stored(knows, request(update, before));
        assert.deepEqual(mutate(knows, request(object, before)).patch, []);
      }),
    );
  });

  test('no id of an object becomes lower', () => {
    fc.assert(
      fc.property(known, workload, live, (knows, update, before) => {
        const { object } = stored(knows, request(update, before));
        for (const { variable, container, value: text } of view(update).stamps) {
          // Two annotations may have a stamp of one object.
          const after = view(object).stamps.filter(
            (one) => one.variable === variable && one.container === container,
          );
          const from = parseStamp(text);
          const to = after.flatMap((one) => parseStamp(one.value)?.id ?? []);
          if (from === undefined || to.length === 0 || after.some((one) => one.value === text)) continue;
          assert.ok(Math.max(...to) >= from.id, `${text} became ${to}`);
        }
      }),
    );
  });

  test('an id comes from the update or from the live template', () => {
    fc.assert(
      fc.property(digest, workload, live, (current, update, before) => {
        const { object } = stored(knowing({ web: current }), request(update, before));
        const has = (raw: RawWorkload | undefined, text: string) =>
          raw !== undefined && view(raw).stamps.some((one) => idOfStamp(one.value) === idOfStamp(text));
        for (const { value: text } of view(object).stamps)
          assert.ok(idOfStamp(text) === 1 || has(update, text) || has(before, text), text);
      }),
    );
  });

  test('an update that only lost stamps of what is followed stores the live template', () => {
    fc.assert(
      fc.property(known, workload, fc.func(fc.boolean()), (knows, before, isLost) => {
        const refs = vocabularies.follows(view(before), () => []);
        fc.pre(refs.length > 0);
        const names = [...stampVariablesOf(refs).values()].flatMap(({ read }) => read);
        const { containers = [] } = before.spec?.template?.spec ?? {};
        const [container = { name: '' }] = containers;
        const env = container.env?.filter(({ name }) => !names.includes(name) || !isLost(name));
        const update = {
          ...before,
          spec: {
            ...before.spec,
            template: {
              ...before.spec?.template,
              spec: { containers: [{ ...container, ...(env === undefined ? {} : { env }) }] },
            },
          },
        };
        const { object } = stored(knows, request(update, before));
        assert.deepEqual(object.spec?.template, before.spec?.template);
      }),
    );
  });
});
