/** The tables of workloads: those out of date and why, those with findings, and those up to date. */

import type { Finding } from '../model/finding.ts';
import { POLICIES } from '../model/reasons.ts';
import type { FollowedStatus, State, WorkloadStatus } from '../model/status-report.ts';
import { secondsOf } from '../model/time.ts';
import { type Html, html } from './html.ts';
import { BECAUSE, breakable, lasting, listOf, section, timeWords } from './status-page-parts.ts';
import type { StatusRows } from './status-view.ts';

const BAD: readonly State[] = ['refused', 'halted', 'failing'];
/** How many objects a row names; the outdated ones come first. */
const LONGEST_ROW = 12;
const OUTDATED = {
  id: 'outdated',
  title: 'Out of date or failing',
  columns: ['Workload', 'Outdated for', 'Why', 'What it waits for'],
};
const FINDINGS = { id: 'findings', title: 'Worth a look', columns: ['Workload', 'Finding', 'Follows'] };
const CURRENT = { id: 'current', title: 'Up to date', columns: ['Workload', 'Follows'] };

/** The tables, in the order in which a person should read them; an empty one is left out. */
export function workloadSections(rows: StatusRows, now: Date): readonly (Html | undefined)[] {
  return [
    section(OUTDATED, rows.outdated, (row) => outdatedRow(row, now)),
    section(FINDINGS, rows.withFindings, findingRow),
    section(CURRENT, rows.current, currentRow),
  ];
}

function outdatedRow(workload: WorkloadStatus, now: Date): Html {
  const { outdatedForSeconds: seconds } = workload;
  return html`${rowHead(workload)}
<td data-label="outdated for">${seconds !== undefined && lasting(seconds)}</td>
<td data-label="why">${followed(workload.follows)}</td>
<td data-label="waits for">${waitingFor(workload, now)}${findingsOf(workload.findings)}</td></tr>
`;
}

function findingRow(workload: WorkloadStatus): Html {
  return html`${rowHead(workload)}
<td data-label="finding">${findingsOf(workload.findings)}</td>
<td data-label="follows">${followed(workload.follows)}</td></tr>
`;
}

function currentRow(workload: WorkloadStatus): Html {
  return html`${rowHead(workload)}
<td data-label="follows">${followed(workload.follows)}</td></tr>
`;
}

/** The begin of a row, with the id by which the page's script recognizes it after a refresh. */
function rowHead({ namespace, workload, state, follows }: WorkloadStatus): Html {
  return html`<tr id="w:${namespace}/${workload}"><th scope="row"><code>${workload}</code> <span class="place">${namespace}</span>${state !== 'healthy' && follows.length > 0 && html` <span class="reason${BAD.includes(state) && ' is-bad'}">${state}</span>`}</th>`;
}

function waitingFor({ waiting, state }: WorkloadStatus, now: Date): Html {
  if (waiting === undefined) return html`${state === 'failing' && 'Its pods did not get ready.'}`;
  const { reason, message, until } = waiting;
  const seconds = secondsOf(Date.parse(until ?? '') - now.getTime());
  const next =
    until !== undefined &&
    html` Next look <span class="time countdown" data-in="${seconds}">${timeWords(seconds, true)}</span>.`;
  return html`<p class="why">${breakable(message)} <span class="reason">${reason}</span>${next}</p>`;
}

function findingsOf(findings: readonly Finding[]): Html[] {
  return findings.map(
    ({ reason, message }) =>
      html`<p class="finding">${breakable(message)} <span class="reason">${reason}</span></p>`,
  );
}

function followed(follows: readonly FollowedStatus[]): Html {
  if (follows.length === 0) return html`<p class="soft">nothing</p>`;
  const sorted = follows.toSorted((a, b) => Number(b.isOutdated) - Number(a.isOutdated));
  return listOf(sorted.slice(0, LONGEST_ROW).map(followedItem), sorted.length);
}

function followedItem(followed: FollowedStatus): Html {
  const { object, isOutdated, why } = followed;
  const name = html`<code>${object}</code>`;
  if (!isOutdated) return html`<li>${name} <span class="soft">${presentOf(followed)}</span></li>`;
  return html`<li class="is-outdated">${name} ${digestsOf(followed)}<br><span class="why">${why && BECAUSE[why]}</span></li>`;
}

function digestsOf({ runningDigest, observed }: FollowedStatus): Html {
  const from = runningDigest === undefined || runningDigest === '?' ? 'unknown' : runningDigest;
  return html`<span class="digests"><span class="unseen">pods run </span><span class="digest">${from}</span><span aria-hidden="true"> &rarr; </span><span class="unseen">, current is </span><span class="digest">${observed ?? 'nothing'}</span></span>`;
}

function presentOf({ observed, committed, policy }: FollowedStatus): Html {
  if (!policy.asks) return html`is not asked for: ${POLICIES[policy.because]}`;
  if (observed === undefined)
    return committed === undefined
      ? html`does not exist yet`
      : html`is gone; nothing is rolled until it returns`;
  const isRecorded = observed === committed;
  return html`<span class="digest">${observed}</span>${!isRecorded && ' being recorded'}`;
}
