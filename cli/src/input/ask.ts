import { createInterface } from 'node:readline/promises';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';

/** Continues only after a yes. Without a terminal nothing is done. */
export async function confirm(session: Session, question: string): Promise<void> {
  if (session.is('yes') || session.is('dry-run')) return;
  const { stdin, stderr, env } = session.around;
  if (session.is('no-input') || stdin.isTTY !== true || env['CI']) {
    throw new Failure(exitCodes.usage, `${question} There is no terminal to ask on, so nothing was done.`, {
      next: 'Repeat the command with --yes.',
    });
  }
  const lines = createInterface({ input: stdin, output: stderr as NodeJS.WritableStream, terminal: false });
  try {
    const answer = (await lines.question(`? ${question} (Y/n) `)).trim().toLowerCase();
    if (answer === '' || answer === 'y' || answer === 'yes') return;
  } finally {
    lines.close();
  }
  throw new Failure(exitCodes.usage, 'Nothing was done.');
}
