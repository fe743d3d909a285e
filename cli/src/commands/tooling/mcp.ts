import { createInterface } from 'node:readline';
import { failureFrom, openSession } from '../../account/session.ts';
import type { CommandSpec, Given, Run, Session } from '../../command.ts';
import { exitCodes } from '../../failure.ts';
import { checkGiven } from '../../input/given.ts';
import { loadCommand } from '../../load.ts';
import { readVersion } from '../../version.ts';

/**
 * The commands as tools of the Model Context Protocol, over standard input and output: one JSON message per line. Only
 * commands that read are offered, unless changes were allowed.
 */
const newest = '2025-06-18';
/** Commands that need a terminal, never end, or would allow every call. */
const never: ReadonlySet<string> = new Set([
  'login',
  'logout',
  'api',
  'completion',
  'events tail',
  'ops events tail',
  'mcp serve',
]);

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}
interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}
const methodNotFound = -32_601;
const invalidParams = -32_602;
const parseError = -32_700;

export const serve: Run = async (session) => {
  const tools = new Map(
    session.commands
      .filter(({ name, reads }) => !never.has(name) && (reads === true || session.is('allow-changes')))
      .map((command) => [command.name.replaceAll(' ', '_'), command]),
  );
  const write = (message: object) => void session.around.stdout.write(`${JSON.stringify(message)}\n`);
  for await (const line of createInterface({ input: session.around.stdin })) {
    if (line.trim() === '') continue;
    let message: Message;
    try {
      message = JSON.parse(line) as Message;
    } catch {
      write({ jsonrpc: '2.0', id: null, error: { code: parseError, message: 'The line is not valid JSON.' } });
      continue;
    }
    // A notification (without id) gets no answer.
    if (message.id === undefined) continue;
    write({ jsonrpc: '2.0', id: message.id, ...(await answer(session, tools, message)) });
  }
  return exitCodes.ok;
};

async function answer(
  session: Session,
  tools: ReadonlyMap<string, CommandSpec>,
  { method, params = {} }: Message,
): Promise<Reply> {
  switch (method) {
    case 'initialize':
      return {
        result: {
          protocolVersion: typeof params['protocolVersion'] === 'string' ? params['protocolVersion'] : newest,
          capabilities: { tools: {} },
          serverInfo: { name: 'gpuaas', version: readVersion() },
        },
      };
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: [...tools].map(([name, command]) => toolOf(name, command)) } };
    case 'tools/call': {
      const command = tools.get(String(params['name']));
      if (!command) return { error: { code: invalidParams, message: `There is no tool ${String(params['name'])}.` } };
      const input = params['arguments'];
      return { result: await use(session, command, (input ?? {}) as Readonly<Record<string, unknown>>) };
    }
    default:
      return { error: { code: methodNotFound, message: `There is no method ${String(method)}.` } };
  }
}

const argName = (name: string): string => /^[a-z]*/.exec(name.toLowerCase())?.[0] ?? '';

function toolOf(name: string, { summary, description, args = [], flags = {}, reads }: CommandSpec): object {
  const fields = [
    ...args.map(({ name: arg, meaning }) => [argName(arg), { type: 'string', description: meaning }] as const),
    ...Object.entries(flags).map(([flag, { type, many, meaning, choices }]) => {
      const one = { type, ...(choices && { enum: choices }) };
      return [flag, { ...(many ? { type: 'array', items: one } : one), description: meaning }] as const;
    }),
    ['project', { type: 'string', description: 'the project, by id or slug' }] as const,
  ];
  return {
    name,
    description: description ?? `${summary}.`,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(fields),
      required: args.filter(({ optional }) => !optional).map(({ name: arg }) => argName(arg)),
      additionalProperties: false,
    },
    annotations: { readOnlyHint: reads === true },
  };
}

/** Runs one command and captures its output. A refusal is an answer too. */
async function use(session: Session, command: CommandSpec, input: Readonly<Record<string, unknown>>): Promise<object> {
  const { args = [], flags = {} } = command;
  let text = '';
  const around = {
    ...session.around,
    env: session.around.env,
    stdout: { write: (more: string) => (text += more) },
    stderr: { write: () => undefined },
  };
  const own = Object.fromEntries(
    Object.entries(input).filter(([name]) => Object.hasOwn(flags, name) || name === 'project'),
  ) as Given['values'];
  // --allow-changes counts as confirmation; there is no person at this terminal.
  const values = {
    ...session.given.values,
    output: 'json',
    ...own,
    yes: session.is('allow-changes'),
    'no-input': true,
  };
  const positionals = args.map(({ name }) => String(input[argName(name)] ?? '')).filter((word) => word !== '');
  try {
    const given = checkGiven(command, { values, positionals });
    const run = await loadCommand(command);
    await run(openSession(given, around, { commands: session.commands, file: session.file }));
    return { content: [{ type: 'text', text }] };
  } catch (error) {
    const failure = failureFrom(error);
    if (!failure) throw error;
    const lines = [failure.message, failure.next, failure.correlationId && `Correlation id: ${failure.correlationId}`];
    return { content: [{ type: 'text', text: lines.filter(Boolean).join('\n') }], isError: true };
  }
}
