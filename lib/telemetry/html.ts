/** HTML made of constant markup and foreign text; all text is escaped. */

/** Markup: from `html`, or inserted without escaping, for constants of this program only. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** The parts of a template: text is escaped, markup is inserted as it is, `undefined` and `false` insert nothing. */
export type HtmlPart = string | number | Html | readonly (Html | undefined)[] | undefined | false;

/** A tag for templates. Attributes need double quotes; no part may be inserted into a script, style or comment. */
export function html(markup: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: markup }, ...parts.map(textOf)));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** `text` escaped for an element or a quoted attribute; control characters become visible. */
export function escapeHtml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
    .replace(/[^\P{Cc}\n\t]/gu, '\ufffd');
}

function textOf(part: HtmlPart): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.toString();
  if (typeof part === 'object') return part.join('');
  return escapeHtml(String(part));
}
