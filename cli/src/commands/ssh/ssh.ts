import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Run } from '../../command.ts';
import { type ExitCode, exitCodes, Failure } from '../../failure.ts';
import { certificateFiles, refreshCertificate } from '../../ssh/certificate.ts';
import { writeKnownHosts } from '../../ssh/files.ts';
import { certificateSettings, sshSettings } from '../../ssh/options.ts';
import { findPlace } from '../../ssh/place.ts';

/** Runs ssh through the gateway and exits with its exit code. */
export const ssh: Run = async (session) => {
  const place = await findPlace(session);
  const identity = session.text('identity');
  const isPrinting = session.is('print');
  if (!isPrinting) await writeKnownHosts(session.around.env, [place]);
  const files = session.is('certificate')
    ? await (isPrinting ? certificateFiles : refreshCertificate)(session, place.allocation.id)
    : undefined;
  const settings = [...(await sshSettings(session, place)), ...(files ? certificateSettings(files) : [])];
  // As ssh does, it joins the words of a command with spaces.
  const command = session.given.positionals.slice(1).join(' ');
  const args = [
    ...(identity === undefined ? [] : ['-i', identity]),
    ...settings.flatMap(([name, value]) => ['-o', `${name}=${value}`]),
    // After `--` nothing is read as an option, whatever an allocation is called.
    ...['--', place.alias],
    ...(command ? [command] : []),
  ];
  if (isPrinting) {
    session.around.stdout.write(
      `ssh ${args.map((arg) => (/^[\w./=:@-]+$/.test(arg) ? arg : JSON.stringify(arg))).join(' ')}\n`,
    );
    return exitCodes.ok;
  }
  const child = spawn('ssh', args, { stdio: 'inherit' });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return (code ?? exitCodes.interrupted) as ExitCode;
  } catch (cause) {
    throw new Failure(exitCodes.failed, `ssh cannot be started: ${(cause as Error).message}`, {
      next: 'Install OpenSSH, or show the line with --print.',
      cause,
    });
  }
};
