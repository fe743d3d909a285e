import { type ClientOptions, type Gpuaas, GpuaasError, GpuaasUnreachable, openGpuaas } from '@gpuaas/sdk';
import { userAgent } from '../call.ts';
import { type CommandSpec, type Given, type Session, type Surroundings, textOf } from '../command.ts';
import { explainRequest } from '../explain.ts';
import { exitCodeOf, exitCodes, Failure, nextAfter, usageFailure } from '../failure.ts';
import { isId, resolveProject } from '../resolve.ts';
import { settingOf } from '../setting.ts';
import { plain } from '../show/value.ts';
import { readToken } from './credentials.ts';
import { type Profile, readProfile } from './profile.ts';
import type { ProjectFile } from './project-file.ts';

/** What a command gets. The profile, the token and the project are loaded on first use. */
export function openSession(
  given: Given,
  around: Surroundings,
  { commands = [], file }: { readonly commands?: readonly CommandSpec[]; readonly file?: ProjectFile | undefined } = {},
): Session {
  let profile: Promise<Profile> | undefined;
  let api: Promise<Gpuaas> | undefined;
  let project: Promise<string> | undefined;
  const session: Session = {
    given,
    around,
    commands,
    file,
    arg: (index) => given.positionals[index] ?? '',
    text: (flag) => textOf(given, flag),
    list: (flag) => [given.values[flag] ?? []].flat().map(String),
    is: (flag) => given.values[flag] === true,
    now: () => around.parts?.now?.() ?? Date.now(),
    profile: () => (profile ??= readProfile(session)),
    api: () => (api ??= session.profile().then((found) => openClient(session, found))),
    project: () => (project ??= resolveProject(session)),
    say: (line) => {
      if (!session.is('quiet')) around.stderr.write(`${line}\n`);
    },
  };
  return session;
}

/** A client of the installation. Its requests carry the project as soon as one is known. */
export function openClient(
  session: Session,
  { baseUrl, name, project }: Profile,
  token: ClientOptions['token'] = () => readToken({ name, baseUrl, project }, session.around.env),
): Gpuaas {
  const { parts } = session.around;
  const key = session.text('idempotency-key');
  const newKey = key === undefined ? parts?.newKey : () => key;
  const { value: known } = settingOf(session, 'project', { value: project, from: 'profile' });
  return openGpuaas({
    baseUrl,
    token,
    userAgent,
    ...(known !== undefined && isId(known) && { project: known }),
    ...(newKey && { newKey }),
    // A dry run is not retried.
    ...(session.is('dry-run') && { attempts: 1 }),
    ...(parts?.sleep && { sleep: parts.sleep }),
    fetch: async (url, init) => {
      explainRequest(session, String(url), init ?? {});
      const began = session.now();
      // Redirects are not followed: the token goes to its installation only.
      const response = await (parts?.fetch ?? fetch)(url, { ...init, redirect: 'error' });
      if (session.is('debug')) session.around.stderr.write(traceOf(String(url), init, response, session.now() - began));
      return response;
    },
  });
}

/** One line for --debug: request, status, duration and correlation id. */
function traceOf(url: string, init: RequestInit | undefined, response: Response, ms: number): string {
  const { pathname, search } = new URL(url);
  const id = response.headers.get('x-request-id');
  return plain(`${init?.method ?? 'GET'} ${pathname}${search} ${response.status} ${ms} ms${id ? ` ${id}` : ''}`).concat(
    '\n',
  );
}

/** Turns any error into a message for the person. */
export function failureFrom(error: unknown): Failure | undefined {
  if (error instanceof Failure) return error;
  if (error instanceof GpuaasError) {
    return new Failure(exitCodeOf(error.status, error.code), plain(error.message), {
      correlationId: error.correlationId,
      next: nextAfter(error.code, error.status, error.details),
      cause: error,
    });
  }
  if (error instanceof GpuaasUnreachable) {
    // The SDK wraps errors of fetch; a failure of our own is unwrapped.
    if (error.cause instanceof Failure) return error.cause;
    const { cause } = error;
    const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause;
    const where = error.message.split(' ')[0];
    return new Failure(
      exitCodes.server,
      `${where} cannot be reached: ${inner instanceof Error ? inner.message : String(inner)}`,
      { next: 'Check --base-url, and whether the installation runs.', cause },
    );
  }
  if (error instanceof TypeError && / is missing$/.test(error.message)) return usageFailure(`${error.message}.`);
  return undefined;
}
