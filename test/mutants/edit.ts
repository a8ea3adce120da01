/**
 * Edits of lib that find their place in the syntax tree: a function by its name, wherever its file is, and in it one
 * piece of code, however it is formatted and whatever its local variables are called.
 */

import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

/** One edit of one function. */
export interface Edit {
  /** A function, constant or `Class.member`, or `one.another` in it; after a part of the file's path and a `/` if ambiguous. */
  readonly place: string;
  /**
   * An expression; with a `;` at its end a statement, with a `,` the property of an object. A call without arguments is
   * one with any arguments, and of anything: `push()` is also `a.b.push(c)`.
   */
  readonly code: string;
  /** Nothing: the statement, operand, argument or element goes; a condition goes with its `if`. */
  readonly instead: string | undefined;
}

/** Where an edit applies. */
export interface Found {
  /** Relative to the directory that was searched. */
  readonly file: string;
  /** The file's text with the edit. */
  readonly text: string;
}

/** Leaves out the code. */
export function drop(place: string, code: string): Edit {
  return { place, code, instead: undefined };
}

/** Puts other code in place of the code; its local variables are called as in `code`. */
export function change(place: string, code: string, instead: string): Edit {
  return { place, code, instead };
}

/** Finds the places of edits below one directory. */
export class Places {
  readonly directory: string;
  readonly #files: readonly ts.SourceFile[];

  constructor(directory: string) {
    this.directory = directory;
    this.#files = globSync('lib/**/*.ts', { cwd: directory }).map((file) =>
      parse(file, readFileSync(path.join(directory, file), 'utf8')),
    );
  }

  /** The one place of an edit; a string says why there is not exactly one. */
  find({ place, code, instead }: Edit): Found | string {
    const [names = '', hint = ''] = place.split('/').reverse();
    const files = this.#files.filter(({ fileName }) => fileName.includes(hint));
    const nodes = names.split('.').reduce((outer: readonly ts.Node[], name) => {
      return outer.flatMap((node) => declaredIn(node).filter((inner) => nameOf(inner) === name));
    }, files);
    const [within] = nodes;
    const file = within?.getSourceFile();
    if (within === undefined || file === undefined || nodes.length > 1) {
      const where = nodes.map((node) => node.getSourceFile().fileName);
      return `${place} is declared in ${nodes.length} places of lib, not one: ${where.join(', ')}`;
    }
    const matches = matchesIn(within, wanted(code));
    const [match] = matches;
    if (match === undefined || matches.length > 1) {
      return `${place} in ${file.fileName} has ${matches.length} times, not once: ${code}`;
    }
    const [from, to, text] = instead === undefined ? withoutIt(match.node) : replaced(match, instead);
    return { file: file.fileName, text: file.text.slice(0, from) + text + file.text.slice(to) };
  }
}

interface Match {
  readonly node: ts.Node;
  /** The source's names of local variables, by those in the code that was looked for. */
  readonly locals: ReadonlyMap<string, string>;
}

function parse(name: string, text: string): ts.SourceFile {
  return ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
}

/** What has a name at the top of a file, as a member of a class, or anywhere in a function. */
function declaredIn(node: ts.Node): ts.Node[] {
  if (ts.isClassDeclaration(node)) return childrenOf(node);
  if (!ts.isSourceFile(node)) return descendants(node).slice(1);
  return childrenOf(node).flatMap((child) =>
    ts.isVariableStatement(child) ? child.declarationList.declarations : [child],
  );
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node))
    return node.body && node.name?.getText();
  if (ts.isClassElement(node) || ts.isClassDeclaration(node)) return node.name?.getText();
  return ts.isVariableDeclaration(node) || ts.isPropertyAssignment(node) ? node.name.getText() : undefined;
}

/** The code as a tree, which stands two levels deep in what it is wrapped in. */
function wanted(code: string): ts.Node {
  const piece = code.endsWith(',') ? `({ ${code} });` : `((${code}));`;
  const source = parse('code', `async () => { ${code.endsWith(';') ? `for (;;) { ${code} }` : piece} }`);
  const outer = descendants(source).find(
    (node) => ts.isForStatement(node) || ts.isParenthesizedExpression(node),
  );
  return childrenOf(outer ?? source).flatMap(childrenOf)[0] ?? source;
}

function childrenOf(node: ts.Node): ts.Node[] {
  const children: ts.Node[] = [];
  node.forEachChild((child) => void children.push(child));
  return children;
}

function descendants(node: ts.Node): ts.Node[] {
  return [node, ...childrenOf(node).flatMap(descendants)];
}

/** Names of local variables count only if the code has none but those that are there. */
function matchesIn(within: ts.Node, code: ts.Node): Match[] {
  const nodes = descendants(within);
  const known = new Set(nodes.flatMap((node) => (isLocal(node) ? [node.name.getText()] : [])));
  const matchesWith = (locals: ReadonlySet<string>): Match[] =>
    nodes.flatMap((node) => {
      const names = new Map<string, string>();
      return isSame(code, node, locals, names) ? [{ node, locals: names }] : [];
    });
  const exact = matchesWith(new Set());
  return exact.length > 0 ? exact : matchesWith(known);
}

function isLocal(
  node: ts.Node,
): node is ts.VariableDeclaration | ts.ParameterDeclaration | ts.BindingElement {
  return ts.isVariableDeclaration(node) || ts.isParameter(node) || ts.isBindingElement(node);
}

function isSame(
  code: ts.Node,
  node: ts.Node,
  locals: ReadonlySet<string>,
  names: Map<string, string>,
): boolean {
  if (code.kind !== node.kind) return false;
  if (isLocalName(code, node, locals)) {
    const known = names.get(code.getText());
    names.set(code.getText(), node.getText());
    return known === undefined || known === node.getText();
  }
  if (ts.isPrefixUnaryExpression(code) && code.getText()[0] !== node.getText()[0]) return false;
  const [parts, others] = [childrenOf(code), childrenOf(node)];
  const isAnyCall = ts.isCallExpression(code) && code.arguments.length === 0;
  if (isAnyCall && isNamed(node as ts.CallExpression, code.expression.getText())) return true;
  if (parts.length === 0 && others.length === 0) return code.getText() === node.getText();
  const isAsLong = isAnyCall || parts.length === others.length;
  return isAsLong && parts.every((part, at) => isSame(part, others[at] ?? node, locals, names));
}

function isNamed({ expression }: ts.CallExpression, name: string): boolean {
  return ts.isPropertyAccessExpression(expression) && expression.name.getText() === name;
}

function isLocalName(code: ts.Node, node: ts.Node, locals: ReadonlySet<string>): boolean {
  const isOther = ts.isIdentifier(code) && !locals.has(code.text);
  return isOther && locals.has(node.getText()) && !isProperty(node);
}

function isProperty(node: ts.Node): boolean {
  return ts.isPropertyAccessExpression(node.parent) && node.parent.name === node;
}

function withoutIt(node: ts.Node): [from: number, to: number, text: string] {
  const { parent } = node;
  if (ts.isStatement(node)) return [node.getStart(), node.end, ';'];
  if (ts.isExpressionStatement(parent)) return withoutIt(parent);
  if (ts.isIfStatement(parent))
    return [parent.getStart(), parent.end, parent.elseStatement?.getText() ?? ';'];
  if (ts.isBinaryExpression(parent)) {
    return [parent.getStart(), parent.end, (parent.left === node ? parent.right : parent.left).getText()];
  }
  const comma = /^\s*,/.exec(node.getSourceFile().text.slice(node.end));
  return [node.getStart(), node.end + (comma?.[0].length ?? 0), ''];
}

function replaced({ node, locals }: Match, instead: string): [from: number, to: number, text: string] {
  const text = instead.replace(/(?<![\w.#'])[a-z]\w*/gi, (name) => locals.get(name) ?? name);
  return [node.getStart(), node.end, ts.isExpression(node) ? `(${text})` : text];
}
