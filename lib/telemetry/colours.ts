/** The colours of all that is shown in a browser, light and dark, as properties of CSS. */
export const COLOURS = `
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
