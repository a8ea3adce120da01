/** Debian's Chromium for tests, and pages in it that take note of every complaint. */

import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Why tests with a browser are left out; false where they are not. */
export const NO_BROWSER: string | false = existsSync(CHROMIUM)
  ? false
  : `there is no ${CHROMIUM}: apt-get install --no-install-recommends chromium`;

/** Nothing but the page that is asked for is looked for in the network. */
const QUIET = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A browser with a new, empty profile. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: CHROMIUM,
    headless: true,
    chromiumSandbox: false,
    args: QUIET,
  });
}

/** A page, and what it complained of. */
export interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors and warnings of the console, scripts that threw, violations of the policy. */
  readonly complaints: readonly string[];
  /** All that was asked for, as `GET http://…`. */
  readonly requests: readonly string[];
}

/** Opens `url` in a context of its own. */
export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('request', (request) => requests.push(`${request.method()} ${request.url()}`));
  await page.goto(url);
  return { page, complaints, requests, [Symbol.asyncDispose]: () => context.close() };
}
