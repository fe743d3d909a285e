import { machines } from '@gpuaas/contract';
import { isTestCode } from '../../lib/tree.ts';
import { sourceLaw, textOf } from '../law.ts';

interface Home {
  readonly table: string;
  /** The only files that hold statements which change the state: the store of the machine. */
  readonly files: readonly string[];
}
const inDomains = (...files: readonly string[]): readonly string[] => files.map((file) => `server/src/domains/${file}`);

/** Each machine of the contract: the table whose state it moves, and where. A machine without a line is reported. */
export const homesOfStates: Readonly<Record<string, Home>> = {
  allocation: {
    table: 'allocations',
    // The demo writes allocations that have ended before it began, along the edges of the machine.
    files: inDomains('allocations/life/machine-store.ts', 'allocations/demo/past-runs-store.ts'),
  },
  app_artifact: { table: 'app_versions', files: inDomains('apps/versions/machine-store.ts') },
  app_instance: { table: 'app_instances', files: inDomains('app-instances/machine-store.ts') },
  app_trust: { table: 'app_version_trust', files: inDomains('apps/versions/machine-store.ts') },
  billing_account: { table: 'account_ladders', files: inDomains('billing/ladder/store.ts') },
  dead_letter: { table: 'dead_letters', files: inDomains('outbox/dead-letters-store.ts') },
  department: { table: 'departments', files: inDomains('tenancy/departments/departments-store.ts') },
  invitation: { table: 'invitations', files: inDomains('tenancy/invitations/invitations-store.ts') },
  invoice: { table: 'invoices', files: inDomains('invoicing/invoices-store.ts') },
  maas_job: { table: 'maas_jobs', files: inDomains('maas/machine-store.ts') },
  node_task: { table: 'node_tasks', files: inDomains('nodes/tasks/tasks-store.ts') },
  node: { table: 'nodes', files: inDomains('nodes/machine-store.ts') },
  payment: { table: 'payment_sessions', files: inDomains('payments/store.ts') },
  project: { table: 'projects', files: inDomains('tenancy/store.ts') },
  service_account: { table: 'service_accounts', files: inDomains('service-accounts/store.ts') },
  slot: { table: 'slots', files: inDomains('allocations/slots/slots-store.ts') },
  signer: { table: 'task_signers', files: inDomains('nodes/signers/signers-store.ts') },
  terminal_session: { table: 'terminal_sessions', files: inDomains('terminal/store.ts') },
};
const filesOf = new Map(Object.values(homesOfStates).map(({ table, files }) => [table, files]));

/** Machines of the contract that have no line above, and lines that no machine has. */
export const homelessMachines = (): string[] => {
  const names = new Set<string>(machines.map(({ name }) => name));
  const without = [...names].filter((name) => !Object.hasOwn(homesOfStates, name));
  return [...without, ...Object.keys(homesOfStates).filter((name) => !names.has(name))];
};

const updates = /\bupdate\s+(?:only\s+)?(?:[a-z_]+\.)?([a-z_]+)(?:\s+(?:as\s+)?(?!set\b)[a-z_]+)?\s+set\b/gi;
const upserts = /\binsert\s+into\s+(?:[a-z_]+\.)?([a-z_]+)\b(?:(?!\binsert\b)[\s\S])*?\bdo\s+update\s+set\b/gi;

/** The tables whose column `state` a statement sets, in any of its parts. */
export function statesSetBy(text: string): string[] {
  return [...text.matchAll(updates), ...text.matchAll(upserts)]
    .filter((match) => assignedAfter(text.slice(match.index + match[0].length)).has('state'))
    .map(([, table = '']) => table);
}

/** The columns that a list of assignments sets. It ends at a clause, or where the statement around it goes on. */
function assignedAfter(text: string): Set<string> {
  let depth = 0;
  let item = '';
  const items: string[] = [];
  for (const [part] of text.matchAll(/[a-z_]+|[\s\S]/gi)) {
    if (depth === 0 && (part === ')' || isEnd(part, item))) break;
    if (part === '(') depth += 1;
    if (part === ')') depth -= 1;
    if (depth === 0 && part === ',') {
      items.push(item);
      item = '';
    } else {
      item += part;
    }
  }
  const left = [...items, item].map((each) => each.split('=')[0] ?? '');
  return new Set(left.flatMap((each) => each.match(/[a-z_]+/gi) ?? []));
}
const isEnd = (part: string, before: string): boolean =>
  /^(?:where|returning)$/i.test(part) || (/^from$/i.test(part) && !/\bdistinct\s+$/i.test(before));

/**
 * The state of a thing under a machine is changed by the code of that machine, which locks the row and asks the table of
 * transitions. Its statements lie in one store; no other file may set the column, also not by an alias.
 */
export const statesChangeInMachines = sourceLaw({
  name: 'states-change-in-machines',
  applies: (path) => path.startsWith('server/src/') && !isTestCode(path),
  look: (node, _parents, _text, path) => {
    const text = node.type === 'TemplateLiteral' || node.type === 'Literal' ? textOf(node) : undefined;
    const foreign = statesSetBy(text ?? '').find((table) => filesOf.get(table)?.includes(path) === false);
    return foreign === undefined
      ? undefined
      : `the state of ${foreign} is changed by its machine alone, in ${filesOf.get(foreign)?.[0]}`;
  },
});
