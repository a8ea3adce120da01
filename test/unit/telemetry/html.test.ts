import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { escapeHtml, Html, html } from '../../../lib/telemetry/html.ts';
import { fc } from '../../laws.ts';

const HOSTILE = `<script>alert("1" & '2')</script>`;
const TAMED = '&lt;script&gt;alert(&quot;1&quot; &amp; &#39;2&#39;)&lt;/script&gt;';

describe('a template', () => {
  const cases: Record<string, [Html, string]> = {
    'escapes text in an element': [html`<b>${HOSTILE}</b>`, `<b>${TAMED}</b>`],
    'escapes text in an attribute': [html`<b id="${HOSTILE}">`, `<b id="${TAMED}">`],
    'takes markup as it is': [html`<b>${html`<i>${'&'}</i>`}</b>`, '<b><i>&amp;</i></b>'],
    'takes many in their order': [
      html`<ul>${['a', '<'].map((x) => html`<li>${x}</li>`)}</ul>`,
      '<ul><li>a</li><li>&lt;</li></ul>',
    ],
    'writes numbers': [html`${0} ${1.5}`, '0 1.5'],
    'leaves nothing for undefined and false': [html`a${undefined}b${false}c`, 'abc'],
    'keeps its own entities': [html`a\n&amp;`, 'a\n&amp;'],
    'takes our own constants as they are': [
      html`<style>${new Html('a > b {}')}</style>`,
      '<style>a > b {}</style>',
    ],
    'shows control characters': [html`${'a\u0000b\u001bc\u009bd\n\te'}`, 'a\ufffdb\ufffdc\ufffdd\n\te'],
  };
  for (const [name, [made, want]] of Object.entries(cases)) {
    test(name, () => assert.equal(String(made), want));
  }
});

test('escaped text holds nothing that begins or ends markup, and reads as it was', () => {
  const readAgain = (text: string): string =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&');
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('<', '>', '&', '"', "'", '&lt;'),
      (text, mark) => {
        const escaped = escapeHtml(text + mark + text);
        assert.doesNotMatch(escaped, /[<>"']|&(?!(amp|lt|gt|quot|#39);)/);
        assert.equal(readAgain(escaped), (text + mark + text).replace(/[^\P{Cc}\n\t]/gu, '\ufffd'));
      },
    ),
  );
});
