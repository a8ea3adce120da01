/** HTML put together from our own markup and foreign text: what is not markup of ours is escaped. */

/** Markup that was made by `html` or `verbatim`, and nothing else. */
export class Html {
  readonly #markup: string;

  constructor(markup: string) {
    this.#markup = markup;
  }

  toString(): string {
    return this.#markup;
  }
}

/** What a template may hold: text is escaped, markup stands as it is, `undefined` and `false` leave nothing. */
export type HtmlPart = string | number | Html | readonly Html[] | undefined | false;

/** A tag for templates. Attributes have to stand in double quotes; no part may stand in a script, style or comment. */
export function html(markup: TemplateStringsArray, ...parts: readonly HtmlPart[]): Html {
  return new Html(String.raw({ raw: markup }, ...parts.map(textOf)));
}

/** Takes `markup` as it is: for constants of this program only. */
export function verbatim(markup: string): Html {
  return new Html(markup);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** `text` as it has to be written in an element or in a quoted attribute; control characters become visible. */
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
