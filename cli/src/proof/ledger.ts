import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Run } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { resolveOrganization } from '../resolve.ts';
import { showOne } from '../show/output.ts';
import { verifyLedger } from './verify-ledger.ts';

/** With a file it asks no server; without one the server verifies what it keeps. */
export const verify: Run = async (session) => {
  const path = session.given.positionals[0];
  if (path !== undefined) return verifyFile(session, path);
  const { billing } = await session.api();
  const found = await billing.ledgerVerify({ organization_id: await resolveOrganization(session) });
  showOne(session, found, ['ok', 'entries', 'sum', 'balance', 'problem', 'checked_at']);
  if (found.ok) return exitCodes.ok;
  throw new Failure(exitCodes.failed, `The ledger does not fit. ${found.problem ?? ''}`);
};

async function verifyFile(session: Parameters<Run>[0], path: string) {
  const file = createReadStream(path, 'utf8');
  const found = await verifyLedger(createInterface({ input: file, crlfDelay: Number.POSITIVE_INFINITY })).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code === undefined) throw cause;
      throw usageFailure(
        `There is no file ${path} that can be read.`,
        'gpuaas billing export-ledger --out FILE makes one.',
      );
    },
  );
  showOne(
    session,
    {
      holds: found.problem === undefined,
      ...{ entries: found.entries, links: found.links },
      sum: { amount_minor: String(found.sum), currency: found.currency },
      row: found.problem?.row ?? null,
      problem: found.problem?.says ?? null,
    },
    ['holds', 'entries', 'links', 'sum', 'row', 'problem'],
  );
  if (!found.problem) return exitCodes.ok;
  throw new Failure(exitCodes.failed, `The export does not hold. Row ${found.problem.row}: ${found.problem.says}`);
}
