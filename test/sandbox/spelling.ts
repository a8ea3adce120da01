/** How the server spells pod templates: another version of it says, or leaves out, what means the same to all controllers. */

const TEMPLATE = '"template":{"metadata":{';
const NULL_TIMESTAMP = '"creationTimestamp":null,';

/** One spelling at a time; `turn` changes to the other one. */
export class Spelling {
  #saysNull = false;

  /** From now on templates are spelled the other way. */
  turn(): void {
    this.#saysNull = !this.#saysNull;
  }

  /** JSON as it is sent. */
  of(text: string): string {
    return this.#saysNull ? text.replaceAll(TEMPLATE, TEMPLATE + NULL_TIMESTAMP) : text;
  }
}
