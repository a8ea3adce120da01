/** Every relative link of the documents leads to a file that is there, and to a heading of it. */

import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const ROOT = path.resolve(import.meta.dirname, '..');
const LINK = /\[[^\]]*\]\((?<target>[^)\s]+)\)/g;

function textOf(file: string): string {
  // What stands in a block of code is no link and no heading.
  return readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}

/** The anchors that GitHub gives to the headings of `file`. */
function anchorsOf(file: string): Set<string> {
  const headings = textOf(file).matchAll(/^#+ (?<heading>.+)$/gm);
  return new Set(
    [...headings].map(({ groups }) =>
      (groups?.['heading'] ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

function problemOf(page: string, target: string): string | undefined {
  const [relative = '', anchor] = target.split('#');
  const file = relative === '' ? page : path.resolve(path.dirname(page), relative);
  if (!existsSync(file)) return `${target}: there is no such file`;
  if (anchor !== undefined && !anchorsOf(file).has(anchor)) return `${target}: there is no such heading`;
  return undefined;
}

const pages = globSync(['*.md', 'docs/**/*.md', 'k8s/**/*.md'], { cwd: ROOT });

for (const page of pages) {
  test(`the links of ${page} lead somewhere`, () => {
    const file = path.join(ROOT, page);
    const targets = [...textOf(file).matchAll(LINK)].map(({ groups }) => groups?.['target'] ?? '');
    const problems = targets
      .filter((target) => !/^[a-z]+:/.test(target))
      .map((target) => problemOf(file, target))
      .filter((problem) => problem !== undefined);
    assert.deepEqual(problems, []);
  });
}

test('the pages are found', () => {
  assert.ok(pages.includes('README.md') && pages.includes('docs/explanation/how-it-decides.md'));
});
