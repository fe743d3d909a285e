import { createInterface } from 'node:readline/promises';
import type { Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';

/** Goes on after a yes only. Where nobody can be asked, nothing is done. */
export async function confirm(session: Session, question: string): Promise<void> {
  if (session.is('yes') || session.is('dry-run')) return;
  const { stdin, stderr, env } = session.around;
  if (session.is('no-input') || stdin.isTTY !== true || env['CI']) {
    throw new Failure(exitCodes.usage, `${question} No terminal to ask on, so nothing was done.`, {
      next: 'Repeat it with --yes.',
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
