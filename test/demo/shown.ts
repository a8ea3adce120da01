/** The demo's output as README shows it: some of its paragraphs, whole, in their order; `…` stands for the others. */

/** What README leaves out is this line. */
const LEFT_OUT = '…';
const BLOCK = /(?<=<!-- demo -->\n\n```text\n)[\s\S]*?(?=\n```)/;

/** The paragraphs that README shows. */
export function shownIn(readme: string): readonly string[] {
  const block = BLOCK.exec(readme)?.[0] ?? '';
  return block.split('\n\n').filter((paragraph) => paragraph !== LEFT_OUT && paragraph !== '');
}

/** The paragraphs of `output` with the first lines of those that are shown. */
export function counterparts(shown: readonly string[], output: string): readonly (string | undefined)[] {
  const paragraphs = output.trim().split('\n\n');
  return shown.map((each) => paragraphs.find((paragraph) => titleOf(paragraph) === titleOf(each)));
}

/** `readme` with the paragraphs that it shows as they are in `output` now. */
export function refreshed(readme: string, output: string): string {
  const shown = shownIn(readme);
  const now = counterparts(shown, output);
  return readme.replace(BLOCK, (block) =>
    shown.reduce((text, each, index) => text.replace(each, () => withoutWaiting(now[index] ?? each)), block),
  );
}

/**
 * A paragraph without what differs from run to run: times, ports, random waits, the version, and the order of lines of the log that
 * follow each other.
 */
export function settled(paragraph: string): string {
  const joined = withoutWaiting(paragraph).replace(/\n {6}/g, ' ');
  const lines = joined
    .split('\n')
    .map((line) => VOLATILE.reduce((text, [what, word]) => text.replace(what, word), line));
  return sortedRuns(lines).join('\n');
}

const TIME = '  <time>';
const VOLATILE: readonly (readonly [RegExp, string])[] = [
  [/^ {2}\d\d:\d\d:\d\d\.\d{3}Z/, TIME],
  [/kubernetes-reloader \d+\.\d+\.\d+\S*/, 'kubernetes-reloader <version>'],
  [/port=\d+/, 'port=<port>'],
  [/127\.0\.0\.1:\d+/, '127.0.0.1:<port>'],
  [/next try in [\d.]+ m?s/, 'next try in <time>'],
  [/after \d+ s/, 'after <time>'],
];

/** The first line, without what varies in it. */
function titleOf(paragraph: string): string {
  return settled(paragraph.split('\n', 1)[0] ?? '');
}

function withoutWaiting(paragraph: string): string {
  return paragraph.replace(/^ {2}… waiting until .*\n?/gm, '').trimEnd();
}

function sortedRuns(lines: readonly string[]): readonly string[] {
  const runs: string[][] = [];
  for (const line of lines) {
    const run = runs.at(-1);
    if (run?.[0]?.startsWith(TIME) && line.startsWith(TIME)) run.push(line);
    else runs.push([line]);
  }
  return runs.flatMap((run) => run.sort());
}
