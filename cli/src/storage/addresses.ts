import type { StorageAddress } from '@gpuaas/sdk';
import { assertPrivate } from '../account/profile.ts';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';

/** One request to an address for bytes. The address is the right, so no token goes along, and no redirect is followed. */
export async function ask(
  session: Session,
  { url, method, headers }: StorageAddress,
  more: { readonly body?: Uint8Array; readonly range?: string } = {},
): Promise<Response> {
  assertPrivate(new URL(url), 'A store of files');
  // Fetch counts the bytes itself and refuses a length.
  const { 'content-length': _, ...sent } = headers;
  try {
    return await (session.around.parts?.fetch ?? fetch)(url, {
      ...{ method, redirect: 'error' },
      headers: { ...sent, ...(more.range !== undefined && { range: more.range }) },
      ...(more.body && { body: more.body as RequestInit['body'] & {} }),
    });
  } catch (cause) {
    throw new Failure(exitCodes.server, `Can't reach the store of files at ${new URL(url).origin}.`, { cause });
  }
}

/** How far a transfer is, on one line of a terminal. */
export function progress(session: Session, name: string, total: number): (done: number) => void {
  const { stderr } = session.around;
  if (stderr.isTTY !== true || session.is('quiet')) return () => undefined;
  return (done) => {
    const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
    stderr.write(`\r${name} ${percent} %${done >= total ? '\n' : ''}`);
  };
}
