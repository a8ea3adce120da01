/** What the demo shows, act by act. Each claims in the ledger how often every workload was rolled: web, cache, agent. */

import { describe } from '../../lib/model/object-ref.ts';
import { annotationsOf, configMap, secret, WORKLOADS } from './examples.ts';
import { printPatch, printState, stateOf } from './papers.ts';
import { ALL, type Stage } from './stage.ts';

const { web, cache, agent } = WORKLOADS;
/** Between two changes of a burst: a person can follow, and no quiet period ends. */
const PACE_MS = 80;

/** One act. */
type Act = (stage: Stage) => Promise<void>;

const firstStart: Act = async (stage) => {
  stage.screen.heading('1. The first start learns what the pods run, and rolls nothing');
  stage.screen.act(`reloader ${stage.flags.join(' ')}`);
  await stage.start();
  await stage.settled();
  stage.ledger.expect('the first start, beside pods that run', [0, 0, 0]);
};

const burst: Act = async (stage) => {
  stage.screen.heading('2. Ten changes in a row are one rollout of each workload');
  stage.screen.act('eight objects are changed, two of them twice');
  for (const [config, data] of BURST) {
    await stage.change(config, data);
    await stage.pass(PACE_MS, 'the next change');
  }
  await stage.rolled(...ALL);
  await stage.settled();
  stage.ledger.expect('ten changes of eight objects in a row', [1, 1, 1]);
};

const BURST = [
  [configMap('web'), { GREETING: 'good evening' }],
  [secret('web-login'), { ADMIN_PASSWORD: 'another-example-and-no-secret' }],
  [configMap('web-templates'), { 'footer.conf.template': '# the second edition\n' }],
  [configMap('cache'), { 'redis.conf': 'maxmemory 48mb\n' }],
  [secret('cache-password'), { PASSWORD: 'another-example-and-no-secret' }],
  [configMap('agent'), { 'agent.conf': '[SERVICE]\n    log_level debug\n' }],
  [secret('agent-token'), { TOKEN: 'another-example-and-no-secret' }],
  [configMap('web'), { THEME: 'dark' }],
  [configMap('shared'), { LOG_LEVEL: 'debug' }],
  [configMap('shared'), { REGION: 'south' }],
] as const;

const takenBack: Act = async (stage) => {
  stage.screen.heading('3. A change that is taken back within the quiet period is no rollout');
  stage.screen.act('ConfigMap/shared is changed, and changed back');
  const takeBack = await stage.change(configMap('shared'), { LOG_LEVEL: 'silent' });
  takeBack();
  await stage.pass(stage.windowMs, 'the quiet period is over');
  await stage.settled();
  stage.ledger.expect('a change that is taken back in time', [0, 0, 0]);
};

const killed: Act = async (stage) => {
  stage.screen.heading('4. Killed before it could act, it loses nothing');
  stage.screen.act('ConfigMap/web is changed');
  await stage.change(configMap('web'), { GREETING: 'good night' });
  await stage.reloader.kill();
  stage.screen.act('the reloader is killed (SIGKILL) within the quiet period, and started again');
  await stage.start();
  await stage.rolled(web);
  await stage.settled();
  stage.ledger.expect('a change, SIGKILL, and started again', [1, 0, 0]);
};

const refused: Act = async (stage) => {
  stage.screen.heading('5. A workload that is refused holds up no other one');
  stage.screen.act(
    `an admission webhook denies all changes of ${describe(cache)}; ConfigMap/shared is changed`,
  );
  const allow = stage.sandbox.addFault({
    match: { verb: 'patch', resource: 'statefulsets', name: cache.name },
    times: 'always',
    effect: { kind: 'status', code: 403, message: DENIAL },
  });
  await stage.change(configMap('shared'), { REGION: 'west' });
  await stage.rolled(web, agent);
  await stage.until('the state says that the cache is behind', () => isBehind(stage));
  stage.ledger.expect('a change, while cache is refused', [1, 0, 1]);
  showPapers(stage);
  stage.screen.heading('7. The refusal ends, and the next try is accepted');
  stage.screen.act('the webhook is removed; nothing else is done');
  allow();
  await stage.rolled(cache);
  await stage.settled();
  stage.ledger.expect('the refusal has ended', [0, 1, 0]);
};

const DENIAL = 'admission webhook "backup.example.com" denied the request: no rollouts during the backup';

function isBehind({ sandbox }: Stage): boolean {
  return Object.values(stateOf(sandbox)).some((entry) =>
    String(entry).endsWith(`?${cache.kind}/${cache.name}`),
  );
}

function showPapers(stage: Stage): void {
  const { screen } = stage;
  screen.heading('6. Meanwhile: what was sent, and what is remembered');
  screen.act(`the last patch of ${describe(web)}: one variable of the pod template, and nothing else`);
  printPatch(stage, web);
  screen.act(
    'the state ConfigMap: a digest per object, and a mark for cache, whose pods still run the former content',
  );
  printState(stage);
}

/** The acts, in their order. */
export const ACTS: readonly Act[] = [firstStart, burst, takenBack, killed, refused];

/** What is there before the reloader starts. */
export function introduce({ screen, sandbox, url }: Stage): void {
  screen.heading('The reloader at work, on this machine alone, in less than 30 seconds');
  screen.say(
    `An embedded API server, ${url}, holds the manifests of k8s/examples: three workloads, with annotations that name what they follow. Beside it runs the reloader, as a process of its own.`,
  );
  for (const ref of ALL) {
    screen.print(`  ${describe(ref)}, ${sandbox.podsOf(ref).length} pods`);
    screen.print(...annotationsOf(sandbox, ref).map((line) => `    ${line}`));
  }
  screen.say('What stands behind a time is its own log, without date and namespace.');
}
