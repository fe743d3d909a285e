import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { resolveOrganization } from '../resolve.ts';

const filters = ['from', 'to', 'project-id', 'sku', 'requested-by', 'allocation-id', 'meter'] as const;

export const exportUsage: Run = async (session) => {
  const format = session.text('format') ?? 'csv';
  if (format === 'parquet' && session.text('out') === undefined && session.around.stdout.isTTY) {
    throw usageFailure('A Parquet file is not for a terminal.', 'Name a file with --out usage.parquet.');
  }
  const query = new URLSearchParams();
  for (const name of filters) {
    const value = session.text(name);
    if (value !== undefined) query.set(name.replace('-', '_'), value);
  }
  query.set('format', format);
  return save(session, `usage/export?${query}`);
};
export const exportLedger: Run = (session) => save(session, 'ledger/export');

/** Writes the file as it arrives, so that its size does not matter. */
async function save(session: Session, path: string) {
  const organization = encodeURIComponent(await resolveOrganization(session));
  const answer = await (await session.api()).download(`/api/v1/organizations/${organization}/billing/${path}`);
  if (!answer.body) throw new Failure(exitCodes.server, 'The server answered without a file.');
  const source = Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]);
  const out = session.text('out');
  if (out === undefined) {
    for await (const chunk of source) session.around.stdout.write(chunk as string);
    return exitCodes.ok;
  }
  await pipeline(source, createWriteStream(out)).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === undefined
      ? new Failure(exitCodes.server, `The file ended early: ${cause.message}`, { cause })
      : usageFailure(`${out} cannot be written: ${cause.message}`, 'Choose another --out.');
  });
  session.say(`Saved to ${out}.`);
  return exitCodes.ok;
}
