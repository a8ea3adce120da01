/** The parts above and below the tables: the search, the summary, and links to the other pages. */

import { STATES, type StatusReport, type WorkloadStatus } from '../model/status-report.ts';
import { count, listedText } from '../model/text.ts';
import { type Html, html } from './html.ts';
import { lasting } from './status-page-parts.ts';
import { type About, isCurrent, namespacesOf, type StatusRows } from './status-view.ts';

/** The name, the search, and the button that stops refreshes. */
export function header(find: string, { clusterName, isDryRun }: About): Html {
  return html`<header>
<h1>kubernetes-reloader${clusterName && html` <span class="cluster">${clusterName}</span>`}</h1>
<form role="search">
<label for="find" class="unseen">Find a workload or an object</label>
<input id="find" name="find" type="search" value="${find}" placeholder="workload or object" maxlength="253" autocomplete="off" autocapitalize="off" spellcheck="false">
<button>Find</button>
</form>
<button id="pause" type="button" hidden>Pause</button>
</header>
<p id="lost" role="status"></p>
${isDryRun && html`<p class="dry">Dry run: rollouts are only reported, nothing is written.</p>`}`;
}

/** The summary in one sentence, and the facts behind it. */
export function lede(report: StatusReport, now: Date): Html {
  const clock = now.toISOString().slice(11, 19);
  return html`<p class="lede" role="status">${sentence(report)}</p>
<p class="facts">${leaderFact(report)} ${watchFact(report)} As of <time class="time" datetime="${now.toISOString()}">${clock}</time> UTC.</p>
${report.isReady && report.leader?.isThis !== false && followers(report.workloads).length === 0 && HINT}`;
}

/** The line above the tables that says which search limits them. */
export function filterLine(find: string, { outdated, withFindings, current }: StatusRows): Html {
  const total = outdated.total + withFindings.total + current.total;
  return html`<p class="filter">Only what contains &ldquo;${find}&rdquo;: ${count(total, 'workload')}. <a id="all" href="?">Show everything</a></p>`;
}

/** The version and scope of the program, and links to its other pages. */
export function footer(about: About): Html {
  const { version, state } = about;
  return html`<footer>
<p>Version ${version} watches ${namespacesOf(about)}. It remembers digests in the ConfigMap <code>${state}</code>, and nothing else.</p>
<nav aria-label="Other pages"><a href="status.json">status.json</a> <a href="metrics">metrics</a> <a href="healthz">healthz</a> <a href="readyz">readyz</a></nav>
</footer>`;
}

const HINT: Html = html`<p>A workload follows what its annotation lists, for example:
<code>kubectl annotate deployment/web reloader.k8s.collaborne.com/configmap=web</code></p>`;

function sentence({ isReady, waitingFor, workloads, leader }: StatusReport): string {
  if (!isReady) return `Not ready: waiting for ${listedText(waitingFor, 3)}.`;
  if (leader?.isThis === false)
    return 'A standby: another process leads, and knows which workloads are out of date.';
  const all = followers(workloads);
  if (all.length === 0) return 'Nothing follows anything yet.';
  if (all.every(isCurrent)) return 'Every workload is up to date.';
  const outdated = all.filter(({ isOutdated }) => isOutdated).length;
  const counts = STATES.flatMap((state) => {
    const { length } = all.filter((each) => each.state === state);
    return length > 0 ? [`${length} ${state}`] : [];
  });
  return `${count(outdated, 'workload')} ${outdated === 1 ? 'needs' : 'need'} a rollout: ${counts.join(', ')}.`;
}

/** Without the workloads that follow nothing and are listed only for a finding. */
function followers(workloads: readonly WorkloadStatus[]): readonly WorkloadStatus[] {
  return workloads.filter(({ follows }) => follows.length > 0);
}

/** The leader, if there is an election. */
function leaderFact({ leader }: StatusReport): Html | undefined {
  if (leader === undefined) return undefined;
  const { isThis, identity, sinceSeconds } = leader;
  if (identity === undefined) return html`No process leads.`;
  const age = sinceSeconds !== undefined && html` for ${lasting(sinceSeconds)}`;
  return html`${isThis ? 'This process leads' : 'The leader is'} <code>${identity}</code>${age}.`;
}

function watchFact({ watches }: StatusReport): Html {
  const down = watches.filter(({ isUp }) => !isUp).length;
  if (watches.length === 0) return html`No watch is open yet.`;
  if (down === 0) return html`All ${watches.length} watches are open.`;
  const verb = down === 1 ? 'is' : 'are';
  return html`<strong class="is-bad">${down} of ${watches.length} watches ${verb} down.</strong>`;
}
