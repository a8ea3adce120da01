/** The status page: one HTML document without anything from elsewhere. */

import { createHash } from 'node:crypto';
import type { StatusReport } from '../model/status-report.ts';
import { Html, html } from './html.ts';
import { filterLine, footer, header, lede } from './status-page-frame.ts';
import { changesSection, recordSections, wordsSection } from './status-page-records.ts';
import { SCRIPT } from './status-page-script.ts';
import { STYLE } from './status-page-style.ts';
import { workloadSections } from './status-page-workloads.ts';
import { type About, rowsOf } from './status-view.ts';

/** The data of the page. */
export interface StatusPage {
  /** Only rows with this text are shown; empty: all. */
  readonly find: string;
  readonly about: About;
  readonly report: StatusReport;
  readonly now: Date;
}

/** Two arrows that follow each other, in ink that shows on light and dark. */
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16' fill='none' stroke='%23b5651d' stroke-width='2' stroke-linecap='round'%3E%3Cpath d='M13 8a5 5 0 0 1-9 3M3 8a5 5 0 0 1 9-3M12 2v3H9M4 14v-3h3'/%3E%3C/svg%3E";

/** The page may load nothing, run only its own script, and stand in no other page. */
export const STATUS_PAGE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${hashOf(STYLE)}`,
    `script-src ${hashOf(SCRIPT)}`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** What the query of an address asks for: `?find=web`. */
export function findOf(query: string): string {
  return (new URLSearchParams(query).get('find') ?? '').trim();
}

/** The whole document. */
export function statusPage({ about, report, find, now }: StatusPage): string {
  const rows = rowsOf(report, find);
  const outdated = report.workloads.filter(({ isOutdated }) => isOutdated).length;
  const document = html`<html lang="en">
<head>
<meta charset="utf-8">
<title>${outdated > 0 && `${outdated} outdated · `}${about.clusterName && `${about.clusterName} · `}kubernetes-reloader</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<link rel="icon" href="${ICON}">
<style>${new Html(STYLE)}</style>
</head>
<body>
${header(find, about)}
<main tabindex="-1">
${lede(report, now)}
${find !== '' && filterLine(find, rows)}
${changesSection(rows)}${workloadSections(rows, now)}${recordSections(rows, now)}${wordsSection(rows)}
</main>
${footer(about)}
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`;
  return `<!doctype html>\n${document}`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
