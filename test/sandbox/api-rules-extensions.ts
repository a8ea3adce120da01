/** Rules of kinds that a custom resource definition serves. */

import assert from 'node:assert/strict';
import { type ApiRules, metadataOf, type ReadAnswer, versionOf } from './api-rules.ts';
import { type Json, type JsonObject, objectsOf, pick } from './json.ts';
import { customResource, type ResourceRow } from './resource-table.ts';

/** The custom resource of these rules: its schema knows no metadata of the pod template. */
export const WIDGETS: ResourceRow = customResource('rules.example/v1', 'widgets', 'Widget', {
  pruned: ['spec', 'template', 'metadata'],
});

const ANY = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** The definition that serves it. */
export const WIDGETS_DEFINITION: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.rules.example' },
  spec: {
    group: 'rules.example',
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: { template: { type: 'object', properties: { spec: ANY } } },
              },
              status: ANY,
            },
          },
        },
      },
    ],
  },
};

/** By name: cases for `runRule`. */
export const EXTENSION_RULES: ApiRules = {
  'a strategic merge patch of a custom resource is 415': async (api) => {
    await api.created('widgets', widget('a'));
    const answer = await api.patch('widgets/a', 'strategic-merge-patch', templateWith('app:2'));
    assert.deepEqual([answer.status, answer.body['reason']], [415, 'UnsupportedMediaType']);
  },
  'a merge patch of a custom resource with an old version is 409, with the live version 200': async (api) => {
    const created = await api.created('widgets', widget('a'));
    const fenced = (image: string): Json => ({
      metadata: { resourceVersion: versionOf(created) },
      ...templateWith(image),
    });
    const first = await api.patch('widgets/a', 'merge-patch', fenced('app:2'));
    assert.deepEqual([first.status, metadataOf(first.body, 'generation')], [200, 2]);
    const { status, body } = await api.patch('widgets/a', 'merge-patch', fenced('app:3'));
    assert.deepEqual([status, body['reason']], [409, 'Conflict']);
  },
  'a JSON patch that replaces the version by an old one is 409, by the live one 200': async (api) => {
    const created = await api.created('widgets', widget('a'));
    const fenced = (value: string): Json => [
      { op: 'replace', path: '/metadata/resourceVersion', value: versionOf(created) },
      { op: 'add', path: '/spec/template/spec/containers/0/env', value: [{ name: 'A', value }] },
    ];
    assert.equal((await api.patch('widgets/a', 'json-patch', fenced('1'))).status, 200);
    const { status, body } = await api.patch('widgets/a', 'json-patch', fenced('2'));
    assert.deepEqual([status, body['reason']], [409, 'Conflict']);
  },
  'a JSON patch whose test fails is 422': async (api) => {
    await api.created('widgets', widget('a'));
    const patch = [{ op: 'test', path: '/spec/template/spec/containers/0/name', value: 'other' }];
    assert.equal((await api.patch('widgets/a', 'json-patch', patch)).status, 422);
  },
  'a field that the schema of a custom resource lacks is dropped': async (api) => {
    await api.created('widgets', widget('a'));
    const patch = { spec: { template: { metadata: { annotations: { a: 'b' } } } } };
    const { status, body } = await api.patch('widgets/a', 'merge-patch', patch);
    assert.deepEqual([status, pick(body, 'spec', 'template', 'metadata')], [200, undefined]);
    assert.equal(metadataOf(body, 'generation'), 1);
  },
  'discovery of a group version lists the plurals with their kinds': async (api) => {
    const { status, body } = await api.get('/apis/rules.example/v1');
    const found = objectsOf(body['resources']).find(({ name }) => name === 'widgets');
    assert.deepEqual(
      [status, body['kind'], found?.['kind'], found?.['namespaced']],
      [200, 'APIResourceList', 'Widget', true],
    );
  },
  'what has an unknown group or version is 404 without a Status, and the list of groups lacks it': async (
    api,
  ) => {
    for (const version of ['rules.example/v2', 'unknown.example/v1'])
      for (const below of ['', '/widgets'])
        assert.deepEqual(await outcomeOf(api.get(`/apis/${version}${below}`)), [404, undefined]);
    const { body } = await api.get('/apis');
    const groups = objectsOf(body['groups']);
    const versions = groups
      .flatMap(({ versions }) => objectsOf(versions))
      .map((each) => each['groupVersion']);
    assert.deepEqual(
      [body['kind'], versions.includes('rules.example/v1'), versions.includes('rules.example/v2')],
      ['APIGroupList', true, false],
    );
  },
  'an unknown plural of a known version is 404 with a Status': async (api) => {
    assert.deepEqual(await outcomeOf(api.get('/apis/apps/v1/widgets')), [404, 'Status']);
  },
};

async function outcomeOf(answer: Promise<ReadAnswer>): Promise<readonly unknown[]> {
  const { status, body } = await answer;
  return [status, body['kind']];
}

function widget(name: string): JsonObject {
  const containers = [{ name: 'app', image: 'app:1' }];
  return {
    apiVersion: 'rules.example/v1',
    kind: 'Widget',
    metadata: { name },
    spec: { template: { spec: { containers } } },
  };
}

function templateWith(image: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } };
}
