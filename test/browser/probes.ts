/** What is measured inside of a page: expressions that run there. */

import type { Page } from 'playwright-core';

/** Elements that reach beyond the left or right edge of the window. */
export async function overhang(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`[...document.querySelectorAll('body, body *')]
    .filter((element) => {
      const { width, left, right } = element.getBoundingClientRect();
      return width > 0 && (left < -0.5 || right > innerWidth + 0.5);
    })
    .map((element) => element.outerHTML.slice(0, 100))`);
}

/** Whether the window can be scrolled sideways. */
export async function scrollsSideways(page: Page): Promise<boolean> {
  return await page.evaluate('document.documentElement.scrollWidth > innerWidth');
}

/** Texts whose colour has a contrast of less than 4.5 to what is behind them. */
export async function faintTexts(page: Page): Promise<readonly string[]> {
  return await page.evaluate(`(() => {
    const channels = (colour) => colour.match(/[\\d.]+/g).map(Number);
    const luminance = ([r, g, b]) => {
      const [x, y, z] = [r, g, b].map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
      return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    const behind = (element) => {
      for (let at = element; at; at = at.parentElement) {
        const colour = channels(getComputedStyle(at).backgroundColor);
        if (colour.length === 3 || colour[3] > 0) return colour;
      }
      return [255, 255, 255];
    };
    const contrast = (colour, element) => {
      const [a, b] = [luminance(channels(colour)), luminance(behind(element))];
      return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    };
    const texts = [...document.querySelectorAll('body *')]
      .filter((element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ''))
      .map((element) => [element, getComputedStyle(element).color]);
    const input = document.querySelector('input');
    texts.push([input, getComputedStyle(input, '::placeholder').color]);
    return texts
      .map(([element, colour]) => ({ element, ratio: contrast(colour, element) }))
      .filter(({ ratio }) => ratio < 4.5)
      .map(({ element, ratio }) => ratio.toFixed(2) + ' ' + element.outerHTML.slice(0, 80));
  })()`);
}

/** How bright the page is, from 0 to 255. */
export async function brightness(page: Page): Promise<number> {
  return await page.evaluate(
    'Math.max(...getComputedStyle(document.documentElement).backgroundColor.match(/\\d+/g).map(Number))',
  );
}

/** What the Tab key stops at, from the beginning to the end of the page, as people would call it. */
export async function tabStops(page: Page): Promise<readonly string[]> {
  const stops: string[] = [];
  while (stops.length < 50) {
    await page.keyboard.press('Tab');
    const stop: string = await page.evaluate(`(() => {
      const element = document.activeElement;
      if (element === document.body) return '';
      const isMarked = getComputedStyle(element).outlineStyle !== 'none';
      return (isMarked ? '' : 'not marked: ') + (element.labels?.[0] ?? element).textContent.trim();
    })()`);
    if (stop === '' || stops[0] === stop) break;
    stops.push(stop);
  }
  return stops;
}
