import { machines, routes } from '@gpuaas/contract';
import { taskPhases } from '@gpuaas/contract/node';
import { isTestCode } from '../../lib/tree.ts';
import { isNode, type Law, literal, type Node, sourceLaw } from '../law.ts';

/** Lists of fewer words are everyday words: `yes` and `no` repeat nothing. */
const leastWords = 3;

/** Every choice in a schema of the contract. */
function* choicesIn(schema: unknown): Generator<readonly string[]> {
  if (typeof schema !== 'object' || schema === null) return;
  const { enum: choices } = schema as { readonly enum?: unknown };
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')) yield choices as string[];
  for (const part of Object.values(schema)) yield* choicesIn(part);
}
const sets = (lists: readonly (readonly string[])[]): readonly ReadonlySet<string>[] =>
  lists.map((words) => new Set(words)).filter(({ size }) => size >= leastWords);
/** A part of these is a selection, as the scopes that a token for reading gets; the whole of one is a copy. */
const choices = sets(routes.flatMap((route) => [...choicesIn(route)]));
/** A part of these is a rule about a life that the server decides: which states count as over, which phases come first. */
const lives = sets([
  ...machines.flatMap(({ states }) => {
    const edges = states as Readonly<Record<string, Readonly<Record<string, string>>>>;
    return [Object.keys(edges), Object.values(edges).flatMap((ways) => Object.keys(ways))];
  }),
  [...taskPhases],
]);

const isRepeated = (words: readonly unknown[]): boolean =>
  words.length >= leastWords &&
  words.every((word) => typeof word === 'string') &&
  (lives.some((list) => words.every((word) => list.has(word))) ||
    choices.some((list) => words.length === list.size && words.every((word) => list.has(word))));

const keysOf = (table: Node): unknown[] =>
  (table['properties'] as readonly Node[]).map((property) => {
    const key = property['key'];
    if (!isNode(key) || property['computed'] === true) return undefined;
    return key.type === 'Identifier' ? key['name'] : literal(key);
  });

/** Whether the type of a table says that any text may be a key: the compiler then misses none. */
const isForAnyText = (parent: Node | undefined, text: string): boolean =>
  parent?.type === 'VariableDeclarator' &&
  isNode(parent['id']) &&
  /Record<string\b|Map<string\b/.test(text.slice(parent['id'].start, parent['id'].end));

/**
 * The console and the command line take states, phases and choices from the contract. A copy stays as it is when the contract
 * grows, and nobody notices. A table with a word for each state is no copy if its type comes from the contract: it does not
 * compile when a state is missing.
 */
export const noRepeatedLists: Law = sourceLaw({
  name: 'no-repeated-lists',
  pages: true,
  applies: (path) => /^(?:web|cli)\/src\//.test(path) && !isTestCode(path) && !path.includes('/generated/'),
  look: (node, parents, text) => {
    if (node.type === 'ArrayExpression' && isRepeated((node['elements'] as readonly unknown[]).map(literal))) {
      return 'a list of the contract is repeated here: take it from @gpuaas/sdk/choices, or let the server decide';
    }
    if (node.type === 'ObjectExpression' && isForAnyText(parents.at(-1), text) && isRepeated(keysOf(node))) {
      return 'this table repeats a list of the contract: give its keys the type of the contract, so that none is missing';
    }
    return undefined;
  },
});
