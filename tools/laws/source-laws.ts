import { isSource, isTestCode } from '../lib/tree.ts';
import { noAppSlugs } from './apps/app-slugs.ts';
import { agentsDialInNamedFiles } from './destinations/agents.ts';
import { calleeName, isNode, type Law, literal, type Node, sourceLaw, templateText, textOf } from './law.ts';
import { noLibraryInternals } from './library-laws.ts';
import { plainWords } from './plain-words.ts';
import { statesChangeInMachines } from './states/state-laws.ts';
import { noRepeatedLists } from './words/repeated-lists.ts';

/**
 * Laws about single lines of our source. They read the syntax tree, so a word in a comment or in a test's title is only
 * a word. Each has a canary under tools/laws/canaries that breaks it and must be reported.
 */

const keyName = (node: Node): string | undefined => {
  const key = node['key'];
  if (!isNode(key)) return undefined;
  return key.type === 'Identifier' ? String(key['name']) : String(literal(key) ?? '');
};

/** Statements about data are recognised anywhere in a text, those about tables and roles at its beginning only. */
const looksLikeSql = (text: string): boolean =>
  /\b(?:select\b[\s\S]*\bfrom|insert\s+into|update\s+\S+(?:\s+(?:as\s+)?[a-z_]+)?\s+set|delete\s+from)\b/i.test(text) ||
  isDefinition(text);
const isDefinition = (text: string): boolean =>
  /^\s*(?:alter|create|drop)\s+(?:unique\s+|or\s+replace\s+|temporary\s+)?(?:table|index|role|user|database|schema|function|trigger|type|view|sequence|policy|extension)\b/i.test(
    text,
  ) || /^\s*(?:grant|revoke)\s[\s\S]*\b(?:on|to|from)\b/i.test(text);

export const noShellStrings = sourceLaw({
  name: 'no-shell',
  look: (node, _parents, text) => {
    if (node.type === 'ImportDeclaration' && literal(node['source']) === 'node:child_process') {
      const taken = text.slice(node.start, node.end);
      if (/\bexec(?:Sync)?\b/.test(taken))
        return 'exec reads its text with a shell; use execFile with a list of arguments';
    }
    if (node.type === 'Property' && keyName(node) === 'shell' && literal(node['value']) !== false) {
      return 'no program is started through a shell; give its arguments as a list';
    }
    return undefined;
  },
});

/** A client of PostgreSQL outside of a pool ends the process when the server goes away, unless its error has a listener. */
export const noBareConnection = sourceLaw({
  name: 'no-bare-connection',
  applies: (path) => path.startsWith('server/src/') && !isTestCode(path),
  look: (node, _parents, text) => {
    if (node.type !== 'NewExpression' || !/from 'pg'/.test(text)) return undefined;
    if (calleeName(node) !== 'Client' && calleeName(node) !== 'pg.Client') return undefined;
    return /client\.on\('error'/.test(text)
      ? undefined
      : 'the loss of this connection would end the process; use connectSingle, or listen for its error';
  },
});

/** A route declares its tenancy, and the type of its act says which of the two ids are there. */
export const noForgedTenant = sourceLaw({
  name: 'no-forged-tenant',
  applies: (path) => path.startsWith('server/src/') && !isTestCode(path),
  look: (node, _parents, text) =>
    node.type === 'TSAsExpression' && /\.(?:organizationId|projectId) as string$/.test(text.slice(node.start, node.end))
      ? 'ask for an act with InOrganization or InProject: the compiler then knows that the id is there'
      : undefined,
});

export const noEval = sourceLaw({
  name: 'no-eval',
  look: (node) => {
    if (node.type === 'CallExpression' && calleeName(node) === 'eval') return 'text is not run as code';
    if ((node.type === 'NewExpression' || node.type === 'CallExpression') && calleeName(node) === 'Function') {
      return 'text is not run as code';
    }
    return undefined;
  },
});

/**
 * A tenant can put a link in place of a folder while root walks a tree by its path. On a real host trees are moved out of
 * the tenant's reach and removed by `disposal.ts`.
 */
export const noRemovalByPath = sourceLaw({
  name: 'no-removal-by-path',
  applies: (path) => /^agent\/src\/host\/linux\/(?!testing\/)/.test(path) && !isTestCode(path),
  look: (node, _parents, text) => {
    const isRemoval = node.type === 'CallExpression' && /^(?:rm|rmdir)(?:Sync)?$/.test(calleeName(node) ?? '');
    if (isRemoval && /\brecursive\b/.test(text.slice(node.start, node.end))) {
      return 'root does not remove a tree by its path: a link can lead it elsewhere; use disposal.ts';
    }
    return literal(node) === '--remove'
      ? 'userdel would remove a home by its path; the home goes by way of disposal.ts'
      : undefined;
  },
});

/**
 * Root says that something is gone when it cannot be found. A look that answers "not there" to every error says so of a home
 * under a dead mount, too.
 */
export const noLookThatForgives = sourceLaw({
  name: 'no-look-that-forgives',
  applies: (path) => /^agent\/src\/host\/linux\/(?!testing\/|removal\/entries\.ts$)/.test(path) && !isTestCode(path),
  look: (node) => {
    if (node.type !== 'CallExpression') return undefined;
    const message = 'only ENOENT means absent on a host of tenants; ask with removal/entries.ts';
    if (/^lstat(?:Sync)?$/.test(calleeName(node) ?? '')) return message;
    // readdir(…).catch(() => []): what went wrong is not even looked at.
    const { callee, arguments: handlers } = node as unknown as { callee: Node; arguments: readonly Node[] };
    const asked = callee.type === 'MemberExpression' && isNode(callee['object']) ? callee['object'] : undefined;
    const isCatch = isNode(callee['property']) && callee['property']['name'] === 'catch';
    const isLook =
      asked?.type === 'CallExpression' && /^(?:readdir|readFile|stat|access)$/.test(calleeName(asked) ?? '');
    const ignores = handlers.some(({ type, params }) => /Function/.test(type) && (params as unknown[]).length === 0);
    return isCatch && isLook && ignores ? message : undefined;
  },
});

/**
 * Our processes meet in PostgreSQL and on the bus. Only adapters call out, the console's client of the identity provider, the
 * programs around a local start, and the client of internal routes, which has a certificate on both sides. The app-proxy writes HTTP to
 * apps, over streams that nodes have opened to it.
 */
const callsOut = [
  /^server\/src\/ports\//,
  /^server\/src\/bin\/all\//,
  /^server\/src\/bin\/api\/simulator-desk\.ts$/,
  /^server\/src\/edge\/console\/issuer-client\.ts$/,
  /^server\/src\/edge\/internal\/client\.ts$/,
  /^server\/src\/edge\/apps\/exchange\.ts$/,
  /^server\/src\/testing\//,
];
export const noCallsOut = sourceLaw({
  name: 'no-calls-out',
  applies: (path) => path.startsWith('server/src/') && !isTestCode(path) && !callsOut.some((home) => home.test(path)),
  look: (node, _parents, text) => {
    const why =
      'talk to the outside through a port, and to other processes by rows and events, or by an internal route';
    if (node.type === 'CallExpression' && calleeName(node) === 'fetch') {
      const callee = node['callee'];
      return isNode(callee) && callee.type === 'Identifier' ? why : undefined;
    }
    if (node.type !== 'ImportDeclaration' || node['importKind'] === 'type') return undefined;
    const source = String(literal(node['source']));
    const isCaller =
      /^(?:node:)?https?$/.test(source) && /\{[^}]*\b(?:request|get)\b/.test(text.slice(node.start, node.end));
    return isCaller || /^(?:undici|axios|got)$/.test(source) ? why : undefined;
  },
});

/**
 * Command line and console call the API through the generated client, which knows paths, inputs and refusals. What is left are
 * the fetch that is handed to the client, identity providers, addresses of apps, files of our own site, and addresses for bytes of
 * files, which lie at a store.
 */
const callsByHand = [
  /^cli\/src\/(?:call|apps\/conformance\/call-route)\.ts$/,
  /^web\/src\/client\/(?:api|live)\.ts$/,
  /^web\/src\/client\/files\/bytes\.ts$/,
  /^web\/src\/docs\/search\.ts$/,
];
export const apiCallsByTheClient = sourceLaw({
  name: 'api-calls-by-the-client',
  pages: true,
  applies: (path) =>
    /^(?:cli|web)\/src\//.test(path) && !isTestCode(path) && !callsByHand.some((home) => home.test(path)),
  look: (node, _parents, text) => {
    const why = 'call the API through the generated client (sdk/typescript)';
    const callee = node.type === 'CallExpression' || node.type === 'NewExpression' ? node['callee'] : undefined;
    if (isNode(callee)) {
      const name = text.slice(callee.start, callee.end).replace(/^(?:globalThis|window|self)\./, '');
      if (/^(?:fetch|XMLHttpRequest|EventSource)$/.test(name) || name === 'navigator.sendBeacon') return why;
    }
    if (node.type !== 'ImportDeclaration' || node['importKind'] === 'type') return undefined;
    const source = String(literal(node['source']));
    const isCaller =
      /^(?:node:)?https?$/.test(source) && /\{[^}]*\b(?:request|get)\b/.test(text.slice(node.start, node.end));
    return isCaller || /^(?:undici|axios|got)$/.test(source) ? why : undefined;
  },
});

/** Names of this file that stand for a whole, hole-free text: such a piece cannot carry user input. */
function fixedTexts(program: Node): Set<string> {
  return new Set(
    (program['body'] as readonly Node[])
      .map((statement) => (isNode(statement['declaration']) ? statement['declaration'] : statement))
      .filter((statement) => statement.type === 'VariableDeclaration' && statement['kind'] === 'const')
      .flatMap((statement) => statement['declarations'] as readonly Node[])
      .filter(({ init }) => isWholeText(init))
      .flatMap(({ id }) => (isNode(id) && id.type === 'Identifier' ? [String(id['name'])] : [])),
  );
}
const isWholeText = (node: unknown): boolean =>
  isNode(node) &&
  (typeof literal(node) === 'string' ||
    (node.type === 'TemplateLiteral' && (node['expressions'] as readonly unknown[]).length === 0));

/** PostgreSQL takes no parameters in definitions, so a name may stand there if it is quoted on the spot. */
const isQuoted = (hole: Node): boolean =>
  hole.type === 'CallExpression' && /(?:^|\.)(?:escapeIdentifier|escapeLiteral)$/.test(calleeName(hole) ?? '');

/** Tests may count rows of any table, and the emitter writes files of SQL that people read before they run. */
export const noBuiltSql = (excused: readonly string[]): Law =>
  sourceLaw({
    name: 'no-built-sql',
    applies: (path) => !isTestCode(path) && !path.startsWith('tools/emit/') && !excused.includes(path),
    look: (node, parents) => {
      if (node.type === 'TemplateLiteral' && looksLikeSql(templateText(node))) {
        const isFixed = (hole: Node, fixed: Set<string>) =>
          hole.type === 'Identifier' && fixed.has(String(hole['name']));
        const mayQuote = isDefinition(templateText(node));
        const open = (node['expressions'] as readonly Node[])
          .filter((hole) => !(mayQuote && isQuoted(hole)))
          .filter((hole) => !isFixed(hole, fixedTexts(parents[0] ?? node)));
        if (open.length > 0) return 'a statement is written whole; values travel as $1, $2';
      }
      if (node.type === 'BinaryExpression' && node['operator'] === '+') {
        const sides = [textOf(node['left']), textOf(node['right'])];
        if (sides.some((side) => side !== undefined && looksLikeSql(side))) {
          return 'a statement is written whole, never glued together; values travel as $1, $2';
        }
      }
      return undefined;
    },
  });

export const noOffset = sourceLaw({
  name: 'no-offset',
  look: (node) => {
    const text = node.type === 'TemplateLiteral' || node.type === 'Literal' ? textOf(node) : undefined;
    return text !== undefined && looksLikeSql(text) && /\boffset\b/i.test(text)
      ? 'OFFSET reads and throws away; page by the last key that was seen'
      : undefined;
  },
});

const isMoneyName = (name: string): boolean =>
  /(?:minor|amount|micros)$/i.test(name) || /^(?:amount|price|balance)$/i.test(name);

export const noFloatMoney = sourceLaw({
  name: 'no-float-money',
  look: (node) => {
    if (node.type === 'CallExpression' && /^(?:Number\.)?parseFloat$/.test(calleeName(node) ?? '')) {
      return 'money is bigint minor units, and other numbers come checked through a schema; parseFloat guesses';
    }
    const annotation = node['typeAnnotation'];
    const name =
      node.type === 'TSPropertySignature' || node.type === 'PropertyDefinition'
        ? keyName(node)
        : node.type === 'Identifier'
          ? String(node['name'])
          : undefined;
    if (name === undefined || !isMoneyName(name) || !isNode(annotation)) return undefined;
    const type = annotation['typeAnnotation'];
    return isNode(type) && type.type === 'TSNumberKeyword'
      ? `${name} is money: a bigint of minor units, never a number`
      : undefined;
  },
});

export const noMathRandom = sourceLaw({
  name: 'no-random',
  look: (node) =>
    node.type === 'CallExpression' && calleeName(node) === 'Math.random'
      ? 'chance comes from Ids, or from a seed that is printed; Math.random can be neither foreseen nor trusted'
      : undefined,
});

const isDomain = (path: string): boolean => /^server\/src\/domains\/[^/]+\//.test(path) && !isTestCode(path);
const isFacts = (path: string): boolean => /^server\/src\/domains\/[^/]+\/facts\.ts$/.test(path);
const isSmall = (value: unknown): boolean => value === 0 || value === 1 || value === 0n || value === 1n;

/**
 * A number that an operator may want to change is a policy. What remains are facts: sizes of a protocol, promises of
 * the contract, bounds of memory. A domain keeps them in one short file, each with a name and a reason, so that a
 * reader of that file sees a threshold in disguise.
 */
export const noBareNumbers = (excused: readonly string[]): Law =>
  sourceLaw({
    name: 'no-bare-numbers',
    applies: (path) => isDomain(path) && !excused.includes(path),
    look: (node, parents, text, path) => {
      const value = literal(node);
      if ((typeof value !== 'number' && typeof value !== 'bigint') || isSmall(value)) return undefined;
      // In a type, a number only says which part of another type is meant.
      if (parents.at(-1)?.type === 'TSLiteralType') return undefined;
      if (!isFacts(path)) {
        return 'a number in a domain is a policy (contract/src/policies.ts), a unit (kernel/units.ts), or a fact with a name and a reason in facts.ts of the domain';
      }
      const statement = parents[1];
      const isNamed = statement?.type === 'ExportNamedDeclaration' && isConstant(statement['declaration']);
      const isExplained = /\*\/\s*$/.test(text.slice(0, statement?.start ?? 0));
      return isNamed && isExplained
        ? undefined
        : 'a fact is an exported constant, and the comment before it says why nobody turns it';
    },
  });
const isConstant = (node: unknown): boolean =>
  isNode(node) && node.type === 'VariableDeclaration' && node['kind'] === 'const';

/** Marks of unfinished work. Work that is left is written where it is planned, not where it is missing. */
export const noMarks: Law = {
  name: 'no-marks',
  find: (tree) =>
    tree.paths
      .filter((path) => /\.(?:ts|mjs|sql|sh|yml|yaml|jsonc)$/.test(path) && !path.startsWith('tools/laws/'))
      .flatMap((path) =>
        tree
          .text(path)
          .split('\n')
          .flatMap((line, index) =>
            marks.test(line)
              ? [{ path, line: index + 1, law: 'no-marks', message: 'finish it, or write down elsewhere what is left' }]
              : [],
          ),
      ),
};
const marks = /\b(?:TODO|FIXME|XXX|HACK)\b/;

/**
 * The console sees pages of rows. Whatever it added up over them would leave out the rows of the next page, so money and
 * counts come from the server. A sum in a file of words about billing is the same sum.
 */
export const consoleAddsNothingUp = sourceLaw({
  name: 'console-adds-nothing-up',
  pages: true,
  applies: (path) => /^web\/src\/(?:pages|ops|shell|client|parts|words\/billing)\//.test(path) && !isTestCode(path),
  look: (node) => {
    const callee = node.type === 'CallExpression' ? node['callee'] : undefined;
    const called = isNode(callee) && callee.type === 'MemberExpression' ? callee['property'] : undefined;
    const isSum = isNode(called) && called['name'] === 'reduce';
    const isGrown = node.type === 'AssignmentExpression' && node['operator'] === '+=';
    return isSum || isGrown ? 'a page of rows is not all rows: let the server add up, as the overview does' : undefined;
  },
});

/** A checker may be silenced for one line, in a sentence that says why; never for a file, and never by @ts-ignore. */
const silences: readonly (readonly [RegExp, string])[] = [
  [/@ts-(?:ignore|nocheck)\b/, 'say what is wrong instead: @ts-expect-error fails when it is no longer needed'],
  [/@ts-expect-error\s*$/, 'say why the compiler is wrong here'],
  [/(?:eslint|oxlint)-disable(?:-next-line|-line)?\b(?!.*-- \S)/, 'give the reason after " -- "'],
  [/biome-ignore-all\b/, 'silence one line, not the file'],
  [/(?:v8|c8|istanbul) ignore\b/, 'a line that no test can reach is a line to remove'],
];
export const noSilence: Law = {
  name: 'no-silence',
  find: (tree) =>
    tree.paths
      .filter((path) => isSource(path) && !path.startsWith('tools/laws/'))
      .flatMap((path) =>
        tree
          .text(path)
          .split('\n')
          .flatMap((line, index) =>
            silences
              .filter(([pattern]) => pattern.test(line))
              .map(([, message]) => ({ path, line: index + 1, law: 'no-silence', message })),
          ),
      ),
};

/** Files that may break a law, each on a list of its own that only shrinks. */
export interface Excused {
  readonly builtSql: readonly string[];
  readonly bareNumbers: readonly string[];
  /** How many banned words a top folder may keep. */
  readonly words: ReadonlyMap<string, number>;
}
export const nobody: Excused = { builtSql: [], bareNumbers: [], words: new Map() };

export const sourceLaws = (excused: Excused): readonly Law[] => [
  noShellStrings,
  noRemovalByPath,
  noLookThatForgives,
  noCallsOut,
  agentsDialInNamedFiles,
  apiCallsByTheClient,
  noBareConnection,
  noForgedTenant,
  noEval,
  noLibraryInternals,
  noBuiltSql(excused.builtSql),
  noOffset,
  noFloatMoney,
  noMathRandom,
  consoleAddsNothingUp,
  noRepeatedLists,
  statesChangeInMachines,
  noBareNumbers(excused.bareNumbers),
  noAppSlugs,
  noMarks,
  noSilence,
  plainWords(excused.words),
];
