/** The commands of the guides do what the guides say, on a real API server. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { helmOf } from '../control-plane/assets.ts';
import { ControlPlane } from '../control-plane/control-plane.ts';
import type { HelmVersion } from '../control-plane/recipe.ts';
import { skipWithoutHelm } from '../install/chart.ts';
import { blocksOf, Shell } from './guide.ts';

const GUIDES = path.resolve(import.meta.dirname, '../../docs/guides');
const LEFT =
  'kubectl get deployments,services,serviceaccounts,roles,rolebindings,clusterroles,clusterrolebindings -A -o name -l';

const STATES = `kubectl get configmaps,leases -A -o name --field-selector metadata.name=reloader-state
kubectl get secrets -A -o name --field-selector metadata.name=reloader-state-key`;
const WEB = `kubectl create namespace web
kubectl -n web create configmap web --from-literal=key=A
kubectl -n web create deployment web --image=registry.k8s.io/pause:3.10
`;

/** What a reloader that has run leaves in a namespace. */
function stateIn(namespace: string): string {
  return `kubectl -n ${namespace} create configmap reloader-state
kubectl -n ${namespace} create secret generic reloader-state-key
kubectl -n ${namespace} apply -f - <<end
{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: reloader-state}}
end
`;
}

/** Page → what has to be there before it. */
const BEFORE: Readonly<Record<string, string>> = {
  // A Deployment without a scheduler, whose scheduler was another one than the default, and one that is being deleted.
  migration: `for name in parked going; do
  kubectl create deployment $name --image=registry.k8s.io/pause:3.10
  kubectl patch deployment $name -p '{"metadata":{"finalizers":["wave.pusher.com/finalizer"]}}'
done
kubectl annotate deployment parked wave.pusher.com/scheduling-disabled=mine
kubectl patch deployment parked -p '{"spec":{"template":{"spec":{"schedulerName":"wave.pusher.com/invalid"}}}}'
kubectl delete deployment going --wait=false
`,
  install: WEB,
  // An earlier version.
  upgrade: `kubectl -n web set image deployment/reloader reloader=registry.example.com/kubernetes-reloader:0.0.1
kubectl -n web rollout status deployment/reloader
`,
  uninstall: stateIn('web'),
  helm: `${WEB}kubectl create namespace reloader
${stateIn('reloader')}echo 'image: {repository: registry.example.com/kubernetes-reloader}' > values.yaml
`,
  'migrate-from-stakater': `helm install reloader kubernetes-reloader/test/e2e/stakater-chart \\
  --namespace reloader --create-namespace --set reloader.reloadOnCreate=true
${stateIn('reloader')}`,
};

/** Pages that are followed one after the other on one control plane. */
interface Tour {
  readonly pages: readonly string[];
  /** What prints nothing afterwards. */
  readonly after: string;
}

const TOURS: readonly Tour[] = [
  {
    pages: ['migration'],
    after: "kubectl get deployments -o yaml | sed -n '/wave/p; /name: going/p; /schedulerName: default/p'",
  },
  {
    pages: ['install', 'upgrade', 'uninstall'],
    after: `${LEFT} app.kubernetes.io/name=kubernetes-reloader
${STATES}`,
  },
  {
    pages: ['helm'],
    after: `${LEFT} app.kubernetes.io/instance=reloader
${STATES}`,
  },
  {
    pages: ['migrate-from-stakater'],
    after: `kubectl -n reloader get deployments -o jsonpath='{..image}' | sed 's|^ghcr.io/stakater/.*||'
${STATES}`,
  },
];

test('a block is run, or is a file, where a marker says so, and nowhere else', () => {
  const block = (language: string, text: string): string => `\`\`\`${language}\n${text}\`\`\`\n`;
  const page = `# A\n\n${block('sh', 'no\n')}<!-- run -->\n${block('sh', 'a\nb\n')}
<!-- file: x/y.yaml -->\n\n${block('yaml', 'c: d\n')}`;
  assert.deepEqual(blocksOf(page), [
    { file: undefined, text: 'a\nb\n' },
    { file: 'x/y.yaml', text: 'c: d\n' },
  ]);
  assert.throws(() => blocksOf(`<!-- run -->\ntext between\n${block('sh', 'a\n')}`), /1 markers, but 0/);
});

/** With which versions of Helm a tour is made: once without where no block calls it. */
function versionsFor({ pages }: Tour): readonly (HelmVersion | undefined)[] {
  const blocks = pages.flatMap((page) => blocksOf(textOf(page)));
  return blocks.some(({ text }) => /^helm /m.test(text)) ? [3, 4] : [undefined];
}

function textOf(page: string): string {
  return readFileSync(path.join(GUIDES, `${page}.md`), 'utf8');
}

async function follow(shell: Shell, page: string, t: TestContext): Promise<void> {
  await shell.run(BEFORE[page] ?? '');
  const blocks = blocksOf(textOf(page));
  assert.ok(blocks.length > 0, `${page} has commands that are run`);
  for (const block of blocks) {
    const [first = ''] = block.text.trim().split('\n');
    await t.test(`${page}: ${block.file ?? first}`, async () => {
      await shell.follow(block);
    });
  }
}

describe('the commands of', { concurrency: 1 }, () => {
  for (const tour of TOURS) {
    const { pages, after } = tour;
    for (const version of versionsFor(tour)) {
      const helm = version && helmOf(version);
      const skip = version !== undefined && skipWithoutHelm(version);
      const names = `docs/guides/${pages.join(', ')}`;
      test(version === undefined ? names : `${names} with Helm ${version}`, { skip }, async (t) => {
        await using plane = await ControlPlane.start();
        const programs = { kubectl: plane.access.kubectl, ...(helm === undefined ? {} : { helm }) };
        await using shell = await Shell.open(plane, programs);
        for (const page of pages) await follow(shell, page, t);
        assert.equal((await shell.run(after)).stdout, '');
      });
    }
  }
});
