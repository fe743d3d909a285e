import { type OperationFacts, type OperationId, operations } from '@gpuaas/sdk';
import type { CommandSpec, Reading, Session } from '../command.ts';
import { usageFailure } from '../failure.ts';
import {
  resolveAccount,
  resolveAllocation,
  resolveApp,
  resolveGroup,
  resolveNode,
  resolveOrganization,
  resolveProjectNamed,
  resolveSlot,
  resolveSshKeys,
} from '../resolve.ts';
import { readDuration } from '../show/value.ts';
import { currencyOfSku, readAmounts, readMoney, type TypedAmount } from './money.ts';

/** Converts typed words to the input of the operation. The table says which word fills which field. */
export async function readInput(
  command: CommandSpec,
  operation: OperationId,
  session: Session,
): Promise<Record<string, unknown>> {
  const input: Record<string, unknown> = {};
  const { args = [], flags = {}, gives = {}, instead = {} } = command;
  // Flags are checked before any lookup.
  for (const [name, { needed, otherwise }] of Object.entries(flags)) {
    if (needed && otherwise === undefined && (session.list(name)[0] ?? '') === '') {
      throw usageFailure(`--${name} is required.`, `gpuaas ${command.name} --help shows the usage.`);
    }
  }
  for (const [path, value] of Object.entries(gives)) put(input, path, value);
  for (const [index, { field, as }] of args.entries()) {
    const text = session.arg(index);
    if (field !== undefined && text !== '') put(input, field, await read(session, as, [text], field, input));
  }
  const amounts: TypedAmount[] = [];
  for (const [name, flag] of Object.entries(flags)) {
    const field = fieldOf(name, flag.field);
    if (flag.as === 'amount') {
      const text = session.text(name);
      if (text !== undefined) amounts.push({ field, text, what: `--${name}` });
      continue;
    }
    if (flag.type === 'boolean') {
      // A flag that selects another operation is not a field.
      if (session.is(name) && !Object.hasOwn(instead, name)) put(input, field, true);
      continue;
    }
    const typed = session.list(name);
    const given = typed.length === 0 && flag.otherwise !== undefined ? [flag.otherwise] : typed;
    if (given.length > 0) put(input, field, await read(session, flag.as, given, `--${name}`, input));
    else if (flag.follows !== undefined) put(input, field, slugOf(String(input[flag.follows] ?? '')));
  }
  const { minors, currency } = await readAmounts(session, operations[operation], input, amounts);
  for (const [field, minor] of minors) put(input, field, minor);
  if (currency !== undefined && Object.hasOwn(flags, 'currency')) input['currency'] = currency;
  // The flag --organization selects a path and fills no field; an argument does fill one.
  const isArgument = args.some(({ field }) => field === 'organization_id');
  return fillPath(operation, session, input, isArgument);
}

/** `--gpu-model` fills `gpu_model`, unless the table says otherwise. */
export const fieldOf = (flag: string, field: string | undefined): string => field ?? flag.replaceAll('-', '_');

/** Path parameters for the organization and the project of the command. */
async function fillPath(
  operation: OperationId,
  session: Session,
  input: Record<string, unknown>,
  keepsOrganization: boolean,
) {
  const { path, query = [] }: OperationFacts = operations[operation];
  if (path.includes('{organization_id}')) input['organization_id'] ??= await resolveOrganization(session);
  else if (!query.includes('organization_id') && !keepsOrganization) delete input['organization_id'];
  if (path.includes('{project_id}')) input['project_id'] ??= await session.project();
  return input;
}

function put(input: Record<string, unknown>, path: string, value: unknown): void {
  const [first = path, ...rest] = path.split('.');
  if (rest.length === 0) {
    input[first] = value;
    return;
  }
  const inner = { ...((input[first] ?? {}) as Record<string, unknown>) };
  put(inner, rest.join('.'), value);
  input[first] = inner;
}

async function read(
  session: Session,
  as: Reading | undefined,
  texts: readonly string[],
  what: string,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const [text = ''] = texts;
  const words = texts.flatMap((each) => each.split(',')).map((each) => each.trim());
  switch (as) {
    case undefined:
      return texts.length > 1 ? texts : text;
    case 'number':
      return readNumber(text, what);
    case 'numbers':
      return words.map((word) => readNumber(word, what));
    case 'list':
      return words;
    case 'truth':
      return text === 'true';
    case 'pairs':
      return readPairs(texts, what);
    case 'json':
      return readJsonText(text, what);
    case 'value':
      return readValue(text);
    case 'money':
      return readMoney(text, what, () => currencyOfSku(session, input['sku']));
    case 'seconds':
      return readLength(text, what);
    case 'minutes':
      return Math.ceil(readLength(text, what) / 60);
    case 'allocation':
      return resolveAllocation(session, text);
    case 'app':
      return resolveApp(session, text);
    case 'group':
      return resolveGroup(session, text);
    case 'node':
      return resolveNode(session, text);
    case 'slot':
      return resolveSlot(session, String(input['node_id']), text);
    case 'key':
      return (await resolveSshKeys(session, [text]))[0];
    case 'keys':
      return resolveSshKeys(session, words);
    case 'amount':
      // All amounts of a command have one currency, so they are read together.
      return text;
    case 'account':
      return resolveAccount(session, text);
    case 'organization':
      return resolveOrganization(session, text);
    case 'project':
      return resolveProjectNamed(session, text);
    case 'projects':
      return Promise.all(words.map((word) => resolveProjectNamed(session, word)));
  }
}

export function readLength(text: string, what: string): number {
  const seconds = readDuration(text);
  if (seconds === undefined || seconds === 0) throw usageFailure(`${what} is a duration: 30m, 3h, 2d.`);
  return seconds;
}

function readNumber(text: string, what: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw usageFailure(`${what} must be a number, not ${JSON.stringify(text)}.`);
  return Number(text);
}

export function readPairs(texts: readonly string[], what: string): Record<string, string> {
  return Object.fromEntries(
    texts.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at < 1) throw usageFailure(`${what} takes KEY=VALUE, not ${JSON.stringify(text)}.`);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function readJsonText(text: string, what: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw usageFailure(`${what} is not valid JSON.`, 'Quote it for your shell with single quotes.');
  }
}

const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63) || 'unnamed';

const readValue = (text: string): number | boolean | string => {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+$/.test(text) ? Number(text) : text;
};
