import { readFile } from 'node:fs/promises';
import { GpuaasError } from '@gpuaas/sdk';
import type { Run } from '../../command.ts';
import { exitCodes, usageFailure } from '../../failure.ts';
import { resolveProject } from '../../resolve.ts';
import { jsonOf } from '../../show/value.ts';

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export const api: Run = async (session) => {
  const method = session.arg(0).toUpperCase();
  const path = session.arg(1);
  if (!methods.includes(method) || !path.startsWith('/')) {
    throw usageFailure('A method and a path are required.', 'For example: gpuaas api GET /api/v1/organizations');
  }
  const { baseUrl } = await session.profile();
  // The token goes to its own installation only, whatever the path looks like.
  if (new URL(`${baseUrl}${path}`).origin !== new URL(baseUrl).origin) {
    throw usageFailure('The path leads to another server.');
  }
  const { stdin, stdout } = session.around;
  const body = await readBody(session.text('body'), stdin);
  const client = await session.api();
  const project = session.text('project') === undefined ? undefined : await resolveProject(session);
  try {
    const answer = await client.call(method, path, body, project === undefined ? {} : { project });
    if (typeof answer === 'string') stdout.write(`${answer}\n`);
    else stdout.write(`${jsonOf(answer, stdout.isTTY ? 2 : undefined)}\n`);
    return exitCodes.ok;
  } catch (error) {
    if (session.is('json') && error instanceof GpuaasError) {
      const { code, status, message, correlationId: correlation_id, details } = error;
      stdout.write(`${JSON.stringify({ code, status, message, correlation_id, details })}\n`);
    }
    throw error;
  }
};

async function readBody(given: string | undefined, stdin: NodeJS.ReadableStream): Promise<unknown> {
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
    return JSON.parse(text) as unknown;
  } catch {
    throw usageFailure('The body is not valid JSON.', 'Quote it for your shell, or use --body @file.');
  }
}
