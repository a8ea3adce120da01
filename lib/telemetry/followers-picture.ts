/** The followers of one object as a picture: a star, which needs no library. Pure. */

import { createHash } from 'node:crypto';
import type { FollowedStatus, StatusReport } from '../model/status-report.ts';
import { count } from '../model/text.ts';
import { COLOURS } from './colours.ts';
import { type Html, html, verbatim } from './html.ts';

/** One workload that follows the object. */
interface Follower {
  readonly name: string;
  readonly status: FollowedStatus;
}

/** How many followers are drawn; those that are out of date come first. */
const MOST_SHOWN = 200;
/** The letters have one width, and fonts differ by little. */
const LETTER = 7.3;
const ROW = 30;
const MARGIN = 16;
/** Between the object and its followers. */
const GAP = 120;

const STYLE = `${COLOURS}
svg { background: var(--paper); }
text { fill: var(--ink); font: 12px ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
rect { fill: var(--sheet); stroke: var(--soft); }
path { fill: none; stroke: var(--soft); }
.soft { fill: var(--soft); }
.outdated rect, .outdated path { stroke: var(--bad); }
.outdated text { fill: var(--bad); }
.left-alone path { stroke-dasharray: 4 3; }
`;

/** The picture may load nothing, run nothing, and stand in no other page. */
export const PICTURE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
};

/** The address of the picture, from the status page; `object`: the key of a whole object. */
export function pictureOf(object: string): string {
  return `followers.svg?${new URLSearchParams({ object }).toString()}`;
}

/** The object that the query of an address asks for. */
export function objectIn(query: string): string {
  return new URLSearchParams(query).get('object') ?? '';
}

/** The picture; a text that is no object with followers is not repeated. */
export function followersPicture(report: StatusReport, object: string, now: Date): string {
  const followers = followersOf(report, object);
  const shown = followers.slice(0, MOST_SHOWN);
  const rest = followers.length - shown.length;
  const title =
    followers.length === 0 ? noneText(report) : `${nameOf(object)}: ${count(followers.length, 'follower')}`;
  const heading = `${title}, as of ${now.toISOString()}`;
  const left = MARGIN + widthOf(nameOf(object));
  const widths = shown.map((each) => left + GAP + widthOf(labelOf(each)));
  const width = Math.max(...widths, MARGIN + widthOf(heading)) + MARGIN;
  const rows = shown.length + Number(rest > 0);
  const height = 2 * MARGIN + (rows + 1) * ROW;
  const middle = MARGIN + ROW + (shown.length * ROW) / 2;
  const picture = html`<svg xmlns="http://www.w3.org/2000/svg" role="img" width="${width}" height="${height}">
<title>${title}</title>
<style>${verbatim(STYLE)}</style>
<text class="soft" x="${MARGIN}" y="${MARGIN + 8}">${heading}</text>
${shown.map((each, index) => followerRow(each, { left, middle, top: MARGIN + ROW * (index + 1) }))}
${shown.length > 0 && html`<g>${box(nameOf(object), MARGIN, middle - 12)}</g>`}
${rest > 0 && html`<text class="soft" x="${left + GAP}" y="${MARGIN + ROW * rows + 16}">${`\u2026 and ${rest} more`}</text>`}
</svg>
`;
  return picture.toString();
}

function followersOf({ workloads }: StatusReport, object: string): readonly Follower[] {
  const place = object.slice(0, object.indexOf('/'));
  const found = workloads.flatMap(({ namespace, workload, follows }) =>
    follows
      .filter(({ key }) => key === object)
      .map((status) => ({ name: namespace === place ? workload : `${workload} in ${namespace}`, status })),
  );
  return found.sort(
    (a, b) => Number(b.status.isOutdated) - Number(a.status.isOutdated) || (a.name < b.name ? -1 : 1),
  );
}

function followerRow(
  follower: Follower,
  { left, middle, top }: { readonly left: number; readonly middle: number; readonly top: number },
): Html {
  const [right, half, y] = [left + GAP, left + GAP / 2, top + 12];
  const { status } = follower;
  const look = `${status.isOutdated ? 'outdated' : ''} ${status.policy.asks ? '' : 'left-alone'}`.trim();
  return html`<g class="${look}"><path d="M ${left} ${middle} C ${half} ${middle} ${half} ${y} ${right} ${y}"/>${box(labelOf(follower), right, top)}</g>
`;
}

function box(text: string, x: number, y: number): Html {
  return html`<rect x="${x}" y="${y}" width="${widthOf(text)}" height="24" rx="3"/><text x="${x + 8}" y="${y + 16}">${text}</text>`;
}

function labelOf({ name, status }: Follower): string {
  return `${name}: ${stateOf(status)}`;
}

function stateOf({ isOutdated, observed, policy }: FollowedStatus): string {
  if (!policy.asks) return 'not rolled for it';
  if (isOutdated) return 'out of date';
  return observed === undefined ? 'the object does not exist' : 'up to date';
}

function noneText({ leader }: StatusReport): string {
  return leader?.isThis === false
    ? 'A standby does not know who follows an object'
    : 'No workload follows this object';
}

/** `<kind>/<name> in <namespace>`. */
function nameOf(object: string): string {
  const [namespace = '', ...name] = object.split('/');
  return `${name.join('/')} in ${namespace}`;
}

function widthOf(text: string): number {
  return Math.ceil(text.length * LETTER) + 16;
}
