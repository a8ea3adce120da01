/** What a release has to be, as functions of texts: each answers what is wrong, one line a fault. */

/** Path below the root → text. */
export type Texts = Readonly<Record<string, string>>;

/** The only place that decides the version. */
const MANIFEST = 'package.json';
/** Where the version stands beside it. */
const COPIES: readonly RegExp[] = [
  /kubernetes-reloader[: ]v?(\d+\.\d+\.\d+[\w.+-]*)/g,
  /app\.kubernetes\.io\/version: "?(\d[\w.+-]*)/g,
];
const CHART_COPIES: readonly RegExp[] = [/^version: "?([\w.+-]+)/gm, /^appVersion: "?([\w.+-]+)/gm];
const SPDX_WORD = /^\(?[A-Za-z0-9.+-]+\)?$/;

/** The version in package.json. */
export function versionIn(texts: Texts): string {
  return (JSON.parse(texts[MANIFEST] ?? '{}') as { version?: string }).version ?? '';
}

/** Where another version stands than in package.json. @param tag of the release, if there is one: `v1.2.3` */
export function versionFaults(texts: Texts, tag?: string): readonly string[] {
  const version = versionIn(texts);
  const lock = JSON.parse(texts['package-lock.json'] ?? '{}') as Lock;
  const found: [string, string | undefined][] = [
    ['package-lock.json', lock.version],
    ['package-lock.json, packages', lock.packages?.['']?.version],
  ];
  for (const [file, text] of Object.entries(texts)) {
    if (file === MANIFEST || file === 'package-lock.json') continue;
    const patterns = file.endsWith('/Chart.yaml') ? CHART_COPIES : COPIES;
    for (const match of patterns.flatMap((pattern) => [...text.matchAll(pattern)]))
      found.push([file, match[1]]);
  }
  if (tag !== undefined) found.push(['the tag', tag.replace(/^v/, '')]);
  return found
    .filter(([, other]) => other !== version)
    .map(([where, other]) => `${where}: version ${other ?? 'missing'}, package.json has ${version}`);
}

interface Lock {
  readonly version?: string;
  readonly packages?: Readonly<Record<string, { readonly version?: string }>>;
}

/** What CHANGELOG.md lacks: with a tag a section of that version with a date, before that a section of what is to come. */
export function changelogFaults(changelog: string, version: string, isRelease: boolean): readonly string[] {
  const headings = changelog.split('\n').filter((line) => line.startsWith('## ['));
  const start = `## [${version}] - `;
  const isThere = (line: string): boolean =>
    !isRelease || (line.startsWith(start) && /^\d{4}-\d\d-\d\d$/.test(line.slice(start.length)));
  return headings.some(isThere) ? [] : [`CHANGELOG.md: no section for ${isRelease ? version : 'changes'}`];
}

/** What `npm pack` leaves out or should not hold. */
export function packFaults(files: readonly string[]): readonly string[] {
  const needed = [
    'dist/reloader.mjs',
    'dist/sbom.cdx.json',
    'dist/THIRD-PARTY-NOTICES.txt',
    'k8s/base/deployment.yaml',
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
    MANIFEST,
  ];
  const missing = needed
    .filter((file) => !files.includes(file))
    .map((file) => `the npm package lacks ${file}`);
  const others = files.filter((file) => !/^(dist|k8s)\/[\w./-]+$/.test(file) && !needed.includes(file));
  return [...missing, ...others.map((file) => `the npm package should not hold ${file}`)];
}

/** What a CycloneDX document of the bundle lacks. */
export function sbomFaults(text: string, version: string): readonly string[] {
  const sbom = JSON.parse(text) as Sbom;
  const own = sbom.metadata?.component;
  const faults: string[] = [];
  if (sbom.bomFormat !== 'CycloneDX' || sbom.specVersion !== '1.6') faults.push('sbom: not CycloneDX 1.6');
  if (own?.version !== version) faults.push(`sbom: of version ${own?.version ?? 'missing'}, not ${version}`);
  const components = sbom.components ?? [];
  if (components.length === 0) faults.push('sbom: no components');
  const purls = new Set(components.map(({ purl }) => purl));
  if (purls.size !== components.length) faults.push('sbom: a component stands in it twice');
  return [...faults, ...[...components, ...(own === undefined ? [] : [own])].flatMap(componentFaults)];
}

interface Component {
  readonly type?: string;
  readonly name?: string;
  readonly version?: string;
  readonly purl?: string;
  readonly licenses?: readonly { readonly expression?: string }[];
}

interface Sbom {
  readonly bomFormat?: string;
  readonly specVersion?: string;
  readonly metadata?: { readonly component?: Component };
  readonly components?: readonly Component[];
}

function componentFaults({ type, name = '', version = '', purl, licenses = [] }: Component): string[] {
  const who = `sbom: ${name === '' ? 'a component' : name}`;
  const faults: string[] = [];
  if (type === undefined || name === '' || version === '') faults.push(`${who} lacks type, name or version`);
  if (purl !== `pkg:npm/${name.replace('@', '%40')}@${version}`) faults.push(`${who} has the purl ${purl}`);
  const words = licenses.flatMap(({ expression = '' }) => expression.split(' '));
  if (words.length === 0 || !words.every((word) => SPDX_WORD.test(word)))
    faults.push(`${who} has no SPDX licence`);
  return faults;
}
