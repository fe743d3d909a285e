import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { failureOf, send } from '../call.ts';
import { type Command, textOf } from '../command.ts';
import { readToken } from '../credentials.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { readProfile } from '../profile.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const command: Command = {
  usage: 'METHOD PATH [--body JSON | @file | -]',
  description: 'Call any operation of the API and show its answer. Writes carry an Idempotency-Key by themselves.',
  options: { body: { type: 'string' }, project: { type: 'string' }, 'idempotency-key': { type: 'string' } },
  help: [
    ['--body JSON', 'what to send; @file reads a file, - standard input'],
    ['--project ID', 'the project that it is about'],
    ['--idempotency-key KEY', 'repeat a call safely under the same key'],
  ],
  examples: [
    'gpuaas api GET /api/v1/organizations',
    `gpuaas api POST /api/v1/organizations --body '{"name": "Lab", "slug": "lab"}'`,
    'gpuaas api GET /api/v1/activity --project 01a1dea2-0000-7000-8000-000000000000',
  ],
  async run(given, { env, stdin, stdout }) {
    const [verb = '', path = '', ...rest] = given.positionals;
    const method = verb.toUpperCase();
    if (!methods.includes(method) || !path.startsWith('/') || rest.length > 0) {
      throw usageFailure('A method and a path are needed.', 'For example: gpuaas api GET /api/v1/organizations');
    }
    const profile = await readProfile(given, env);
    const url = new URL(`${profile.baseUrl}${path}`);
    // The token goes to the installation that it is for, whatever the path looks like.
    if (url.origin !== new URL(profile.baseUrl).origin) throw usageFailure('The path leads to another server.');
    const body = await readBody(textOf(given, 'body'), stdin);
    const project = textOf(given, 'project');
    const answer = await send(url, {
      method,
      headers: {
        authorization: `Bearer ${await readToken(profile, env)}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(project && { 'x-project-id': project }),
        ...(method !== 'GET' && { 'idempotency-key': textOf(given, 'idempotency-key') ?? randomUUID() }),
      },
      ...(body !== undefined && { body }),
    });
    if (answer.status >= 400) {
      if (given.values['json']) stdout.write(`${answer.text}\n`);
      throw failureOf(answer);
    }
    const shown = stdout.isTTY && answer.body !== undefined ? JSON.stringify(answer.body, undefined, 2) : answer.text;
    stdout.write(`${shown}\n`);
    return exitCodes.ok;
  },
};

async function readBody(given: string | undefined, stdin: NodeJS.ReadableStream): Promise<string | undefined> {
  if (given === undefined) return undefined;
  let text = given;
  if (given === '-') {
    text = '';
    for await (const chunk of stdin) text += String(chunk);
  } else if (given.startsWith('@')) {
    text = await readFile(given.slice(1), 'utf8').catch((error: Error) => {
      throw usageFailure(`The body cannot be read: ${error.message}`, 'Check the name behind the @.');
    });
  }
  try {
    JSON.parse(text);
  } catch {
    throw usageFailure('The body is not valid JSON.', 'Quote it for your shell, or use --body @file.');
  }
  return text;
}
