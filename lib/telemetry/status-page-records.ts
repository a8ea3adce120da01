/** The tables of changes in stages, of the last decisions and of the watches, and the glossary of the page. */

import type { WatchStatus } from '../model/health.ts';
import { REASONS } from '../model/reasons.ts';
import type { ChangeStatus, Decision } from '../model/status-report.ts';
import { type Html, html } from './html.ts';
import { breakable, lasting, listOf, section } from './status-page-parts.ts';
import type { StatusRows } from './status-view.ts';

const DECISIONS = {
  id: 'decisions',
  title: 'Last decisions',
  columns: ['Time (UTC)', 'Reason', 'Decision'],
};
const WATCHES = {
  id: 'watches',
  title: 'Watches',
  columns: ['Stream', 'State', 'Last sign of life', 'Came to an end'],
};

/** The last decisions, without the date where it is that of `now`, and the state of each watch. */
export function recordSections(rows: StatusRows, now: Date): readonly (Html | undefined)[] {
  const today = now.toISOString().slice(0, 10);
  return [
    section(DECISIONS, rows.decisions, (decision) => decisionRow(decision, today)),
    section(WATCHES, rows.watches, watchRow),
  ];
}

/** The glossary: a few words that are always there, and the reasons that the page names. */
export function wordsSection({ outdated, withFindings, decisions }: StatusRows): Html {
  const findings = [...outdated.shown, ...withFindings.shown].flatMap((workload) => workload.findings);
  const reasons = new Set([...findings, ...decisions.shown].map(({ reason }) => reason));
  const given = [...reasons].sort().map(
    (reason) => html`<dt class="reason">${reason}</dt><dd>${REASONS[reason]}</dd>
`,
  );
  return html`<details id="words"><summary>What the words mean</summary>
<dl>
<dt>out of date</dt><dd>The pods of the workload are not known to have started with the current content: the workload needs a rollout.</dd>
<dt class="digest">d8d3&hellip; &rarr; 5e64&hellip;</dt><dd>First digits of two digests: of the content that the pods started with, and of the current one.</dd>
<dt>being recorded</dt><dd>Not in the state ConfigMap yet: it is written once the outdated workloads have been rolled, or are recorded as behind.</dd>
${given}</dl>
</details>
`;
}

function decisionRow({ time, level, reason, message, namespace }: Decision, today: string): Html {
  const [date = '', clock = ''] = time.split('T');
  return html`<tr>
<td class="time" data-label="time"><time datetime="${time}">${date !== today && `${date} `}${clock.slice(0, 8)}</time></td>
<td class="${level === 'warn' ? 'reason is-bad' : 'reason'}" data-label="reason">${reason}</td>
<td data-label="decision">${breakable(message)}${namespace !== undefined && html` <span class="place">${namespace}</span>`}</td></tr>
`;
}

function watchRow(watch: WatchStatus): Html {
  const { stream, isUp, sinceSeconds, lastSignOfLifeSeconds, restarts, lastReason, problem } = watch;
  const sign =
    lastSignOfLifeSeconds === undefined ? html`none yet` : html`${lasting(lastSignOfLifeSeconds)} ago`;
  const ended = restarts === 0 ? 'never' : restarts === 1 ? 'once' : `${restarts.toLocaleString('en')} times`;
  return html`<tr id="s:${stream}">
<th scope="row">${stream}</th>
<td data-label="state"><span class="${isUp ? 'is-good' : 'is-bad'}">${isUp ? 'open' : 'down'}</span> for ${lasting(sinceSeconds)}${problem !== undefined && html`<p class="problem">${breakable(problem)}</p>`}</td>
<td data-label="last sign">${sign}</td>
<td data-label="ended">${ended}${lastReason !== undefined && `, last: ${lastReason}`}</td></tr>
`;
}

const CHANGES = {
  id: 'changes',
  title: 'Changes in progress',
  columns: ['Object', 'How far it has come', 'What it waits for'],
};

/** The section; undefined if no change is in progress. */
export function changesSection({ changes }: StatusRows): Html | undefined {
  return section(CHANGES, changes, changeRow);
}

function changeRow(change: ChangeStatus): Html {
  const { namespace, object, stage, stages, total, begun, ready, halted } = change;
  return html`<tr id="c:${namespace}/${object}">
<th scope="row"><code>${object}</code> <span class="place">${namespace}</span></th>
<td data-label="how far"><progress max="${Math.max(total, 1)}" value="${ready}" aria-label="ready workloads"></progress>
<p>Stage ${stage} of ${stages}: ${begun} of ${total} begun, ${ready} ready.</p></td>
<td data-label="waits for">${halted !== undefined && html`<p class="problem">${breakable(halted)}</p>`}${unreadyList(change)}</td></tr>
`;
}

function unreadyList({ unready, begun, ready }: ChangeStatus): Html | undefined {
  if (unready.length === 0) return undefined;
  const items = unready.map(
    ({ workload, why }) => html`<li><code>${workload}</code> <span class="why">${breakable(why)}</span></li>`,
  );
  return listOf(items, begun - ready);
}
