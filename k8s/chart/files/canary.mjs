/**
 * `helm test`: makes a ConfigMap and a Deployment without pods that follows it, changes the ConfigMap until the Deployment is
 * rolled, and deletes both. It ends with 1 where that does not happen in time.
 */

import { readFileSync } from 'node:fs';

const { API_SERVER, TOKEN_FILE, NAMESPACE, NAME, SECONDS } = process.env;
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;
const ABSENT = 404;

async function request(method, path, body, type = 'application/json') {
  const token = readFileSync(TOKEN_FILE, 'utf8').trim();
  const headers = { authorization: `Bearer ${token}`, 'content-type': type };
  const response = await fetch(API_SERVER + path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (response.ok || (method === 'DELETE' && response.status === ABSENT)) return answer;
  throw new Error(`${method} ${path}: ${answer.message}`);
}

function remove() {
  return Promise.all([DEPLOYMENTS, CONFIG_MAPS].map((path) => request('DELETE', `${path}/${NAME}`)));
}

async function create() {
  const metadata = { name: NAME };
  const labels = { canary: 'reloader' };
  const env = [{ name: 'CHANGE', valueFrom: { configMapKeyRef: { name: NAME, key: 'change' } } }];
  await request('POST', CONFIG_MAPS, { metadata, data: { change: 'none' } });
  return request('POST', DEPLOYMENTS, {
    metadata: { ...metadata, annotations: { 'reloader.k8s.collaborne.com/configmap': NAME } },
    spec: {
      replicas: 0,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'canary', image: 'canary', env }] } },
    },
  });
}

function change(times) {
  const patch = { data: { change: `${times}` } };
  return request('PATCH', `${CONFIG_MAPS}/${NAME}`, patch, 'application/merge-patch+json');
}

/** Whether the Deployment was rolled. A change before the reloader knows both is its baseline, so another one follows later. */
async function isRolled({ metadata: { generation } }) {
  const start = performance.now();
  const passed = () => (performance.now() - start) / 1000;
  for (let changes = 0, next = 1; passed() < Number(SECONDS); ) {
    if (passed() >= next) {
      changes += 1;
      next *= 4;
      await change(changes);
      console.log(`change ${changes} of ConfigMap ${NAME}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { metadata } = await request('GET', `${DEPLOYMENTS}/${NAME}`);
    if (metadata.generation > generation) return true;
  }
  return false;
}

await remove();
try {
  const rolled = await isRolled(await create());
  if (rolled) console.log(`Deployment ${NAME} was rolled`);
  else
    console.error(`Deployment ${NAME} was not rolled within ${SECONDS} s: the log of the reloader says why`);
  process.exitCode = rolled ? 0 : 1;
} finally {
  await remove();
}
