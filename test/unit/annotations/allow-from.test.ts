/** Objects of other namespaces: how workloads name them, which of them allow it, and what is said where they do not. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ALLOW_FROM_ANNOTATION, allows, LONGEST_CONSENT } from '../../../lib/annotations/allow-from.ts';
import { type ConfigRef, describeFrom } from '../../../lib/model/object-ref.ts';
import { deployment, followed, PLAIN, vocabulary } from './defaults.ts';

const CONFIGMAP = 'reloader.k8s.collaborne.com/configmap';
const SECRET = 'reloader.k8s.collaborne.com/secret';
const SHARED: ConfigRef = { kind: 'ConfigMap', namespace: 'shop', name: 'cfg' };

describe('an object allows the namespace ns', () => {
  const cases: Record<string, [value: string | undefined, isAllowed: boolean]> = {
    'not without the annotation': [undefined, false],
    'where it names it': ['ns', true],
    'where it names it among others': ['club, ns ,', true],
    'where it names every one': ['*', true],
    'where it names every one beside others': ['club,*', true],
    'not where it names others': ['club', false],
    'not where the name is only a part': ['ns-2', false],
    'not where it names none': ['', false],
    'not where one of the names cannot be a namespace': ['ns, My_Team', false],
    'not with an expression': ['n*', false],
    'where the value is as long as may be': [
      `ns,${'a,'.repeat(LONGEST_CONSENT)}`.slice(0, LONGEST_CONSENT),
      true,
    ],
    'not where it is longer': [`ns${','.repeat(LONGEST_CONSENT)}`, false],
  };
  for (const [name, [value, isAllowed]] of Object.entries(cases))
    test(name, () => {
      const annotations = value === undefined ? {} : { [ALLOW_FROM_ANNOTATION]: value };
      assert.equal(allows(annotations, 'ns'), isAllowed);
      assert.equal(allows(annotations, 'ns'), isAllowed, 'asked again');
    });
});

describe('of objects of other namespaces', () => {
  const { needsConsent, isConfigAnnotation, judge } = vocabulary();

  test('the native lists name some, and those of Stakater none', () => {
    const names = {
      [CONFIGMAP]: 'cfg, shop/cfg',
      [SECRET]: 'club/tls',
      'configmap.reloader.stakater.com/reload': 'shop/other',
    };
    assert.deepEqual(
      followed(vocabulary(), names).map((ref) => describeFrom('ns', ref)),
      ['ConfigMap/cfg', 'ConfigMap/shop/cfg', 'Secret/club/tls'],
    );
  });

  test('further annotations name some as well', () => {
    const alternatives = { ConfigMap: ['example.com/more'], Secret: [] };
    const refs = followed(vocabulary({ alternativeAnnotations: alternatives }), {
      'example.com/more': 'shop/cfg',
    });
    assert.deepEqual(refs, [SHARED]);
  });

  test('each needs consent, unless a flag says otherwise; one of the own namespace never does', () => {
    assert.ok(needsConsent('ns', SHARED) && !needsConsent('shop', SHARED));
    assert.ok(!vocabulary({ crossNamespace: 'any' }).needsConsent('ns', SHARED));
  });

  test('the annotation is read in every vocabulary', () => {
    assert.ok(isConfigAnnotation(ALLOW_FROM_ANNOTATION));
    assert.ok(vocabulary({ dialects: ['wave'] }).isConfigAnnotation(ALLOW_FROM_ANNOTATION));
  });

  test('a list of what is excluded means one of them only with its namespace', () => {
    const excluded = (excludes: string) =>
      judge(
        deployment(vocabulary(), {
          [CONFIGMAP]: 'shop/cfg',
          'reloader.k8s.collaborne.com/exclude-configmap': excludes,
        }),
        SHARED,
        {},
      ).because;
    assert.deepEqual([excluded('cfg'), excluded('shop/cfg')], ['named', 'excluded']);
  });

  test('what is said names them, the annotation and its value, and nothing that only who sees them may know', () => {
    const { findingsOfNotAllowed } = vocabulary();
    const workload = deployment(vocabulary(), {});
    assert.deepEqual(findingsOfNotAllowed([], workload), []);
    const [one, ...others] = findingsOfNotAllowed([SHARED], workload);
    assert.deepEqual([one?.reason, one?.about, others], ['not-allowed', 'ConfigMap/shop/cfg', []]);
    assert.equal(
      one?.message,
      'ConfigMap/shop/cfg does not exist, or does not allow that workloads of ns follow it: nothing is rolled for it; to allow it, the object needs the annotation reloader.k8s.collaborne.com/allow-from: "ns", beside other namespaces if it allows some',
    );
    const [both] = findingsOfNotAllowed([SHARED, { ...SHARED, namespace: 'club' }], workload);
    assert.equal(both?.about, 'ConfigMap/shop/cfg, ConfigMap/club/cfg');
    assert.deepEqual(both?.covers, ['ConfigMap/shop/cfg', 'ConfigMap/club/cfg']);
  });

  test('a malformed name of one is mended, and a kind before a name is no namespace', () => {
    const told = (list: string) =>
      vocabulary(PLAIN)
        .mistakesOf(deployment(vocabulary(), { [CONFIGMAP]: list }))
        .map(({ message }) => message.slice(message.lastIndexOf('; ') + 2));
    assert.deepEqual(told('shop/My_Cfg'), [`write ${CONFIGMAP}: "shop/my-cfg"`]);
    assert.deepEqual(told('configmap/web; shop/cfg'), [`write ${CONFIGMAP}: "web, shop/cfg"`]);
  });
});
