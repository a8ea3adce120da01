/** The parts of every section of the status page: a heading, and a table labelled by it. */

import { type Html, html } from './html.ts';
import { timeWords } from './status-page-words.ts';
import type { Rows } from './status-view.ts';

/** The title of a section, and the heads of its columns. */
export interface SectionHead {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly string[];
}

/** A section with a table of `rows`, and the number of rows beyond its limit; undefined without rows. */
export function section<T>(
  { id, title, columns }: SectionHead,
  { shown, total }: Rows<T>,
  rowOf: (row: T) => Html,
): Html | undefined {
  if (total === 0) return undefined;
  return html`<section id="${id}">
<h2 id="${id}-title">${title} <span class="total">${total.toLocaleString('en')}</span></h2>
<table aria-labelledby="${id}-title">
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${shown.map(rowOf)}</tbody>
</table>
${more(total - shown.length)}</section>
`;
}

function more(rest: number): Html | undefined {
  if (rest <= 0) return undefined;
  return html`<p class="more">${rest.toLocaleString('en')} more are not shown: find them by their name, or read <a href="status.json">status.json</a>.</p>
`;
}

/** The items, and how many more of all `total` there are. */
export function listOf(items: readonly Html[], total: number): Html {
  const rest = total - items.length;
  return html`<ul class="follows">${items}${rest > 0 && html`<li class="soft">and ${rest} more</li>`}</ul>`;
}

/** A duration that the page's script counts on. */
export function lasting(seconds: number): Html {
  return html`<span class="time" data-for="${seconds}">${timeWords(seconds, false)}</span>`;
}

/** `text` with a possible line break after each slash, since annotations and addresses are long. */
export function breakable(text: string): Html {
  const [first = '', ...rest] = text.split(/(?<=\/)/);
  return html`${first}${rest.map((part) => html`<wbr>${part}`)}`;
}
