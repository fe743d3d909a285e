import { isSource, isTestCode, type Tree } from '../../lib/tree.ts';
import { type Finding, type Law, lineAt } from '../law.ts';

/**
 * A table has one owner: the domain whose README names it after **Tables**, unless it says that it only reads it, or moves the state
 * or health of it. Others come through the owner's door or by events. A domain that writes a table of another one stands here,
 * with the reason.
 */
const guests: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  slots: {
    allocations: 'reserves and frees them in the transaction that moves the allocation',
  },
  node_image_cache: { nodes: 'writes down which images a host reported, in the transaction that takes the report' },
  contact_addresses: { identity: 'the address of a person is learnt when the person signs in' },
  user_names: { tenancy: 'a person changes the own name, beside the rest of the own settings' },
};

const readme = /^server\/src\/domains\/([^/]+)\/README\.md$/;
const list = /\*\*Tables\*\*([\s\S]*?)(?=\n\n|\n- |\*\*|$)/;
const ofOthers = /\b(?:is|are) read\b|\breads\b|\bthe (?:state|health) of\b/;
const inDomain = /^server\/src\/domains\/([^/]+)\//;

/** Which domains name a table as their own. */
export function ownersIn(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const owners = new Map<string, string[]>();
  for (const path of tree.paths) {
    const domain = readme.exec(path)?.[1];
    const told = domain === undefined ? undefined : list.exec(tree.text(path))?.[1];
    const own = (told ?? '').split(/;|\.\s/).filter((clause) => !ofOthers.test(clause));
    for (const [, table = ''] of own.join(';').matchAll(/`([a-z_]+)`/g)) {
      owners.set(table, [...(owners.get(table) ?? []), domain ?? '']);
    }
  }
  return owners;
}

const writes = /\b(?:insert\s+into|update(?:\s+only)?|delete\s+from(?:\s+only)?)\s+(?:public\.)?([a-z_]+)\b/g;

export const tablesHaveOneWriter: Law = {
  name: 'tables-have-one-writer',
  find: (tree) => {
    const owners = ownersIn(tree);
    return tree.paths
      .filter((path) => inDomain.test(path) && isSource(path) && !isTestCode(path))
      .flatMap((path): Finding[] => {
        const domain = inDomain.exec(path)?.[1] ?? '';
        return [...tree.text(path).matchAll(writes)].flatMap(({ index, 1: table = '' }) => {
          const owner = owners.get(table);
          if (owner === undefined || owner.includes(domain) || guests[table]?.[domain] !== undefined) return [];
          const message = `${table} is written by ${owner.join(' and ')} alone: ask its door, or listen to its events`;
          return [{ path, line: lineAt(tree.text(path), index), law: 'tables-have-one-writer', message }];
        });
      });
  },
};

/** Guests that write nothing any more: their line is taken off. */
export function idleGuests(tree: Tree): string[] {
  return Object.entries(guests).flatMap(([table, domains]) =>
    Object.keys(domains).flatMap((domain) => {
      const isWriter = tree.paths
        .filter((path) => path.startsWith(`server/src/domains/${domain}/`) && isSource(path) && !isTestCode(path))
        .some((path) => [...tree.text(path).matchAll(writes)].some(([, written]) => written === table));
      return isWriter ? [] : [`${domain} does not write ${table}`];
    }),
  );
}
