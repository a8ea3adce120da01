/** The words and parts of the status page: durations, reasons; headings, and tables labelled by them. */

import type { OutdatedBecause } from '../model/status-report.ts';
import { type Html, html } from './html.ts';
import type { Rows } from './status-view.ts';

/**
 * A duration in its two largest units, `3 min 12 s`; as a countdown `in 4 s`, and `now` at the end. Its source is also
 * run by browsers: it may use nothing outside itself.
 */
export function timeWords(seconds: number, isCountdown: boolean): string {
  if (isCountdown && seconds <= 0) return 'now';
  let rest = Math.max(0, isCountdown ? Math.ceil(seconds) : Math.floor(seconds));
  const parts = [];
  for (const [unit, size] of Object.entries({ d: 86_400, h: 3600, min: 60, s: 1 })) {
    const amount = Math.floor(rest / size);
    rest -= amount * size;
    if (amount > 0) parts.push(`${amount}\u00a0${unit}`);
    else if (parts.length > 0) break;
  }
  const words = parts.slice(0, 2).join(' ') || '0\u00a0s';
  return isCountdown ? `in ${words}` : words;
}

/** Why the pods are out of date with an object, shown after its name. */
export const BECAUSE: Readonly<Record<OutdatedBecause, string>> = {
  content: 'the content changed',
  unknown: 'what the pods read is not known',
};

/** The title of a section, and the heads of its columns. */
interface SectionHead {
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
  const rest = total - shown.length;
  if (total === 0) return undefined;
  return html`<section id="${id}">
<h2 id="${id}-title">${title} <span class="total">${total.toLocaleString('en')}</span></h2>
<table aria-labelledby="${id}-title">
<thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
<tbody>
${shown.map(rowOf)}</tbody>
</table>
${
  rest > 0 &&
  html`<p class="more">${rest.toLocaleString('en')} more are not shown: find them by their name, or read <a href="status.json">status.json</a>.</p>
`
}</section>
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
