import { readFileSync } from 'node:fs';
import { type OperationFacts, type OperationId, operations } from '@gpuaas/sdk';
import { describe, expect, it } from 'vitest';
import { findCommand } from '../../../cli/src/commands.ts';
import { rehearse, type Script } from '../../../cli/src/testing.ts';
import { writeCommandLine } from '../../../web/src/words/command-line.ts';
import type { OpenApi } from '../sdk/schema.ts';
import { commandLinesOf } from './commands.ts';

const document = JSON.parse(readFileSync(new URL('../../../api/openapi.json', import.meta.url), 'utf8')) as OpenApi;
const lines = commandLinesOf(document);

/** Operations that a command makes on its way, or that only programs make. */
const within: Readonly<Record<string, string>> = {
  access_grant_create: 'gpuaas grant add finds the member by name, and counts the time from now',
  access_grant_update: 'gpuaas grant extend counts the time from now',
  agent_release_add: 'gpuaas ops release add reads the bundle from a file',
  allocation_group_create: 'gpuaas group create takes its members one by one',
  allocation_plan: 'gpuaas launch shows it before it asks',
  billing_document_file_get: 'gpuaas billing download checks its digest and saves it',
  billing_proof_get: 'gpuaas billing prove fetches every part, and recomputes them',
  app_instance_create: 'gpuaas app launch takes an allocation that exists or a new one, and not both',
  app_instance_logs: 'gpuaas app logs reads it until the host has answered',
  app_instance_upgrade: 'gpuaas app upgrade takes parameters as --set name=value',
  admin_app_version_revoke: 'gpuaas ops app revoke says first whom it affects',
  app_push_credential_create: 'gpuaas app registry login prints it as a line for a shell',
  app_sign_in_create: 'browsers sign in to an app: the console does',
  app_version_publish: 'gpuaas app publish reads the manifest from a file',
  branding_get: 'the console shows it',
  default_project_get: 'gpuaas whoami and every command that needs a project',
  admin_recording_cast: 'gpuaas ops recording play and download read it page by page',
  admin_recording_open: 'gpuaas ops recording play and download open a view first',
  recording_cast: 'gpuaas recording play and download read it page by page',
  recording_open: 'gpuaas recording play and download open a view first',
  storage_download_get: 'gpuaas cp and sync fetch from it at once',
  storage_upload_create: 'gpuaas cp and sync measure the file first',
  storage_upload_finish: 'gpuaas cp and sync send the checksum of what they have read',
  storage_upload_get: 'gpuaas cp --resume looks which parts are there',
  storage_upload_part: 'gpuaas cp and sync send parts to it at once',
  terminal_token_mint: 'gpuaas terminal mints one for each connection',
  maas_onboard: 'gpuaas ops maas onboard takes its machines one by one',
  maas_site_create: 'gpuaas ops maas site add reads the key from a file',
  passkey_begin: 'browsers make passkeys: the console does',
  passkey_confirm: 'browsers make passkeys: the console does',
  project_ssh_key_add: 'gpuaas key add --shared reads the key from a file',
  service_account_token: 'programs exchange their assertion; the SDKs do',
  sign_in_get: 'gpuaas login',
  signing_key_list: 'programs check signatures with it',
  ssh_certificate_sign: 'gpuaas ssh-certificate makes the key that is signed',
  ssh_key_add: 'gpuaas key add reads the key from a file',
  ssh_key_prove: 'gpuaas key prove signs with the key, and sends the signature',
  version_get: 'gpuaas version',
};

const id = (n: number) => `01a1dea2-0000-7000-8000-${String(n).padStart(12, '0')}`;
/** One value of each kind, as the API takes it. */
const sampleOf = (as: string | undefined, field: string, index: number): unknown => {
  switch (as?.replace('*', '')) {
    case 'number':
    case 'seconds':
    case 'minutes':
      return index + 2;
    case 'numbers':
      return [1, 2];
    case 'value':
      return 8;
    case 'truth':
    case 'flag':
      return true;
    case 'pairs':
      return { team: 'a b', run: '7' };
    case 'json':
      return { slice_vm_profiles: [{ gpus: 1 }] };
    case 'money':
      return { amount_minor: '310', currency: 'EUR' };
    case 'amount':
      return '2550';
    case 'list':
      return ['a:read', 'b:write'];
    case 'keys':
    case 'projects':
      return [id(index), id(index + 1)];
    case undefined:
    case 'text':
      if (field === 'currency') return 'EUR';
      if (field === 'allocation_id') return id(index);
      if (field === 'since' || field === 'until') return '2026-01-02T03:04:05.000Z';
      return field === 'sku' ? 'h200' : `it's ${field} "${index}"`;
    default:
      return id(index);
  }
};
/** Words as a shell reads them. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:'((?:[^']|'\\'')*)'|[^\s'])+/g)].map(([word]) =>
    word.replaceAll(/'((?:[^']|'\\'')*)'(?!\\)/g, (_, inner: string) => inner.replaceAll(`'\\''`, "'")),
  );

const world: Script = {
  'GET /api/v1/catalog': { data: [{ sku: 'h200', allowed_gpu_counts: [1], availability: [] }], has_more: false },
  'POST /api/v1/allocations/plan': {
    feasible: true,
    message: '',
    price: { per_hour: { amount_minor: '1', currency: 'EUR' } },
    decision: { would_fit: [] },
  },
};

describe('the table of commands', () => {
  it('has a command for every operation', () => {
    const without = Object.keys(operations).filter((each) => !lines.has(each) && within[each] === undefined);
    expect(without).toEqual([]);
    expect(Object.keys(within).filter((each) => lines.has(each) || !Object.hasOwn(operations, each))).toEqual([]);
  });

  it('browses the catalogue, launches and releases, sees to members, and exports the record', () => {
    const wordsFor = (operation: OperationId) => lines.get(operation)?.words;
    expect(wordsFor('catalog_list')).toBe('sku list');
    expect(wordsFor('allocation_create')).toBe('launch');
    expect(wordsFor('allocation_release')).toBe('release');
    expect(wordsFor('project_member_set')).toBe('member set');
    expect(wordsFor('audit_export')).toBe('ops audit export');
  });

  it('shows the balance, pays, and sends a payment back', () => {
    const wordsFor = (operation: OperationId) => lines.get(operation)?.words;
    expect(wordsFor('billing_balance_get')).toBe('billing balance');
    expect(wordsFor('payment_session_create')).toBe('billing top-up');
    expect(wordsFor('admin_payment_refund')).toBe('ops billing refund');
  });

  // A stream has no end; that it is asked for is seen where it is listened to.
  // The thresholds of a budget come without a currency, so the console cannot write them; cli/src/input/money.test.ts types them.
  const ending = [...lines].filter(
    ([operation]) => !/(?:event|log)_stream$/.test(operation) && operation !== 'budget_update',
  );
  it.each(ending)('types %s, and the command calls exactly that', async (operation, line) => {
    const { facts, input, args, typed } = rehearsalOf(operation, line);
    const { asked, err } = await rehearse([...args, '--yes', '--quiet'], world);
    const path = pathOf(facts, input);
    const sent = asked.find(({ request }) => request.split('?')[0] === `${facts.method} ${path}`);
    const why = sent ? '' : `${typed?.join(' ')}\n${err}`;
    expect({ sent: sent !== undefined, why }).toEqual({ sent: true, why: '' });
    const query = new URLSearchParams(sent?.request.split('?')[1] ?? '');
    const rest = Object.entries(input).filter(([name]) => !facts.path.includes(`{${name}}`));
    const inQuery = rest.filter(([name]) => facts.query?.includes(name));
    for (const [name, value] of inQuery) expect(query.get(name), name).toBe(String(value));
    const inBody = rest.filter(([name]) => !facts.query?.includes(name));
    if (facts.method !== 'GET' && inBody.length > 0) expect(sent?.body).toEqual(Object.fromEntries(inBody));
  });

  const looks = ending.filter(([id, { words }]) => {
    const facts: OperationFacts = operations[id as OperationId];
    return words.startsWith('ops ') && facts.method === 'GET' && !facts.text;
  });
  it.each(looks)('answers an operator who asks for %s in JSON', async (operation, line) => {
    const { facts, input, args } = rehearsalOf(operation, line);
    const empty = { data: [], definitions: [], settings: [], moments: [], findings: [], intact: true, has_more: false };
    const { code, out } = await rehearse([...args, '-o', 'json'], { [`GET ${pathOf(facts, input)}`]: empty });
    expect({ code, parsed: typeof JSON.parse(out) }).toEqual({ code: 0, parsed: 'object' });
  });
});

describe('a choice of a command', () => {
  const offered = [...lines].flatMap(([operation, { words, flags }]) =>
    Object.entries(flags).flatMap(([field, [flag]]) => {
      const choices = findCommand(words.split(' '))?.command.flags?.[flag]?.choices;
      // A command may stand for two operations, one of which takes fewer choices: it offers what either takes.
      const sharing = [...lines].filter(([, line]) => line.words === words).map(([each]) => each);
      const promised = choicesOf(operation, field) && [
        ...new Set(sharing.flatMap((each) => choicesOf(each, field) ?? [])),
      ];
      return choices && promised ? [[`${words} --${flag}`, choices, promised] as const] : [];
    }),
  );
  it('is looked at', () => {
    expect(offered.length).toBeGreaterThan(5);
  });
  it.each(offered)('%s is one that the operation takes, and none is left out', (_name, choices, promised) => {
    expect(choices.toSorted()).toEqual(promised.toSorted());
  });
});

/** The closed choice that an operation has for a field, in its query or its body. */
function choicesOf(operation: string, field: string): readonly string[] | undefined {
  interface Schema {
    readonly $ref?: string;
    readonly enum?: readonly string[];
    readonly properties?: Readonly<Record<string, Schema>>;
  }
  interface Operation {
    readonly operationId: string;
    readonly parameters?: readonly { readonly name: string; readonly schema: Schema }[];
    readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  }
  const { paths, components } = document as unknown as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
  };
  const known = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1) ?? ''] : schema;
  const found = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === operation);
  const body = known(found?.requestBody?.content['application/json']?.schema);
  const inQuery = found?.parameters?.find(({ name }) => name === field)?.schema;
  return known(inQuery ?? body?.properties?.[field])?.enum;
}

type Line = typeof lines extends ReadonlyMap<string, infer L> ? L : never;
const pathOf = (facts: OperationFacts, input: Readonly<Record<string, unknown>>): string =>
  facts.path.replaceAll(/\{([a-z_]+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));

/** A call of the operation with everything that its command takes, and the words that somebody would type for it. */
function rehearsalOf(operation: string, line: Line) {
  const facts: OperationFacts = operations[operation as OperationId];
  const command = findCommand(line.words.split(' '))?.command;
  const input: Record<string, unknown> = {};
  const fill = (path: string, value: unknown) => {
    const [first = path, second] = path.split('.');
    input[first] = second === undefined ? value : { ...(input[first] as object), [second]: value };
  };
  for (const [path, value] of Object.entries(line.gives ?? {})) fill(path, value);
  for (const [index, [field, as]] of line.args.entries()) fill(field, sampleOf(as, field, index));
  for (const [index, [field, [flag, as]]] of Object.entries(line.flags).entries()) {
    if (field === 'limit' || field === 'follow') continue;
    const choices = as === undefined ? command?.flags?.[flag]?.choices : undefined;
    fill(field, choices?.at(-1) ?? sampleOf(as, field, index + 9));
  }
  for (const [, name = ''] of facts.path.matchAll(/\{(organization_id|project_id)\}/g)) input[name] ??= id(77);
  const typed = writeCommandLine(operation as OperationId, input, facts.inProject ? id(99) : undefined);
  expect(typed).toBeDefined();
  return { facts, input, typed, args: wordsOf((typed ?? []).join(' ')).slice('npx gpuaas'.split(' ').length) };
}
