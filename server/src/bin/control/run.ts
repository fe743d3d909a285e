import { type Environment, variable } from '../../kernel/process/config.ts';
import { askReadiness } from '../../ports/readiness.ts';
import { readProvenance } from '../release.ts';

/** Commands that are programs of their own, beside the processes: what each is for. */
const commands = {
  migrate: 'sets the database up or brings it up to date; --check only says what would happen',
  backup: 'keeps the database and the objects in a folder, while everything runs',
  verify: 'compares a backup with its manifest',
  restore: 'brings an installation back from a backup, into a server that has none',
  bootstrap: 'makes the first operator',
  secrets: 'makes, replaces and cuts sealing keys',
  'process-identity': 'makes the certificate of a gateway',
  'reset-factors': 'removes the second factors of a person who lost them',
} as const;

interface Door {
  readonly say: (text: string) => void;
  readonly complain: (text: string) => void;
  /** Loads the program of that name, which then reads the arguments after it by itself. */
  readonly load: (name: string) => Promise<unknown>;
}

/** What every process needs takes a second to load, so that is done only where it is asked for. */
const loadProcesses = async () => (await import('../processes.ts')).processes;
const usage = async (): Promise<string> =>
  [
    'Runs one process or one command of the control plane.',
    '',
    '  gpuaas-control PROCESS           runs it until it is asked to stop; settings come from the environment',
    '  gpuaas-control COMMAND [ARGS]    runs a command of the operator',
    '  gpuaas-control ready             ends with 0 when the process at GPUAAS_HEALTH_PORT is ready',
    '  gpuaas-control version           says what this is and what it was made from',
    '',
    'Processes:',
    ...(await loadProcesses()).map(({ spec }) => `  ${spec.name.padEnd(22)}${spec.summary}`),
    '',
    'Commands:',
    ...Object.entries(commands).map(([name, meaning]) => `  ${name.padEnd(22)}${meaning}`),
    '',
  ].join('\n');

/** One door to every program of the control plane: what packages, units, images and charts start. */
export async function runControl(args: readonly string[], env: Environment, door: Door): Promise<void> {
  const [name = '--help', ...rest] = args;
  if (name === '--help' || name === '-h' || name === 'help') return door.say(await usage());
  if (name === 'version' || name === '--version') return door.say(`${JSON.stringify(readProvenance(), null, 2)}\n`);
  if (name === 'ready') return askReady(env, door);
  if (!Object.hasOwn(commands, name) && !(await loadProcesses()).some(({ spec }) => spec.name === name)) {
    door.complain(`${name} is neither a process nor a command.\n\n${await usage()}`);
    process.exitCode = 2;
    return;
  }
  // The program reads its own arguments from where every program does.
  process.argv = [...process.argv.slice(0, 2), ...rest];
  await door.load(name);
}

/** For health checks where there is no curl: an image without a shell. */
async function askReady(env: Environment, door: Door): Promise<void> {
  const port = env[variable('healthPort')];
  if (port === undefined || port === '') {
    door.complain('GPUAAS_HEALTH_PORT is missing: it says which process to ask.\n');
    process.exitCode = 2;
    return;
  }
  const host = env[variable('healthHost')] || '127.0.0.1';
  const answer = await askReadiness(host, port);
  if (answer === 'ready') return door.say('ready\n');
  door.complain(`${answer.because}\n`);
  process.exitCode = 1;
}
