/** The table of changes that go to their workloads in stages: how far, what they wait for, and how a person stops them. */

import type { ChangeStatus } from '../model/status-report.ts';
import { type Html, html } from './html.ts';
import { breakable, listOf, section } from './status-page-parts.ts';
import type { StatusRows } from './status-view.ts';

const CHANGES = {
  id: 'changes',
  title: 'Changes in progress',
  columns: ['Object', 'How far it has come', 'What it waits for', 'Who is next'],
};

/** How many of those that are next a row names. */
const MOST_NEXT = 5;

/** The section; undefined if no change is in progress. */
export function changesSection({ changes }: StatusRows): Html | undefined {
  return section(CHANGES, changes, changeRow);
}

function changeRow(change: ChangeStatus): Html {
  const { namespace, object, stage, stages, total, begun, ready } = change;
  return html`<tr id="c:${namespace}/${object}">
<th scope="row"><code>${object}</code> <span class="place">${namespace}</span></th>
<td data-label="how far"><progress max="${Math.max(total, 1)}" value="${ready}" aria-label="ready workloads"></progress>
<p>Stage ${stage} of ${stages}: ${begun} of ${total} begun, ${ready} ready.</p></td>
<td data-label="waits for">${haltLine(change)}${unreadyList(change)}${change.commands.map(commandLine)}</td>
<td data-label="next">${nextList(change)}</td></tr>
`;
}

function haltLine({ halted }: ChangeStatus): Html | undefined {
  if (halted === undefined) return undefined;
  return html`<p class="problem">Halted: ${breakable(halted)}. It goes on with another content, or by a person.</p>`;
}

function unreadyList({ unready, begun, ready }: ChangeStatus): Html | undefined {
  if (unready.length === 0) return undefined;
  const items = unready.map(
    ({ workload, why }) => html`<li><code>${workload}</code> <span class="why">${breakable(why)}</span></li>`,
  );
  return listOf(items, begun - ready);
}

function nextList({ next, waiting, halted }: ChangeStatus): Html {
  if (waiting === 0) return html`<p class="soft">nobody</p>`;
  const items = next.slice(0, MOST_NEXT).map((workload) => html`<li><code>${workload}</code></li>`);
  return html`${halted !== undefined && html`<p class="soft">nobody before it goes on; then</p>`}${listOf(items, waiting)}`;
}

const TO: Readonly<Record<ChangeStatus['commands'][number]['to'], string>> = {
  stop: 'Stop it',
  'go on': 'Let it go on',
};

function commandLine({ to, command }: ChangeStatus['commands'][number]): Html {
  return html`<p class="command"><span class="soft">${TO[to]}:</span> <code>${breakable(command)}</code></p>`;
}
