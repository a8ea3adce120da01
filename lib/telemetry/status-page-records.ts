/** The tables of the last decisions and of the watches, and the glossary of the page. */

import type { WatchStatus } from '../model/health.ts';
import { REASONS } from '../model/reasons.ts';
import type { Decision, OptionalKindStatus } from '../model/status-report.ts';
import { type Html, html } from './html.ts';
import { breakable, lasting, section } from './status-page-parts.ts';
import { ENDED } from './status-page-words.ts';
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
const OPTIONAL_KINDS = {
  id: 'kinds',
  title: 'Kinds that a cluster may lack',
  columns: ['Kind', 'State', 'Next'],
};

/** The last decisions, without the date where it is that of `now`, and the state of each watch and of each optional kind. */
export function recordSections(rows: StatusRows, now: Date): readonly (Html | undefined)[] {
  const today = now.toISOString().slice(0, 10);
  return [
    section(DECISIONS, rows.decisions, (decision) => decisionRow(decision, today)),
    section(WATCHES, rows.watches, watchRow),
    section(OPTIONAL_KINDS, rows.optionalKinds, optionalKindRow),
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
  return html`<tr id="s:${stream}">
<th scope="row">${stream}</th>
<td data-label="state"><span class="${isUp ? 'is-good' : 'is-bad'}">${isUp ? 'open' : 'down'}</span> for ${lasting(sinceSeconds)}${problem !== undefined && html`<p class="problem">${breakable(problem)}</p>`}</td>
<td data-label="last sign">${sign}</td>
<td data-label="ended">${ends(restarts)}${lastReason !== undefined && `, last: ${ENDED[lastReason]}`}</td></tr>
`;
}

function optionalKindRow({ kind, state, problem, next = '' }: OptionalKindStatus): Html {
  return html`<tr id="k:${kind}">
<th scope="row">${kind}</th>
<td data-label="state">${state}${problem !== undefined && html`<p class="problem">${breakable(problem)}</p>`}</td>
<td data-label="next">${next}</td></tr>
`;
}

function ends(restarts: number): string {
  if (restarts === 0) return 'never';
  return restarts === 1 ? 'once' : `${restarts.toLocaleString('en')} times`;
}
