/** The Service of the chart, and the families of addresses that the API server would take. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type JsonObject, objectOf, objectsOf, pick } from '../sandbox/json.ts';
import { objectionTo, render, skipWithoutHelm } from './chart.ts';
import { installedBy } from './installation.ts';

const skip = skipWithoutHelm();

function serviceWith(reloader: JsonObject): JsonObject | undefined {
  return render({ reloader }).find(({ kind }) => kind === 'Service');
}

const FAMILIES: readonly (readonly string[] | undefined)[] = [
  undefined,
  ['IPv4'],
  ['IPv6'],
  ['IPv4', 'IPv6'],
  ['IPv6', 'IPv4'],
  ['IPv4', 'IPv4'],
  ['IPv4', 'IPv6', 'IPv4'],
  ['IPv5'],
];
/** How many families each policy takes. */
const COUNTS: Readonly<Record<string, readonly number[]>> = {
  none: [1, 2],
  SingleStack: [1],
  PreferDualStack: [1, 2],
  RequireDualStack: [2],
};

/** Whether the API server takes these families with a policy that takes so many. */
function isRight(families: readonly string[] | undefined, counts: readonly number[]): boolean {
  if (families === undefined) return true;
  const isEach = families.every((family) => family === 'IPv4' || family === 'IPv6');
  return isEach && counts.includes(families.length) && new Set(families).size === families.length;
}

for (const [policy, counts] of Object.entries(COUNTS)) {
  describe(`with the policy ${policy}`, { skip }, () => {
    for (const ipFamilies of FAMILIES) {
      const families = ipFamilies?.join(' and ') ?? 'of the cluster';
      const given = {
        ...(policy === 'none' ? {} : { ipFamilyPolicy: policy }),
        ...(ipFamilies === undefined ? {} : { ipFamilies }),
      };
      const service = { port: 9090, ...given };
      if (isRight(ipFamilies, counts))
        test(`the families ${families} are taken`, () => {
          const {
            selector: _,
            ports: __,
            publishNotReadyAddresses: ___,
            ...spec
          } = objectOf(pick(serviceWith({ service }), 'spec'));
          assert.deepEqual(spec, given);
        });
      else
        test(`the families ${families} are refused`, () => {
          assert.match(objectionTo({ reloader: { service } }) ?? '', /at '\/reloader\/service/);
        });
    }
  });
}

describe('the Service', { skip }, () => {
  test('is that of the manifests, and that of Stakater Reloader’s chart when a member of it is given', () => {
    const namesOf = (reloader: JsonObject): unknown[] => {
      const service = serviceWith(reloader);
      return [
        pick(service, 'metadata', 'name'),
        ...objectsOf(pick(service, 'spec', 'ports')).map((each) => each['port']),
      ];
    };
    assert.deepEqual(namesOf({}), ['kubernetes-reloader', 8080]);
    assert.deepEqual(namesOf({ service: null }), ['kubernetes-reloader', 8080]);
    assert.deepEqual(namesOf({ service: { labels: { a: 'b' } } }), ['web-reloader', 9090]);
  });

  test('has the port http, 9090 or another one, which leads to that of the pages', () => {
    const portsWith = (service: JsonObject): readonly JsonObject[] =>
      objectsOf(pick(serviceWith({ service }), 'spec', 'ports'));
    const port = { name: 'http', port: 9090, protocol: 'TCP', targetPort: 'http' };
    assert.deepEqual(portsWith({ annotations: { a: 'b' } }), [port]);
    assert.deepEqual(portsWith({ port: 80 }), [{ ...port, port: 80 }]);
  });

  test('selects by app and release, whatever labels the Deployment has', () => {
    const reloader = { service: { port: 80 }, deployment: { labels: { provider: 'stakater' } } };
    const selector = { app: 'web-reloader', release: 'web' };
    assert.deepEqual(pick(serviceWith(reloader), 'spec', 'selector'), selector);
    const objects = render({ reloader: { ...reloader, matchLabels: { team: '{{ .Release.Name }}' } } });
    const service = objects.find(({ kind }) => kind === 'Service');
    const own = pick(installedBy(objects).deployment, 'spec', 'selector', 'matchLabels');
    assert.deepEqual(pick(service, 'spec', 'selector'), own);
  });

  test('has labels and annotations from templates', () => {
    const service = serviceWith({
      service: { labels: { a: '{{ .Release.Name }}' }, annotations: { b: '{{ 1 }}' } },
    });
    assert.equal(pick(service, 'metadata', 'labels', 'a'), 'web');
    assert.equal(pick(service, 'metadata', 'labels', 'app'), 'web-reloader');
  });
});
