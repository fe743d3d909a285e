import type { Api } from './generated/api.ts';
import { type OperationId, operations, spaces } from './generated/operations.ts';
import type { AllocationDetail } from './generated/types.ts';
import {
  type AllocationState,
  type Launched,
  type LaunchOptions,
  makeLaunch,
  type Waiting,
  waitUntil,
} from './launched.ts';
import type { CallOptions, OperationFacts, Page, Paged } from './operation.ts';
import { streamEvents } from './stream.ts';
import { type ClientOptions, makeTransport, type Transport } from './transport.ts';

/** A client of one installation. Every operation is a method; `call` reaches what this version does not know yet. */
export interface Gpuaas extends Api {
  /** Any method and path, for what has no method of its own. Answers the body. */
  call(method: string, path: string, body?: unknown, options?: CallOptions): Promise<unknown>;
  /** A path that answers with a file. Answers the response itself, so that a large file need not fit into memory. */
  download(path: string, options?: CallOptions): Promise<Response>;
  /** Starts GPUs; with `await using` they are released at the end of the block, whatever happens in it. */
  launch(launch: LaunchOptions, options?: CallOptions): Promise<Launched>;
  /** Waits until an allocation is where it should be. */
  waitUntil(allocationId: string, state: AllocationState, waiting?: Waiting): Promise<AllocationDetail>;
}

/** Where a client has an operation: `allocation_list` is `allocations.list`. */
export function placeOf(operation: OperationId): readonly [space: string, method: string] {
  for (const [space, methods] of Object.entries(spaces)) {
    for (const [name, id] of Object.entries(methods)) if (id === operation) return [space, name];
  }
  throw new TypeError(`there is no operation ${operation}`);
}

export function openGpuaas(options: ClientOptions): Gpuaas {
  const transport = makeTransport(options);
  const api: Record<string, Record<string, unknown>> = {};
  for (const [space, methods] of Object.entries(spaces)) {
    api[space] = Object.fromEntries(
      Object.entries(methods).map(([name, id]) => [name, methodOf(transport, operations[id] as OperationFacts)]),
    );
  }
  const call: Gpuaas['call'] = async (method, path, body, callOptions = {}) => {
    const name = method.toUpperCase();
    // The path is taken as it is, so nothing in it is a place for a value.
    const facts: OperationFacts = { method: name, path: '', inProject: true, ...(name !== 'GET' && { keyed: true }) };
    const request = transport.requestOf(facts, (body ?? {}) as Record<string, unknown>, callOptions);
    return read(await transport.deliver(facts, { ...request, url: request.url + path }, callOptions));
  };
  const download: Gpuaas['download'] = (path, callOptions = {}) => {
    // As long as it takes: a stream has no time limit.
    const facts: OperationFacts = { method: 'GET', path: '', inProject: true, text: true, stream: true };
    const request = transport.requestOf(facts, {}, callOptions);
    return transport.deliver(facts, { ...request, url: request.url + path }, callOptions);
  };
  const known = api as unknown as Api;
  return {
    ...known,
    call,
    download,
    launch: makeLaunch(known, transport.sleep),
    waitUntil: (allocationId, state, waiting) => waitUntil(known, transport.sleep, allocationId, state, waiting),
  };
}

function methodOf(transport: Transport, facts: OperationFacts) {
  return (...given: readonly unknown[]) => {
    const [input, options] = facts.bare ? [{}, given[0]] : given;
    const fields = (input ?? {}) as Readonly<Record<string, unknown>>;
    const call = (options ?? {}) as CallOptions;
    if (facts.stream) return streamEvents(transport, facts, fields, call);
    if (facts.paged) return listOf(transport, facts, fields, call);
    return send(transport, facts, fields, call);
  };
}

const send = async (
  transport: Transport,
  facts: OperationFacts,
  input: Readonly<Record<string, unknown>>,
  call: CallOptions,
) => read(await transport.deliver(facts, transport.requestOf(facts, input, call), call), facts.text);

async function read(response: Response, isText = false): Promise<unknown> {
  const text = await response.text();
  if (isText || text === '') return text;
  return JSON.parse(text) as unknown;
}

function listOf(
  transport: Transport,
  facts: OperationFacts,
  input: Readonly<Record<string, unknown>>,
  call: CallOptions,
): Paged<unknown> {
  const page = (cursor: string | undefined) =>
    send(transport, facts, { ...input, ...(cursor !== undefined && { cursor }) }, call) as Promise<Page<unknown>>;
  async function* pages(): AsyncGenerator<Page<unknown>> {
    let cursor = input['cursor'] as string | undefined;
    for (;;) {
      const next = await page(cursor);
      yield next;
      if (!next.has_more || next.next_cursor === null) return;
      cursor = next.next_cursor;
    }
  }
  return {
    // biome-ignore lint/suspicious/noThenProperty: a list that is awaited is its first page
    then: (onFulfilled, onRejected) => page(input['cursor'] as string | undefined).then(onFulfilled, onRejected),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const { data } of pages()) yield* data;
    },
  };
}
