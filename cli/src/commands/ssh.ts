import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Run } from '../command.ts';
import { type ExitCode, exitCodes, Failure } from '../failure.ts';
import { resolveAllocation } from '../resolve.ts';
import { sshWords } from '../show/sentence.ts';
import { plain } from '../show/value.ts';

/** Runs ssh and exits with its exit code. */
export const ssh: Run = async (session) => {
  const allocation = await (await session.api()).allocations.get({ allocation_id: await resolveAllocation(session) });
  if (allocation.simulated) {
    throw new Failure(exitCodes.conflict, `${plain(allocation.name)} is simulated: its machine does not exist.`, {
      next: `SSH is not available. gpuaas why ${allocation.id} shows what its host reported.`,
    });
  }
  const words = sshWords(allocation);
  if (!words) {
    throw new Failure(exitCodes.conflict, `It is ${allocation.state}; SSH access is not available yet.`, {
      next: `gpuaas alloc wait ${allocation.id} waits for it.`,
    });
  }
  const identity = session.text('identity');
  const command = session.arg(1);
  const [destination = '', ...options] = words.slice(1).toReversed();
  const args = [
    ...(identity === undefined ? [] : ['-i', identity]),
    // After `--` nothing is read as an option, whatever name a node reported.
    ...[...options.toReversed(), '--', destination],
    ...(command ? [command] : []),
  ];
  if (session.is('print')) {
    session.around.stdout.write(`ssh ${args.join(' ')}\n`);
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
