/** Graphs as pictures. Graphviz draws them; this file is loaded on demand, since its library is as large as the rest of the program. */

import { instance } from '@viz-js/viz';
import { count } from '../../model/text.ts';
import { COLOURS } from '../../telemetry/colours.ts';
import { type Html, html, verbatim } from '../../telemetry/html.ts';
import { unreadLines } from '../explain/explanation-text.ts';
import { dotOf } from './drawings.ts';
import type { Graph } from './graph.ts';

/** What a picture shows. */
export interface Caption {
  readonly title: string;
  /** RFC 3339. */
  readonly time: string;
}

/** Letters of one width: so wide as Graphviz takes them to be, whatever font a reader has. */
const LAYOUT = `
digraph reloader {
  bgcolor=transparent; nodesep=0.15; ranksep=1.2;
  node [fontname="Courier", fontsize=11, height=0.3, margin="0.15,0.05"];
  edge [arrowsize=0.7];
`;

/** Graphviz writes colours as attributes, which a style overrides. */
const STYLE = `${COLOURS}
.node path, .node polygon, .node polyline { fill: var(--sheet); stroke: var(--soft); }
.node text { fill: var(--ink); font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; }
.edge path { stroke: var(--soft); }
.edge polygon { fill: var(--soft); stroke: var(--soft); }
.outdated path, .outdated polygon { stroke: var(--bad); stroke-width: 1.6; }
.edge.outdated polygon { fill: var(--bad); }
.node.outdated text { fill: var(--bad); }
.unknown path, .unknown polygon, .absent path, .absent polygon, .absent polyline { stroke: var(--outdated); }
.edge.unknown polygon, .edge.absent polygon { fill: var(--outdated); }
.node.unknown text, .node.absent text { fill: var(--outdated); }
`;

const PAGE = `
body { margin: 0 auto; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
h1 { margin: 0; font-size: 1.5rem; font-weight: 500; overflow-wrap: anywhere; }
p, ul { margin: 0.25rem 0; }
.facts, .legend { color: var(--soft); }
.legend { padding: 0; list-style: none; display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.legend span { display: inline-block; width: 2rem; margin-right: 0.5rem; border-top: 2px solid var(--soft); vertical-align: middle; }
.legend .is-bad { border-color: var(--bad); }
.legend .is-doubtful { border-color: var(--outdated); }
.legend .is-left-alone { border-top-style: dashed; }
.unread { color: var(--outdated); }
figure { margin: 1rem 0; overflow-x: auto; }
`;

const LEGEND: readonly (readonly [mark: string, words: string])[] = [
  ['', 'its pods run what is in force'],
  ['is-bad', 'out of date'],
  ['is-doubtful', 'unknown, or the object does not exist'],
  ['is-left-alone', 'dashed: changes of the object do not roll the workload'],
];

/** The picture alone. */
export async function svgOf(graph: Graph, { title }: Caption): Promise<string> {
  const viz = await instance();
  const dot = dotOf(graph.edges).replace('digraph reloader {', LAYOUT);
  const drawn = viz.renderString(dot, { format: 'svg' });
  // Titles of nodes have only ids, and are shown as tips.
  const body = drawn.slice(drawn.indexOf('<svg')).replaceAll(/<title>.*?<\/title>\n/g, '');
  const end = body.indexOf('>') + 1;
  const head = html`<title>${title}</title><style>${verbatim(STYLE)}</style>`;
  return `${body.slice(0, end).replace('<svg', '<svg role="img"')}\n${head}${body.slice(end)}`;
}

/** A page with the picture, its legend, and what could not be read. */
export async function pageOf(graph: Graph, caption: Caption): Promise<string> {
  const page = html`<html lang="en">
<head>
<meta charset="utf-8">
<title>${caption.title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>${verbatim(COLOURS + PAGE)}</style>
</head>
<body>
<h1>${caption.title}</h1>
<p class="facts">${numbersOf(graph)}; as of <time>${caption.time}</time></p>
<ul class="legend">${LEGEND.map(([mark, words]) => html`<li><span class="${mark}"></span>${words}</li>`)}</ul>
${unreadLines(graph.unread).map((line) => html`<p class="unread">${line}</p>`)}
<figure>${verbatim(await svgOf(graph, caption))}</figure>
</body>
</html>
`;
  return `<!doctype html>\n${page}`;
}

function numbersOf({ edges }: Graph): Html {
  const numberOf = (keys: readonly string[]): number => new Set(keys).size;
  const outdated = edges.filter(({ pods }) => pods === 'out of date');
  const objects = count(numberOf(edges.map(({ object }) => object)), 'object');
  const workloads = count(numberOf(edges.map(({ workload }) => workload)), 'workload');
  return html`${objects}, ${workloads}, ${numberOf(outdated.map(({ workload }) => workload))} out of date`;
}
