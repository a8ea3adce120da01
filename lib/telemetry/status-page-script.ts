/**
 * The script of the status page. It loads the page every two seconds, less often if that takes long, and replaces only the
 * elements that differ, so that scroll position, focus and open details stay. Between loads it updates the durations. The page has
 * the same content without it.
 */

import { timeWords } from './status-page-parts.ts';

/** Runs in the browser, after the page. A failed load changes only the line that reports it. */
export const SCRIPT: string = `'use strict';
(() => {
const words = ${String(timeWords)};
const EVERY_MS = 2000, PATIENCE_MS = 10000, LONGEST_PAUSE_MS = 30000;
const main = document.querySelector('main');
const pause = document.getElementById('pause');
const lost = document.getElementById('lost');
let loadedAt = performance.now(), dueAt = 0, isPaused = false, isLoading = false;

/** Makes \`from\` what \`to\` is; elements with an id keep their identity wherever they move to. */
const morph = (from, to) => {
  if (from.isEqualNode(to)) return;
  if (from.nodeType !== Node.ELEMENT_NODE) { from.data = to.data; return; }
  for (const { name, value } of [...to.attributes])
    if (from.getAttribute(name) !== value) from.setAttribute(name, value);
  for (const { name } of [...from.attributes])
    if (name !== 'open' && !to.hasAttribute(name)) from.removeAttribute(name);
  const kept = new Map([...from.children].filter(({ id }) => id).map((child) => [child.id, child]));
  let spot = from.firstChild;
  for (const child of [...to.childNodes]) {
    const own = child.id ? kept.get(child.id) : spot && !spot.id && spot.nodeName === child.nodeName ? spot : undefined;
    if (own && own === spot) spot = spot.nextSibling;
    else from.insertBefore(own ?? child, spot);
    if (own) morph(own, child);
  }
  while (spot) { const gone = spot; spot = spot.nextSibling; gone.remove(); }
};

const count = () => {
  const passed = (performance.now() - loadedAt) / 1000;
  const show = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  for (const element of main.querySelectorAll('[data-in]')) show(element, words(element.dataset.in - passed, true));
  for (const element of main.querySelectorAll('[data-for]')) show(element, words(+element.dataset.for + passed, false));
};

const take = (page) => {
  const focused = document.activeElement;
  morph(main, page.querySelector('main'));
  document.title = page.title;
  loadedAt = performance.now();
  lost.textContent = '';
  if (document.activeElement === focused || focused === document.body) return;
  (focused.isConnected ? focused : main).focus({ preventScroll: true });
};

const load = () => {
  const askedAt = performance.now();
  if (isLoading || isPaused || document.hidden || askedAt < dueAt) return;
  isLoading = true;
  const request = new XMLHttpRequest();
  request.open('GET', location.href);
  request.responseType = 'document';
  request.timeout = PATIENCE_MS;
  request.onloadend = () => {
    isLoading = false;
    dueAt = performance.now() + Math.min(10 * (performance.now() - askedAt), LONGEST_PAUSE_MS);
    if (isPaused) return;
    if (request.status === 200 && request.response?.querySelector('main')) take(request.response);
    else if (!lost.textContent) lost.textContent = 'No answer from the reloader: what is shown is no longer fresh.';
  };
  request.send();
};

pause.hidden = false;
pause.onclick = () => {
  isPaused = !isPaused;
  dueAt = 0;
  pause.textContent = isPaused ? 'Go on' : 'Pause';
  load();
};
document.addEventListener('visibilitychange', load);
setInterval(load, EVERY_MS);
setInterval(() => { if (!isPaused && !lost.textContent) count(); }, 250);
})();
`;
