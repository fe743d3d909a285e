import { readFile, writeFile } from 'node:fs/promises';
import type { UsageProof } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure, usageFailure } from '../failure.ts';
import { resolveOrganization } from '../resolve.ts';
import { showOne } from '../show/output.ts';
import { type Verdict, verifyProof } from './verify.ts';

const windowsAtOnce = 100;

/** Fetches the proof of a line and recomputes it here; the server only hands out what it keeps. */
export const prove: Run = async (session) => {
  const { billing } = await session.api();
  const place = { organization_id: await resolveOrganization(session), line_id: session.arg(0), limit: windowsAtOnce };
  const parts: UsageProof[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const part = await billing.proofGet({ ...place, ...(cursor && { cursor }) });
    parts.push(part);
    cursor = part.next_cursor;
  }
  const path = session.text('save');
  if (path !== undefined) {
    await writeFile(path, `${JSON.stringify(parts)}\n`).catch((cause: Error) => {
      throw usageFailure(`${path} cannot be written: ${cause.message}`, 'Choose another --save.');
    });
    session.say(`Saved to ${path}. gpuaas billing check-proof ${path} checks it without a server.`);
  }
  return show(session, verifyProof(parts));
};

/** Asks no server. */
export const checkProof: Run = async (session) => {
  const path = session.arg(0);
  const text = await readFile(path, 'utf8').catch(() => {
    throw usageFailure(
      `There is no file ${path} that can be read.`,
      'gpuaas billing prove LINE --save FILE makes one.',
    );
  });
  return show(session, verifyProof(readParts(path, text)));
};

function readParts(path: string, text: string): readonly UsageProof[] {
  try {
    const parts = JSON.parse(text) as readonly UsageProof[];
    if (Array.isArray(parts) && parts.length > 0 && parts.every(({ format }) => format === 'gpuaas-usage-proof-1')) {
      return parts;
    }
  } catch {
    // Said below, in the same words as for a file of another kind.
  }
  throw usageFailure(`${path} is not a proof.`, 'gpuaas billing prove LINE --save FILE makes one.');
}

function show(session: Session, { problems, amountMinor, ...verdict }: Verdict) {
  const [first] = problems;
  showOne(
    session,
    {
      holds: first === undefined,
      amount: { amount_minor: String(amountMinor), currency: verdict.currency },
      windows: verdict.windows,
      ...(verdict.meter !== 'gpu_time' ? { readings: verdict.readings } : { records: verdict.records }),
      links: verdict.links,
      ...(verdict.meter === 'gpu_time' && { keys: verdict.keys }),
      ...(verdict.gpuTimeSpeed > 1 && { gpu_time_speed: verdict.gpuTimeSpeed }),
      problems,
    },
    [
      'holds',
      'amount',
      'windows',
      verdict.meter !== 'gpu_time' ? 'readings' : 'records',
      'links',
      ...(verdict.meter === 'gpu_time' ? ['keys'] : []),
      ...(verdict.gpuTimeSpeed > 1 ? ['gpu_time_speed'] : []),
      'problems',
    ],
  );
  if (first === undefined && verdict.meter !== 'gpu_time') {
    session.say(
      verdict.meter === 'storage'
        ? 'It rests on readings of the server. No host signs what a project stores.'
        : 'It rests on readings of the server, and these on what the app said. Nobody signs what an app counts.',
    );
  }
  if (first === undefined) return exitCodes.ok;
  throw new Failure(exitCodes.failed, `The proof does not hold. ${first}`);
}
