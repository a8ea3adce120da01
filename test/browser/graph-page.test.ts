/** The page of `reloader graph -o html` in a real browser, opened as a file. */

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { drawnAs } from '../../lib/commands/graph/graph.ts';
import { launchBrowser, NO_BROWSER, visit } from './browser.ts';
import { scrollsSideways } from './probes.ts';

/** As long as a name can be. */
const LONG = 'abcdefghi'.repeat(28);
const GRAPH = {
  edges: (['up to date', 'out of date', 'unknown', 'absent'] as const).map((pods) => {
    const object = `default/ConfigMap/${pods === 'absent' ? LONG : 'web'}`;
    return { object, workload: `default/Deployment/${pods.replaceAll(' ', '-')}`, asks: true, pods };
  }),
  unread: [{ kind: 'Secret', what: 'Secrets', why: 'you may not list it' }],
};

describe('the page of a graph in a browser', { skip: NO_BROWSER }, () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'reloader-graph-'));
  const file = path.join(folder, 'graph.html');
  let browser: Browser;
  before(async () => {
    browser = await launchBrowser();
    writeFileSync(file, (await drawnAs('html', GRAPH, { title: 'Who follows what', time: '' })) ?? '');
  });
  after(async () => {
    await browser.close();
    rmSync(folder, { recursive: true });
  });

  for (const colorScheme of ['light', 'dark'] as const)
    test(`shows each name whole, complains of nothing and asks for nothing, ${colorScheme}`, async () => {
      await using opened = await visit(browser, pathToFileURL(file).href, { colorScheme });
      const { page, complaints, requests } = opened;
      assert.deepEqual([complaints, requests.length], [[], 1]);
      assert.equal(await scrollsSideways(page), false);
      const cut = `[...document.querySelectorAll('.node')].filter((node) => {
        const [text, box] = ['text', 'polygon'].map((part) => node.querySelector(part).getBoundingClientRect());
        return text.left < box.left || text.right > box.right;
      }).length`;
      assert.equal(await page.evaluate(cut), 0);
      const bad = `getComputedStyle(document.querySelector('.node.outdated polygon')).stroke`;
      assert.equal(
        await page.evaluate(bad),
        colorScheme === 'light' ? 'rgb(163, 32, 15)' : 'rgb(255, 141, 120)',
      );
    });
});
