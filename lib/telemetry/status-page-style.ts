/** The style of the status page: one column of text and tables, light and dark, that folds into blocks on a phone. */

const COLOURS = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf6; --ink: #22252a; --soft: #5d616a; --line: #dfdcd2; --sheet: #f3f1e9;
  --outdated: #8f4700; --bad: #a3200f; --good: #2c6a3f; --link: #1b5a94;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #17181a; --ink: #e6e3db; --soft: #a5a49d; --line: #34363a; --sheet: #222427;
    --outdated: #eba75f; --bad: #ff8d78; --good: #86c796; --link: #8fbdec;
  }
}
`;

const TYPE = `
* { box-sizing: border-box; }
html { background: var(--paper); color: var(--ink); -webkit-text-size-adjust: 100%; }
body {
  max-width: 68rem; margin: 0 auto; padding: 1.75rem 1.5rem 4rem;
  font: 0.9375rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1, h2, .lede {
  font-family: ui-serif, "Iowan Old Style", Charter, Palatino, "Noto Serif", "Liberation Serif", Georgia, serif;
  font-weight: 500; text-wrap: balance;
}
h1 { margin: 0; font-size: 1.0625rem; font-style: italic; color: var(--soft); }
h2 { margin: 3rem 0 0.5rem; font-size: 1.375rem; line-height: 1.25; }
.lede { margin: 2.5rem 0 0.25rem; font-size: 2.25rem; line-height: 1.15; letter-spacing: -0.01em; }
p { margin: 0 0 0.25rem; }
code, .digest { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; font-size: 0.92em; }
a { color: var(--link); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
.soft, .place, .facts, .more, footer, .why, .reason, thead th { color: var(--soft); }
.place, .why, .reason { font-size: 0.8125rem; }
.place { white-space: nowrap; font-weight: 400; }
.time { white-space: nowrap; }
.countdown { font-weight: 600; color: var(--outdated); }
.is-bad, .problem, #lost, .dry { color: var(--bad); }
.is-good { color: var(--good); }
.is-outdated .digests, [data-label="outdated for"] { color: var(--outdated); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
`;

const CONTROLS = `
header { display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center; }
header h1 { margin-right: auto; }
.cluster { margin-left: 0.5rem; font-style: normal; color: var(--ink); }
header form { display: flex; gap: 0.5rem; align-items: center; min-width: 0; }
#lost, .dry { margin: 0.75rem 0 0; }
#lost:empty { margin: 0; }
::placeholder { color: var(--soft); opacity: 1; }
input, button {
  min-height: 2.25rem; padding: 0 0.75rem; font: inherit; color: inherit; background: var(--paper);
  border: 1px solid var(--soft); border-radius: 0.375rem;
}
input { width: 14rem; min-width: 0; flex-shrink: 1; }
button { cursor: pointer; }
button:hover { background: var(--sheet); }
[hidden] { display: none; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
main:focus { outline: none; }
details { margin-top: 3rem; }
summary { width: fit-content; color: var(--link); cursor: pointer; }
dl { display: grid; grid-template-columns: minmax(8rem, max-content) 1fr; gap: 0.375rem 1.5rem; margin: 1rem 0 0; }
dd { margin: 0; }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line); }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
`;

const TABLES = `
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.5rem 1.5rem 0.5rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
thead th { padding-block: 0.25rem; border: 0; font-size: 0.8125rem; font-weight: 400; white-space: nowrap; }
tbody th { font-weight: 600; }
tbody th .place { display: block; }
#outdated th:first-child, #findings th:first-child, #current th:first-child { width: 26%; }
#changes th:first-child { width: 26%; }
#changes th:nth-child(2) { width: 26%; }
progress { width: 100%; max-width: 14rem; accent-color: var(--good); }
#outdated th:nth-child(2) { width: 12%; }
#outdated th:nth-child(3) { width: 26%; }
#findings th:nth-child(2) { width: 48%; }
#decisions th:nth-child(1) { width: 8rem; }
#decisions th:nth-child(2) { width: 12rem; }
#watches th:first-child { width: 26%; }
.follows { margin: 0; padding: 0; list-style: none; }
#current tbody th .place { display: inline; }
#current .follows { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.digests { white-space: nowrap; }
.more { margin-top: 0.75rem; }
.finding .reason { display: block; }
.total { margin-left: 0.25rem; font-size: 1rem; color: var(--soft); }
`;

const PHONE = `
@media (max-width: 44rem) {
  body { padding: 1.25rem 1rem 3rem; }
  .lede { margin-top: 1.75rem; font-size: 1.75rem; }
  h2 { margin-top: 2.25rem; }
  header form { flex-basis: 100%; order: 1; }
  input { flex: 1; }
  table, thead, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  thead th { padding: 0; overflow: hidden; }
  #changes th:first-child, #outdated th:first-child, #findings th:first-child, #current th:first-child, #watches th:first-child { width: auto; }
  tr { padding: 0.625rem 0; border-top: 1px solid var(--line); }
  tbody th, td { padding: 0.0625rem 0; border: 0; }
  tbody th .place { display: inline; margin-left: 0.25rem; }
  td { position: relative; padding-left: 5.75rem; }
  td::before {
    content: attr(data-label); position: absolute; left: 0; width: 5.25rem; font-size: 0.8125rem; line-height: 1.7; color: var(--soft);
  }
  #decisions td, #current td { padding-left: 0; }
  #decisions td::before, #current td::before { content: none; }
  #decisions td:nth-child(-n+2) { display: inline-block; margin-right: 0.75rem; }
  dl { grid-template-columns: 1fr; gap: 0; }
  dd { margin-bottom: 0.5rem; }
}
@media print { header form, #pause, footer nav { display: none; } }
`;

/** Stands in the page's head as it is. */
export const STYLE: string = COLOURS + TYPE + CONTROLS + TABLES + PHONE;
