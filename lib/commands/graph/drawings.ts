/** Graphs in the languages of other programs. */

import { nameIn, namespaceIn, type ObjectKey } from '../../model/object-ref.ts';
import type { GraphEdge } from './graph.ts';

/** Draws edges as text of another language. */
type Draw = (edges: readonly GraphEdge[]) => string;

/** The object or workload, for people. */
export function labelOf(key: ObjectKey): string {
  return `${key.split('/')[1]}/${nameIn(key)} in ${namespaceIn(key)}`;
}

/** A graph of Mermaid. Names of the API have no character that it reads as its own. */
const mermaidOf: Draw = (edges) => {
  const ids = idsOf(edges);
  const nodes = [...ids].map(([key, id]) => `  ${id}["${labelOf(key)}"]`);
  const arrows = edges.map(
    ({ object, workload, asks }) => `  ${ids.get(object)} ${asks ? '-->' : '-.->'} ${ids.get(workload)}`,
  );
  const states = statesIn(edges);
  const outdated = [...ids].filter(([key]) => states.get(key) === 'out of date');
  const classes = outdated.map(([, id]) => `  class ${id} outdated`);
  const definition = classes.length === 0 ? [] : ['  classDef outdated stroke:#c00,stroke-width:2px'];
  return [`graph LR`, ...nodes, ...arrows, ...definition, ...classes, ''].join('\n');
};

/** A graph of Graphviz. What is not up to date has a second line, and a class by which a style may colour it. */
const dotOf: Draw = (edges) => {
  const ids = idsOf(edges);
  const states = statesIn(edges);
  const objects = new Set(edges.map(({ object }) => object));
  const nodes = [...ids].map(([key, id]) => {
    const state = states.get(key);
    const label = `${dotText(labelOf(key))}${state === undefined ? '' : `\\n${state}`}`;
    return `  ${id} [label="${label}", shape=${objects.has(key) ? 'note' : 'box'}${paintOf(state)}];`;
  });
  const arrows = edges.map(({ object, workload, asks, pods }) => {
    const line = `${asks ? 'style=solid' : 'style=dashed'}${paintOf(pods)}`;
    return `  ${ids.get(object)} -> ${ids.get(workload)} [${line}];`;
  });
  return ['digraph reloader {', '  rankdir=LR;', ...nodes, ...arrows, '}', ''].join('\n');
};

/** By format, how a graph is drawn. */
export const DRAWINGS: Readonly<Record<string, Draw>> = { mermaid: mermaidOf, dot: dotOf };

/** By workload or object, what is worth to be said of it. */
function statesIn(edges: readonly GraphEdge[]): ReadonlyMap<ObjectKey, GraphEdge['pods']> {
  const states = new Map<ObjectKey, GraphEdge['pods']>();
  for (const { object, workload, pods } of edges) {
    if (pods === 'absent') states.set(object, pods);
    else if (pods !== 'up to date' && states.get(workload) !== 'out of date') states.set(workload, pods);
  }
  return states;
}

function paintOf(state: GraphEdge['pods'] | undefined): string {
  if (state === undefined || state === 'up to date') return '';
  return state === 'out of date'
    ? ', color="#cc0000", class="outdated"'
    : `, class="${state.replaceAll(' ', '-')}"`;
}

/** Escaped for a quoted text, in which entities of HTML count too. */
function dotText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll(/["\\]/g, String.raw`\$&`);
}

function idsOf(edges: readonly GraphEdge[]): ReadonlyMap<ObjectKey, string> {
  const keys = new Set(edges.flatMap(({ object, workload }) => [object, workload]));
  return new Map([...keys].map((key, index) => [key, `n${index}`]));
}
