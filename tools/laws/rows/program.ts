import { join } from 'node:path';
import {
  type CallExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isElementAccessExpression,
  isIdentifier,
  isNoSubstitutionTemplateLiteral,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type SourceFile,
} from 'typescript/unstable/ast';
import {
  API,
  type Checker,
  type Symbol as Named,
  type Project,
  SymbolFlags,
  type Type,
} from 'typescript/unstable/sync';

/** One property of the row type that the code gives to a statement. */
export interface RowProperty {
  readonly name: string;
  /** What the type is without null and undefined: `string`, `number`, `bigint`, `boolean`, `Date`, `Buffer`, `string[]`, ... */
  readonly kind: string;
  readonly mayBeNull: boolean;
  readonly isOptional: boolean;
}
/** One `rows<T>(statement, ...)` of the server. */
export interface RowsCall {
  readonly place: string;
  readonly statements: readonly Statement[];
  readonly row: readonly RowProperty[];
}
/** One `sql('name', text)`; the text is missing where it is put together when the program runs. */
export interface Statement {
  readonly name: string;
  readonly place: string;
  readonly text: string | undefined;
}

/** `NodeBuilderFlags.NoTruncation`: a long type must not lose the end that says null. */
const wholeText = 1;
const plainKinds = ['string', 'number', 'bigint', 'boolean'] as const;

/** Reads the server's source with the compiler and closes it again. */
export function readProgram(root: string): { calls: RowsCall[]; statements: Statement[]; unresolved: string[] } {
  const api = new API({ cwd: root });
  try {
    const config = join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (!project) throw new Error(`the compiler does not open ${config}`);
    return new Reader(project, root).read();
  } finally {
    api.close();
  }
}

const isAlias = ({ flags }: Named): boolean => (flags & SymbolFlags.Alias) !== 0;

class Reader {
  readonly #project: Project;
  readonly #checker: Checker;
  readonly #root: string;
  readonly #calls: RowsCall[] = [];
  readonly #statements: Statement[] = [];
  readonly #unresolved: string[] = [];

  constructor(project: Project, root: string) {
    this.#project = project;
    this.#checker = project.checker;
    this.#root = root;
  }

  read() {
    const { program } = this.#project;
    const source = join(this.#root, 'server/src/');
    for (const name of program.getSourceFileNames()) {
      if (!name.startsWith(source) || /\.test\.ts$|\/testing(?:\/|\.ts$)|\/conformance(?:\/|\.ts$)/.test(name))
        continue;
      const file = program.getSourceFile(name);
      if (file) this.#walk(file, file);
    }
    return { calls: this.#calls, statements: this.#statements, unresolved: this.#unresolved };
  }

  #walk(node: Node, file: SourceFile): void {
    if (isCallExpression(node)) {
      const statement = this.#statementOf(node, file);
      if (statement) this.#statements.push(statement);
      const called = node.expression;
      if (isPropertyAccessExpression(called) && called.name.text === 'rows' && node.typeArguments?.length === 1) {
        this.#addCall(node, file);
      }
    }
    node.forEachChild((child) => this.#walk(child, file));
  }

  #addCall(call: CallExpression, file: SourceFile): void {
    const [given] = call.arguments;
    const [typeNode] = call.typeArguments ?? [];
    const place = this.#placeOf(call, file);
    const type = typeNode && this.#checker.getTypeFromTypeNode(typeNode);
    const statements = given ? this.#resolve(given, file) : undefined;
    if (!type || !statements) {
      this.#unresolved.push(place);
      return;
    }
    this.#calls.push({ place, statements, row: this.#propertiesOf(type) });
  }

  /** The statements that an argument may be; undefined where only a run of the program can tell. */
  #resolve(given: Node, file: SourceFile): Statement[] | undefined {
    if (isConditionalExpression(given)) {
      const [one, other] = [this.#resolve(given.whenTrue, file), this.#resolve(given.whenFalse, file)];
      return one && other && [...one, ...other];
    }
    // `{ day: byDaySql, sku: bySkuSql }[by]` may be any of them.
    if (isElementAccessExpression(given)) return this.#resolve(given.expression, file);
    if (isObjectLiteralExpression(given)) {
      const values = given.properties.map((of) =>
        isPropertyAssignment(of) ? this.#resolve(of.initializer, file) : undefined,
      );
      return values.every((value) => value !== undefined) ? values.flat() : undefined;
    }
    const statement = this.#statementOf(given, file);
    if (statement) return [statement];
    const initializer = this.#initializerOf(given);
    return initializer && this.#resolve(initializer.value, initializer.file);
  }

  #initializerOf(given: Node): { value: Node; file: SourceFile } | undefined {
    if (!isIdentifier(given)) return undefined;
    const local = this.#checker.getSymbolAtLocation(given);
    const symbol = local && isAlias(local) ? this.#checker.getAliasedSymbol(local) : local;
    const declared = symbol?.declarations?.[0]?.resolve(this.#project);
    if (!declared || !isVariableDeclaration(declared) || !declared.initializer) return undefined;
    return { value: declared.initializer, file: declared.getSourceFile() };
  }

  #statementOf(node: Node, file: SourceFile): Statement | undefined {
    if (!isCallExpression(node) || !isIdentifier(node.expression) || node.expression.text !== 'sql') return undefined;
    const [name, text] = node.arguments;
    if (!name || !text) return undefined;
    return {
      name: this.#textOf(name) ?? '(computed)',
      place: this.#placeOf(node, file),
      text: this.#textOf(text),
    };
  }

  #textOf(node: Node): string | undefined {
    if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
    if (isBinaryExpression(node)) {
      const [left, right] = [this.#textOf(node.left), this.#textOf(node.right)];
      return left === undefined || right === undefined ? undefined : left + right;
    }
    if (isTemplateExpression(node)) {
      let text: string | undefined = node.head.text;
      for (const span of node.templateSpans) {
        const part = this.#textOf(span.expression);
        text = text === undefined || part === undefined ? undefined : text + part + span.literal.text;
      }
      return text;
    }
    const literal = this.#checker.getTypeAtLocation(node);
    if (literal?.isStringLiteralType() || literal?.isNumberLiteralType()) return String(literal.value);
    const initializer = this.#initializerOf(node);
    return initializer && this.#textOf(initializer.value);
  }

  #propertiesOf(type: Type): RowProperty[] {
    return this.#checker.getPropertiesOfType(type).map((property) => {
      const whole = this.#checker.getTypeOfSymbol(property);
      if (!whole) throw new Error(`the compiler knows no type of ${property.name}`);
      const text = this.#checker.typeToString(whole, undefined, wholeText);
      return {
        name: property.name,
        kind: this.#kindOf(this.#checker.getNonNullableType(whole) ?? whole),
        mayBeNull: text === 'unknown' || text === 'null' || /(?:^|\| )null(?:$| \|)/.test(text),
        isOptional: (property.flags & SymbolFlags.Optional) !== 0,
      };
    });
  }

  /** A union of words counts as `string`: the database has no closer type for it. */
  #kindOf(type: Type): string {
    const plain = { string: this.#checker.getStringType(), number: this.#checker.getNumberType() };
    const more = { bigint: this.#checker.getBigIntType(), boolean: this.#checker.getBooleanType() };
    const known = { ...plain, ...more };
    const found = plainKinds.find((kind) => this.#checker.isTypeAssignableTo(type, known[kind]));
    if (found) return found;
    if (this.#checker.isArrayType(type)) {
      const [element] = this.#checker.getTypeArguments(type as never);
      return element ? `${this.#kindOf(element)}[]` : 'unknown[]';
    }
    return this.#checker.typeToString(type);
  }

  #placeOf(node: Node, file: SourceFile): string {
    const line = file.text.slice(0, node.getStart(file)).split('\n').length;
    return `${file.fileName.slice(this.#root.length + 1)}:${line}`;
  }
}
