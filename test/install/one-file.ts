/** The installations that `kubectl apply -f` takes as one file each, as `npm run reference` writes them. */

import { stringify } from 'yaml';
import type { JsonObject } from '../sandbox/json.ts';
import { render } from './kustomization.ts';

const EDIT = 's|image: kubernetes-reloader|image: registry.example.com/kubernetes-reloader|';

/** By file: the folder that it has all objects of, and the comment that it begins with. */
const FILES: Readonly<Record<string, { readonly folder: string; readonly head: string }>> = {
  'k8s/reloader.yaml': {
    folder: 'base',
    head: `# The reloader for one namespace: k8s/base in one file, written by \`npm run reference\`. Say which image you have pushed,
# and the namespace if it is not default:
#   sed '${EDIT}; s/namespace: default/namespace: web/' \\
#     k8s/reloader.yaml | kubectl apply -f -
`,
  },
  'k8s/reloader-cluster.yaml': {
    folder: 'cluster',
    head: `# The reloader for the whole cluster, in the namespace reloader, which this makes: k8s/cluster in one file, written by
# \`npm run reference\`. Say which image you have pushed:
#   sed '${EDIT}' \\
#     k8s/reloader-cluster.yaml | kubectl apply -f -
`,
  },
};

/** The text of each file, by its path below the repository's root. */
export function oneFiles(): Readonly<Record<string, string>> {
  const texts = Object.entries(FILES).map(([file, { folder, head }]): [string, string] => [
    file,
    head + render(folder).map(documentOf).join(''),
  ]);
  return Object.fromEntries(texts);
}

function documentOf(object: JsonObject): string {
  return `---\n${stringify(object, { version: '1.1', lineWidth: 0, aliasDuplicateObjects: false })}`;
}
