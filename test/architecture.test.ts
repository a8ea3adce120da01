/** The rules that hold for the whole tree: who imports whom, how large things get, where time and the process are touched. */

import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import ts from 'typescript';
import { at, descendants, folderOf, functionsOf, parse, ROOT, read, type SourceFile } from './source-tree.ts';

const MAX_FILE_LINES = 400;
const MAX_FUNCTION_LINES = 50;

const BENEATH_RULES = ['store', 'annotations', 'model'];
const BENEATH_RECONCILERS = ['tracking', 'queue', ...BENEATH_RULES];
/** Folder → the other folders that it may import. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  model: [],
  annotations: ['model'],
  store: ['annotations', 'model'],
  queue: ['model'],
  leader: ['model', 'queue'],
  tracking: BENEATH_RULES,
  blockers: BENEATH_RECONCILERS,
  rollout: ['blockers', ...BENEATH_RECONCILERS],
  state: BENEATH_RECONCILERS,
  repair: BENEATH_RECONCILERS,
  report: BENEATH_RECONCILERS,
  admission: ['tracking', 'serving', ...BENEATH_RULES],
  kubernetes: ['model', 'queue', 'leader'],
  serving: [],
  telemetry: ['model', 'serving'],
  notify: ['model'],
  options: ['model'],
  app: [
    'admission',
    'blockers',
    'rollout',
    'state',
    'repair',
    'report',
    'kubernetes',
    'leader',
    'telemetry',
    'notify',
    'options',
    'serving',
    ...BENEATH_RECONCILERS,
  ],
  // What a person asks: the program is observed as it is, so everything may be read.
  commands: [
    'app',
    'blockers',
    'rollout',
    'state',
    'report',
    'repair',
    'kubernetes',
    'telemetry',
    'options',
    ...BENEATH_RECONCILERS,
  ],
  // The options come first: showing the help must not load the rest.
  bin: ['app', 'commands', 'options'],
};

/** Package → the only folder that knows it. What is not here may not be imported at all. */
const PACKAGES: Readonly<Record<string, string>> = {
  '@kubernetes/client-node': 'kubernetes',
  winston: 'telemetry',
  'prom-client': 'telemetry',
  'p-debounce': 'queue',
  croner: 'model',
  commander: 'options',
  yaml: 'commands',
  re2js: 'annotations',
};

/** Folders without time, chance and I/O; of the builtins only hashing and comparing are pure. */
const PURE = ['model', 'annotations', 'store'];
const PURE_BUILTINS = ['node:crypto', 'node:util'];
/** The one file among them that hands the time to the others, who are not pure. */
const CLOCK = 'lib/model/time.ts';
const CLOCKS = [
  'monotonicMs',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'Date.now',
  'new Date',
  'performance.now',
  'Math.random',
];
/** Waits go by monotonicMs, which never jumps; these are read for what says so. */
const TIMES = ['Date.now', 'new Date', 'performance.now'];
/** File → for whom it tells the time. */
const TIME_TELLERS: Readonly<Record<string, string>> = {
  [CLOCK]: 'all who wait',
  'lib/telemetry/logger.ts': 'people who read the log',
  'lib/report/journal.ts': 'people who read the status page',
  'lib/admission/review.ts': 'people who read annotations',
  'lib/app/assembly.ts': 'ids of stamps, which grow with the time',
  'lib/app/pages.ts': 'people who read the status page',
  'lib/commands/installed-reloader.ts': 'a cluster of manifests has no clock of its own',
  'lib/commands/migrate/migration.ts': 'a window is judged by the time of the person',
  'lib/commands/reads.ts': 'an API server may not say its time',
  'lib/kubernetes/events.ts': 'people who read Events',
  'lib/leader/lease.ts': 'people who read the Lease',
  'lib/notify/webhook.ts': 'the program behind the webhook',
  'lib/rollout/rollout-controller.ts': 'people who say when workloads are rolled',
  'lib/rollout/rollout-attempt.ts':
    'people who read annotations and say when workloads are rolled, and whichever reloader ends the pause',
  'lib/repair/pauses.ts': 'the end of a pause, whose begin an annotation says',
};
/** Folders that may look at the process that they run in. */
const KNOW_THE_PROCESS = ['kubernetes', 'telemetry', 'app', 'commands', 'bin'];

const TREE: readonly SourceFile[] = globSync(['bin/**/*.ts', 'lib/**/*.ts'], { cwd: ROOT }).map(read);

/** All that a file imports, types and dynamic imports included. */
function importsOf({ tree }: SourceFile): string[] {
  return descendants(tree).flatMap((node) => {
    const from =
      ts.isImportDeclaration(node) || ts.isExportDeclaration(node)
        ? node.moduleSpecifier
        : ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword
          ? node.arguments[0]
          : undefined;
    return from !== undefined && ts.isStringLiteral(from) ? [from.text] : [];
  });
}

/** Why `file` may not import `target`; undefined if it may. */
function objectionTo(file: SourceFile, target: string): string | undefined {
  if (target.startsWith('.')) return objectionToFile(file, target);
  if (target.startsWith('node:')) {
    const pure = PURE.includes(file.folder) && !PURE_BUILTINS.includes(target);
    return pure ? 'is pure' : undefined;
  }
  return PACKAGES[target] === file.folder ? undefined : `only lib/${PACKAGES[target] ?? '(none)'} may`;
}

function objectionToFile(file: SourceFile, target: string): string | undefined {
  const name = path.join(path.dirname(file.name), target);
  if (name === 'package.json') return undefined;
  const folder = folderOf(name);
  const allowed = folder === file.folder || ARROWS[file.folder]?.includes(folder);
  return allowed
    ? undefined
    : `lib/${file.folder} may import ${ARROWS[file.folder]?.join(', ') || 'nothing'}`;
}

/** Exported declarations, each as a statement of the file. */
function exportsOf({ tree }: SourceFile): ts.Statement[] {
  return tree.statements.filter(
    (statement) =>
      ts.canHaveModifiers(statement) &&
      ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword),
  );
}

/** Exported declarations without a doc comment. */
function undocumentedIn(file: SourceFile): string[] {
  return exportsOf(file)
    .filter((statement) => ts.getJSDocCommentsAndTags(statement).length === 0)
    .map((statement) => at(file, statement));
}

/** Where the file uses one of `names`: a global, a property of one as `Math.random`, or `new Date` without arguments. */
function usesOf(file: SourceFile, names: readonly string[]): string[] {
  return descendants(file.tree).flatMap((node) => {
    const used = globalsIn(node).filter((name) => names.includes(name));
    return used.map((name) => `${at(file, node)} ${name}`);
  });
}

function globalsIn(node: ts.Node): string[] {
  if (ts.isNewExpression(node)) return node.arguments?.length ? [] : [`new ${node.expression.getText()}`];
  if (ts.isPropertyAccessExpression(node)) return [node.getText(), node.expression.getText()];
  return ts.isIdentifier(node) && !ts.isPropertyAccessExpression(node.parent) ? [node.text] : [];
}

test('the tree is read', () => {
  assert.ok(TREE.length > 20);
});

describe('imports', () => {
  for (const file of TREE) {
    test(`of ${file.name} follow the arrows`, () => {
      assert.ok(file.folder in ARROWS, `no arrow is drawn for ${file.folder}`);
      const objections = importsOf(file).flatMap((target) => {
        const objection = objectionTo(file, target);
        return objection === undefined ? [] : [`${target}: ${objection}`];
      });
      assert.deepEqual(objections, []);
    });
  }

  const model = read('lib/model/log.ts');
  const options = read('lib/options/options.ts');
  const refused: Record<string, [SourceFile, string]> = {
    'an arrow that points outwards': [model, '../store/key-index.ts'],
    'an arrow between neighbours': [options, '../telemetry/logger.ts'],
    'a package that belongs to another folder': [options, 'winston'],
    'a package that nobody may use': [options, 'lodash'],
    'I/O in a pure folder': [model, 'node:fs'],
    'app from below': [options, '../app/main.ts'],
  };
  for (const [name, [file, target]] of Object.entries(refused)) {
    test(`refuse ${name}`, () => assert.notEqual(objectionTo(file, target), undefined));
  }
});

test(`no file is longer than ${MAX_FILE_LINES} lines`, () => {
  const tests = globSync('test/**/*.ts', { cwd: ROOT }).map(read);
  const long = [...TREE, ...tests].filter(({ lines }) => lines > MAX_FILE_LINES);
  assert.deepEqual(
    long.map(({ name, lines }) => `${name}: ${lines}`),
    [],
  );
});

test('no two files of lib have one name', () => {
  const lib = TREE.filter(({ folder }) => folder !== 'bin');
  const byName = Map.groupBy(lib, ({ name }) => path.basename(name));
  const twice = [...byName.values()].filter((files) => files.length > 1);
  assert.deepEqual(
    twice.map((files) => files.map(({ name }) => name)),
    [],
  );
});

test(`no function is longer than ${MAX_FUNCTION_LINES} lines`, () => {
  const long = TREE.flatMap(functionsOf).filter(({ lines }) => lines > MAX_FUNCTION_LINES);
  assert.deepEqual(long, []);
});

test('every export says what it is', () => {
  assert.deepEqual(TREE.flatMap(undocumentedIn), []);
});

test('pure folders know neither time nor chance', () => {
  const pure = TREE.filter(({ folder, name }) => PURE.includes(folder) && name !== CLOCK);
  assert.deepEqual(
    pure.flatMap((file) => usesOf(file, CLOCKS)),
    [],
  );
});

test('no wait goes by the time of day: who reads a clock says for whom', () => {
  const readers = TREE.filter((file) => usesOf(file, TIMES).length > 0).map(({ name }) => name);
  assert.deepEqual(readers.sort(), Object.keys(TIME_TELLERS).sort());
});

test('only the edges of the program know the process', () => {
  const inner = TREE.filter(({ folder }) => !KNOW_THE_PROCESS.includes(folder));
  assert.deepEqual(
    inner.flatMap((file) => usesOf(file, ['process'])),
    [],
  );
});

describe('these rules see', () => {
  const seen = (text: string): string[] =>
    usesOf(parse('lib/model/x.ts', text), [...CLOCKS, 'process']).map((use) =>
      use.split(' ').slice(1).join(' '),
    );
  const uses: Record<string, string[]> = {
    'const now = Date.now();': ['Date.now'],
    'const now = new Date();': ['new Date'],
    'const then = new Date(0);': [],
    'function f(random = Math.random) {}': ['Math.random'],
    'setTimeout(f, 1);': ['setTimeout'],
    'const env = process.env;': ['process'],
    'clock.setTimeout(f, 1);': [],
  };
  for (const [text, want] of Object.entries(uses)) {
    test(`what \`${text}\` uses`, () => assert.deepEqual(seen(text), want));
  }

  test('the length of a function, a method and an arrow', () => {
    const file = parse(
      'lib/model/x.ts',
      'function f() {\n}\nclass C {\n m() {\n\n }\n}\nconst a = () =>\n 1;',
    );
    assert.deepEqual(
      functionsOf(file).map(({ lines }) => lines),
      [2, 3, 2],
    );
  });

  test('an export without a doc comment', () => {
    const file = parse('lib/model/x.ts', '/** A. */\nexport const a = 1;\nexport const b = 2;\nconst c = 3;');
    assert.deepEqual(undocumentedIn(file), ['lib/model/x.ts:3']);
  });

  test('imports, exports and dynamic imports', () => {
    const file = parse(
      'lib/model/x.ts',
      "import type { A } from 'a';\nexport * from 'b';\nawait import('c');",
    );
    assert.deepEqual(importsOf(file), ['a', 'b', 'c']);
  });
});
