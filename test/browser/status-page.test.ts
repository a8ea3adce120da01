/** The status page of the bundled program in a real browser. */

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { Cluster } from '../integration/harness.ts';
import { configMap, deploy, pair, put } from '../integration/manifests.ts';
import type { ReloaderProcess } from '../integration/reloader-process.ts';
import { launchBrowser, NO_BROWSER, type Visit, visit } from './browser.ts';
import { brightness, faintTexts, overhang, scrollsSideways, tabStops } from './probes.ts';

/** As long as a name can be, without a place to break it. */
const LONG = 'abcdefghi'.repeat(28);
const CALM = 'Every workload is up to date.';

function addressOf({ port }: ReloaderProcess): string {
  return `http://127.0.0.1:${port}/`;
}

async function lede(page: Page): Promise<string> {
  return await page.locator('.lede').innerText();
}

/** Nothing was complained of, and nobody else was asked for anything. */
function assertQuiet({ complaints, requests }: Visit, address: string): void {
  assert.deepEqual(complaints, []);
  assert.ok(requests.length > 0);
  assert.deepEqual(
    requests.filter((request) => !request.startsWith(`GET ${address}`) && !request.startsWith('GET data:')),
    [],
  );
}

describe('the status page in a browser', { skip: NO_BROWSER, concurrency: 3 }, () => {
  let browser: Browser;
  /** A cluster in which one workload is refused, one follows what does not exist, one is worth a look, and names are long. */
  let cluster: Cluster;
  let reloader: ReloaderProcess;

  before(async () => {
    browser = await launchBrowser();
    cluster = await Cluster.start();
    put(cluster, configMap(LONG), 'one');
    deploy(cluster, 'absent', { follows: { ConfigMap: [LONG, 'not-there'] } });
    for (const name of ['refused', 'calm']) put(cluster, configMap(name), 'one');
    deploy(cluster, 'refused', { follows: { ConfigMap: ['refused', LONG] } });
    deploy(cluster, 'calm');
    const annotations = { ConfigMap: 'reloader.k8s.collaborne.com/configmaps' };
    deploy(cluster, 'mistyped', { annotations, follows: { ConfigMap: ['calm'] } });
    reloader = await cluster.reloader();
    const message = `admission webhook "guard" denied the request: see https://guard.example.com/${LONG}/${LONG}`;
    cluster.sandbox.addFault({
      match: { verb: 'patch', resource: 'deployments' },
      times: 'always',
      effect: { kind: 'status', code: 403, message },
    });
    put(cluster, configMap('refused'), 'two');
    await reloader.hasSaid(/Deployment\/refused is refused/);
  });
  after(async () => {
    await browser?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const open = (options?: BrowserContextOptions): Promise<Visit> =>
    visit(browser, addressOf(reloader), options);

  test('shows a change that arrives, its countdown and its rollout, while nobody touches it', async () => {
    await using own = await Cluster.start();
    await pair(own, 'web');
    const process = await own.reloader({ periodMs: 20_000 });
    await using opened = await visit(browser, addressOf(process));
    const { page } = opened;
    // It would be gone if the document were loaded anew.
    await page.evaluate(`setInterval(() => {
      window.counted ??= new Set();
      for (const { textContent } of document.querySelectorAll('#outdated .countdown')) counted.add(textContent);
    }, 50)`);
    assert.equal(await lede(page), CALM);
    const before = await page.locator('#current .digest').innerText();
    put(own, configMap('web'), 'two');
    await page.getByText('1 workload needs a rollout').waitFor();
    assert.match(await page.title(), /^1 outdated · /);
    const row = await page.locator('#outdated tbody tr').innerText();
    assert.match(row, /Deployment\/web\s+default\s.*ConfigMap\/web.*the content changed.*Next look/s);
    await own.until('it is rolled', async () => (await lede(page)) === CALM, 90_000);
    const counted = await page.evaluate<string[]>('[...window.counted]');
    const seconds = counted.flatMap((text) => /^in (\d+).s$/.exec(text)?.[1] ?? []).map(Number);
    assert.ok(seconds.length >= 2, `${counted}`);
    assert.deepEqual(
      seconds,
      seconds.toSorted((a, b) => b - a),
    );
    assert.match(
      await page.locator('#decisions tbody tr').first().innerText(),
      /Deployment\/web rolled: 1 source/,
    );
    assert.notEqual(await page.locator('#current .digest').innerText(), before);
    assertQuiet(opened, addressOf(process));
  });

  test('keeps focus, scroll position, what is folded open and what is typed while it changes', async () => {
    await using own = await Cluster.start();
    for (let i = 0; i < 30; i += 1) {
      put(own, configMap(`w${i}`), 'one');
      deploy(own, `w${i}`);
    }
    const process = await own.reloader({ periodMs: 60_000 });
    await using opened = await visit(browser, addressOf(process), { viewport: { width: 900, height: 500 } });
    const { page } = opened;
    await page.getByRole('searchbox').fill('half a na');
    const summary = page.getByText('What the words mean');
    await summary.click();
    const before = await summary.boundingBox();
    put(own, configMap('w7'), 'two');
    await page.locator('#outdated').waitFor({ state: 'attached' });
    const now = await summary.boundingBox();
    assert.ok(before !== null && now !== null && Math.abs(before.y - now.y) <= 2, `${before?.y} → ${now?.y}`);
    assert.equal(await page.evaluate('document.activeElement.localName'), 'summary');
    assert.equal(await page.locator('details[open]').count(), 1);
    assert.equal(await page.getByRole('searchbox').inputValue(), 'half a na');
    assert.equal(await page.locator('tr[id="w:default/Deployment/w7"]').count(), 1);
    assertQuiet(opened, addressOf(process));
  });

  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [name, width] of [
      ['a phone', 360],
      ['a desk', 1280],
    ] as const) {
      test(`is ${colorScheme} where that is wished for, legible and not too wide for ${name}`, async () => {
        await using opened = await open({ colorScheme, viewport: { width, height: 740 } });
        const { page } = opened;
        await page.getByText('What the words mean').click();
        assert.match(await page.locator('#outdated').innerText(), /guard/);
        assert.match(await page.locator('#findings').innerText(), /Deployment\/mistyped/);
        assert.equal((await brightness(page)) > 128, colorScheme === 'light');
        assert.deepEqual(await faintTexts(page), []);
        assert.deepEqual(await overhang(page), []);
        assert.equal(await scrollsSideways(page), false);
        assertQuiet(opened, addressOf(reloader));
      });
    }
  }

  test('shows a change in stages on any screen, with commands that can be copied, also without JavaScript', async () => {
    await using own = await Cluster.start();
    put(own, configMap('staged'), 'one');
    for (const name of ['first', 'second', 'third'])
      deploy(own, name, { follows: { ConfigMap: ['staged'] } });
    const process = await own.reloader({ flags: ['--stages=1', '--stage-soak=1h'] });
    put(own, configMap('staged'), 'two');
    await process.hasSaid(/Deployment\/first rolled/);
    for (const [colorScheme, width] of [
      ['light', 360],
      ['dark', 1280],
    ] as const) {
      const view = { colorScheme, viewport: { width, height: 740 }, javaScriptEnabled: width > 360 };
      await using opened = await visit(browser, addressOf(process), view);
      const { page } = opened;
      await own.until('the first one soaks', async () => {
        await page.reload();
        return /has to stay ready/.test(await page.locator('main').innerText());
      });
      const row = await page
        .getByRole('table', { name: 'Changes in progress' })
        .locator('tbody tr')
        .innerText();
      assert.match(row, /ConfigMap\/staged\s+default\s.*Stage 1 of 2: 1 of 3 begun, 0 ready\./s);
      assert.match(row, /Deployment\/first\s+it has to stay ready for the soak/s);
      assert.equal(await page.getByRole('progressbar', { name: 'ready workloads' }).count(), 1);
      assert.deepEqual(await faintTexts(page), []);
      assert.deepEqual(await overhang(page), []);
      assert.equal(await scrollsSideways(page), false);
      assertQuiet(opened, addressOf(process));
    }
  });

  for (const width of [360, 1280]) {
    test(`has tables with heads and names for those who do not see it, ${width} pixels wide`, async () => {
      await using opened = await open({ viewport: { width, height: 740 } });
      const { page } = opened;
      const outdated = page.getByRole('table', { name: 'Out of date or failing' });
      assert.deepEqual(await outdated.getByRole('columnheader').allInnerTexts(), [
        'Workload',
        'Outdated for',
        'Why',
        'What it waits for',
      ]);
      assert.match(await outdated.getByRole('rowheader').innerText(), /Deployment\/refused/);
      assert.equal(await page.getByRole('status').first().count(), 1);
      assert.deepEqual(await page.getByRole('heading', { level: 2 }).allInnerTexts().then(words), [
        'Out of date or failing',
        'Worth a look',
        'Up to date',
        'Last decisions',
        'Watches',
      ]);
    });
  }

  test('can be used with the keyboard alone', async () => {
    await using opened = await open();
    const { page } = opened;
    const stops = ['Find a workload or an object', 'Find', 'Pause', 'What the words mean'];
    const links = ['status.json', 'metrics', 'healthz', 'readyz'];
    const [glossary = '', ...controls] = stops.toReversed();
    assert.deepEqual(await tabStops(page), [...controls.toReversed(), glossary, ...links]);
    await page.getByRole('searchbox').focus();
    await page.keyboard.type('CALM');
    await page.keyboard.press('Enter');
    await page.getByText('Only what contains “CALM”: 1 workload.').waitFor();
    assert.equal(await page.locator('#outdated').count(), 0);
    assert.match(await lede(page), /^1 workload needs a rollout/);
    await page.getByText('Show everything').focus();
    await page.keyboard.press('Enter');
    await page.locator('#outdated').waitFor();
    assertQuiet(opened, addressOf(reloader));
  });

  test('stands still when it is told to, and goes on when it is told to', async () => {
    await using opened = await open();
    const { page, requests } = opened;
    await page.clock.install();
    await page.reload();
    const asksAgain = async (): Promise<void> => {
      const before = requests.length;
      await cluster.until('it asks again', async () => {
        await page.clock.runFor(10_000);
        return requests.length > before;
      });
    };
    await asksAgain();
    await page.getByRole('button', { name: 'Pause' }).click();
    const before = requests.length;
    await page.clock.runFor(120_000);
    assert.equal(requests.length, before);
    await page.getByRole('button', { name: 'Go on' }).click();
    await asksAgain();
  });

  test('goes on counting while an answer is under way', async () => {
    await using opened = await open();
    const { page } = opened;
    await page.route('**', () => undefined);
    const shown = new Set<string>();
    await cluster.until('three seconds are counted', async () => {
      shown.add(await page.locator('#outdated [data-for]').innerText());
      return shown.size > 3;
    });
  });

  test('says that it is no longer fresh while the reloader does not answer', async () => {
    await using opened = await open();
    const { page } = opened;
    const lost = page.getByText('No answer from the reloader');
    await page.route('**', (route) => route.abort());
    await lost.waitFor();
    await page.unroute('**');
    await lost.waitFor({ state: 'detached' });
    assert.match(await lede(page), /^1 workload needs a rollout/);
  });

  test('says the same without JavaScript', async () => {
    await using opened = await open({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    const { page } = opened;
    let text = await page.locator('body').innerText();
    // During an attempt the page has no time of the next one.
    for (let reloads = 0; reloads < 20 && !text.includes('Next look'); reloads += 1) {
      await page.reload();
      text = await page.locator('body').innerText();
    }
    for (const words of [
      /1 workload needs a rollout/,
      /Deployment\/refused/,
      /Next look\s+(in \d+.s|now)/,
      /guard/,
      /does not exist yet/,
    ])
      assert.match(text, words);
    assert.equal(await page.getByRole('button', { name: 'Pause' }).count(), 0);
    await page.getByRole('searchbox').fill('calm');
    await page.getByRole('button', { name: 'Find' }).click();
    await page.getByText('Only what contains “calm”: 1 workload.').waitFor();
    assertQuiet(opened, addressOf(reloader));
  });

  test('refuses whatever is not its own', async () => {
    await using opened = await open();
    const { page, complaints } = opened;
    const attempts: Record<string, string> = {
      image:
        "const i = document.createElement('img'); i.src = 'http://127.0.0.1:9/x'; document.body.append(i)",
      frame:
        "const f = document.createElement('iframe'); f.src = 'http://127.0.0.1:9/'; document.body.append(f)",
      style: "document.body.setAttribute('style', 'color: red')",
      script:
        "const s = document.createElement('script'); s.append('window.wasRun = 1'); document.body.append(s)",
      markup: "try { document.body.innerHTML = '<b>'; } catch {}",
    };
    for (const [name, attempt] of Object.entries(attempts)) {
      const before = complaints.length;
      await page.evaluate(`(() => { ${attempt} })()`);
      await cluster.until(`the ${name} is complained of`, () => complaints.length > before);
    }
    assert.equal(await page.evaluate('window.wasRun'), undefined);
    assert.match(await lede(page), /^1 workload needs a rollout/);
  });
});

/** Headings without the numbers behind them. */
function words(texts: readonly string[]): string[] {
  return texts.map((text) => text.replace(/\s*\d+$/, ''));
}
