/** What every section of the status page is built of: a heading and a table that it names. */

import { type Html, html } from './html.ts';
import type { Rows } from './status-view.ts';

/** What a section is called, and the heads of its columns. */
export interface SectionHead {
  readonly id: string;
  readonly title: string;
  readonly columns: readonly string[];
}

/** A section with a table of `rows`, and below it how many more there are; undefined without any. */
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

/** `text` that may be broken after each slash: annotations and addresses are long. */
export function breakable(text: string): Html {
  const [first = '', ...rest] = text.split(/(?<=\/)/);
  return html`${first}${rest.map((part) => html`<wbr>${part}`)}`;
}
