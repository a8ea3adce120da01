import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  answerReview,
  MalformedReviewError,
  parseReview,
  reviewAllowing,
} from '../../../lib/admission/review.ts';
import { NO_LOG } from '../../../lib/model/log.ts';
import type { AdmissionResult } from '../../../lib/model/settings.ts';
import { B, deployment, knowing } from './papers.ts';

const REQUEST = {
  uid: 'u',
  kind: { group: 'apps', version: 'v1', kind: 'Deployment' },
  namespace: 'ns',
  operation: 'CREATE',
  options: { kind: 'CreateOptions', fieldManager: 'helm' },
  object: deployment(),
};

function withVariables(count: number): object {
  const env = Array.from({ length: count }, (_, index) => ({ name: `V_${index}`, value: '' }));
  return { metadata: {}, spec: { template: { spec: { containers: [{ name: 'app', env }] } } } };
}

function review(request: object): string {
  return JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request });
}

test('a review is read', () => {
  const { object, ...read } = parseReview(review({ ...REQUEST, dryRun: true }));
  const expected = { uid: 'u', kind: 'Deployment', namespace: 'ns', fieldManager: 'helm', isDryRun: true };
  assert.deepEqual(read, { ...expected, oldObject: undefined });
  assert.deepEqual(object, deployment());
});

describe('no review is', () => {
  const refused: Record<string, string> = {
    'what is not JSON': '{',
    'a list': '[]',
    'another kind of object': JSON.stringify({ apiVersion: 'v1', kind: 'Pod', request: REQUEST }),
    'an older version': JSON.stringify({ apiVersion: 'admission.k8s.io/v1beta1', kind: 'AdmissionReview' }),
    'one without a request': review([]),
    'one without a uid': review({ ...REQUEST, uid: undefined }),
    'one of a deletion': review({ ...REQUEST, operation: 'DELETE' }),
    'one of a subresource': review({ ...REQUEST, subResource: 'scale' }),
    'one without an object': review({ ...REQUEST, object: null }),
    'one of an update without what was there': review({ ...REQUEST, operation: 'UPDATE' }),
    'one of a namespace that cannot be': review({ ...REQUEST, namespace: 'n'.repeat(64) }),
    'one with a name that cannot be': review({
      ...REQUEST,
      object: { ...deployment(), metadata: { name: 'n'.repeat(254) } },
    }),
    'one whose name is no text': review({
      ...REQUEST,
      object: { ...deployment(), metadata: { name: ['web'] } },
    }),
    'one with more annotations than can be stored': review({
      ...REQUEST,
      object: { ...deployment(), metadata: { name: 'web', annotations: { a: 'x,'.repeat(300_000) } } },
    }),
    'one of an update with more variables than are worked through': review({
      ...REQUEST,
      operation: 'UPDATE',
      oldObject: withVariables(6_000),
    }),
  };
  for (const [name, text] of Object.entries(refused))
    test(name, () => assert.throws(() => parseReview(text), MalformedReviewError));
});

test('names and lists of the utmost length are read', () => {
  const object = { ...withVariables(4_000), metadata: { name: 'n'.repeat(253) } };
  const { namespace } = parseReview(review({ ...REQUEST, namespace: 'n'.repeat(63), object }));
  assert.equal(namespace.length, 63);
});

test('kinds are known by their group, those too that a cluster may lack', () => {
  const kindOf = (kind: object): string => parseReview(review({ ...REQUEST, kind })).kind;
  assert.equal(kindOf({ group: 'argoproj.io', kind: 'Rollout' }), 'Rollout');
  assert.equal(kindOf({ group: 'apps.openshift.io', kind: 'DeploymentConfig' }), 'DeploymentConfig');
  assert.equal(kindOf({ group: 'rollouts.kruise.io', kind: 'Rollout' }), '');
});

test('a kind of another group is none that is known', () => {
  assert.equal(parseReview(review({ ...REQUEST, kind: { group: 'x', kind: 'Deployment' } })).kind, '');
});

test('an answer without a change has no patch', () => {
  assert.deepEqual(JSON.parse(reviewAllowing('u', [])), {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: true },
  });
});

describe('the reviewer', () => {
  const counted: AdmissionResult[] = [];
  const lines: string[] = [];
  const log = {
    ...NO_LOG,
    info: (message: string) => lines.push(message),
    error: (m: string) => lines.push(m),
  };
  const known = knowing({ web: B });
  const answer = (text: string): string =>
    answerReview(text, { known, log, onReview: (result) => counted.push(result) });

  test('changes, counts and says so', () => {
    const { response } = JSON.parse(answer(review(REQUEST)));
    const patch = JSON.parse(Buffer.from(response.patch, 'base64').toString());
    assert.equal(response.patchType, 'JSONPatch');
    assert.deepEqual(patch, [
      {
        op: 'add',
        path: '/spec/template/spec/containers/0/env',
        value: [{ name: '_RELOADER_CONFIGMAP_WEB', value: `${B}.1` }],
      },
    ]);
    assert.deepEqual([counted.pop(), lines.pop()], ['stamped', 'Deployment/web: stamped at its creation']);
  });

  test('says nothing of a dry run', () => {
    answer(review({ ...REQUEST, dryRun: true }));
    assert.deepEqual([counted.pop(), lines.length], ['stamped', 0]);
  });

  test('lets through what it fails at', () => {
    const broken = { ...deployment(), spec: { template: { spec: { containers: 7 } } } };
    const { response } = JSON.parse(answer(review({ ...REQUEST, object: broken })));
    assert.deepEqual(response, { uid: 'u', allowed: true });
    assert.deepEqual([counted.pop(), lines.length], ['failed', 1]);
  });

  test('counts what is no review', () => {
    assert.throws(() => answer('{}'), MalformedReviewError);
    assert.equal(counted.pop(), 'malformed');
  });
});
