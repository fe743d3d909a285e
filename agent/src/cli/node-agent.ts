import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeDisk } from '../disk.ts';
import { makeCommands } from '../host/linux/commands.ts';
import { prepareSshd } from '../host/linux/ssh/sshd-settings.ts';
import { discoverTopology } from '../host/linux/topology.ts';
import { enrol } from '../identity/enrol.ts';
import { makeIdentityFiles } from '../identity/identity-files.ts';
import { beginJournal } from '../tasks/journal.ts';
import { openSigners } from '../tasks/signers.ts';
import { examine, showExamination } from './doctor/doctor.ts';
import { describeNode } from './look.ts';
import {
  envFile,
  helpText,
  type Invocation,
  readInvocation,
  type Settings,
  UsageFault,
  usualFolders,
} from './options.ts';
import { agentSettings } from './parts.ts';
import { openHost, runAgent, type Staying, superviseAgent } from './run.ts';
import { uninstall } from './uninstall.ts';

/** The program, given its surroundings. Answers the status to exit with. */
export interface Surroundings {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: string;
  readonly version: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly tell: ((message: string) => void) | undefined;
  /** Resolves when the program is asked to stop. */
  readonly stop: Promise<unknown>;
}

const usageStatus = 2;

export async function runNodeAgent(around: Surroundings): Promise<number> {
  try {
    return await obey(readInvocation(around.args, around.env), around);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    around.err(`node-agent: ${message}\n`);
    if (!(error instanceof UsageFault)) return 1;
    around.err('Try node-agent --help.\n');
    return usageStatus;
  }
}

async function obey(invocation: Invocation, around: Surroundings): Promise<number> {
  const { out, version } = around;
  switch (invocation.command) {
    case 'help':
      out(helpText());
      return 0;
    case 'version':
      out(`${version}\n`);
      return 0;
    case 'enrol':
      return enrolHost(invocation, around);
    case 'prepare':
      out(`${await prepareSshd({ root: '/', commands: makeCommands() })}\n`);
      return 0;
    case 'status':
      out(`${JSON.stringify(await describeNode(agentSettings(invocation.settings(), version)), null, 2)}\n`);
      return 0;
    case 'doctor': {
      if (invocation.wantsTopology) {
        out(`${JSON.stringify(await discoverTopology('/', makeCommands()), null, 2)}\n`);
        return 0;
      }
      const machine = { root: '/', commands: makeCommands() };
      const examination = await examine({ settings: invocation.settings, version, machine });
      out(showExamination(examination, invocation.output));
      return examination.isWell ? 0 : 1;
    }
    case 'uninstall':
      return uninstallHost(invocation, around);
    case 'run':
      return stay(around, () =>
        runAgent({
          settings: invocation.settings(),
          version,
          program: around.program,
          echo: around.err,
          tell: around.tell,
        }),
      );
    case 'supervise':
      return stay(around, () =>
        superviseAgent({
          settings: invocation.settings(),
          program: around.program,
          args: ['run', ...around.args.filter((word) => word !== 'supervise')],
          env: around.env,
          echo: around.err,
        }),
      );
  }
}

async function stay(around: Surroundings, start: () => Promise<Staying>): Promise<number> {
  const staying = await start();
  const status = await Promise.race([staying.ended, around.stop.then(() => 0)]);
  await staying.close();
  return status;
}

async function uninstallHost({ settings, isForced, isDry }: Invocation, { out }: Surroundings): Promise<number> {
  // A host whose settings are gone or broken is uninstalled all the same.
  let found: Settings | undefined;
  try {
    found = settings();
  } catch {
    out('The settings cannot be read: the usual folders are looked at.\n');
  }
  const known = found;
  await uninstall({
    ...{ root: '/', homes: '/home', commands: makeCommands(), envFile, isForced, isDry },
    stateDir: known?.GPUAAS_STATE_DIR ?? usualFolders.stateDir,
    logDir: known?.GPUAAS_LOG_DIR ?? usualFolders.logDir,
    openHost: () => {
      if (known) return openHost(known);
      throw new Error('tenants cannot be ended without settings: write GPUAAS_API_URL to the file of settings again');
    },
    say: (line) => out(`${line}\n`),
  });
  return 0;
}

async function enrolHost(invocation: Invocation, around: Surroundings): Promise<number> {
  const settings = agentSettings(invocation.settings(), around.version);
  if (invocation.token !== undefined && invocation.token !== '-') {
    throw new UsageFault(
      'every user of this host can read arguments; use --token - and send the token to standard input',
    );
  }
  const token = invocation.token === '-' ? readFileSync(0, 'utf8').trim() : settings.enrolment?.token;
  if (!token) throw new UsageFault('enrol needs --token -, with the token on standard input');
  const caFingerprint = invocation.caFingerprint ?? settings.enrolment?.caFingerprint;
  const disk = makeDisk({ forced: true });
  const files = makeIdentityFiles({ disk, ...settings });
  // A damaged identity is what an operator's token is for.
  const isFirst = (await files.read().catch(() => 'damaged')) === undefined;
  const { identity, answer } = await enrol({
    enrolment: { token, ...(caFingerprint !== undefined && { caFingerprint }) },
    url: settings.url,
    peerId: settings.peerId,
    files,
    signers: await openSigners({ disk, path: join(settings.stateDir, 'signers.json') }),
    agentVersion: settings.agentVersion,
    bootId: settings.bootId ?? '',
  });
  if (isFirst) await beginJournal(disk, join(settings.stateDir, 'tasks'), Date.parse(answer.server_time));
  await disk.write(join(settings.stateDir, 'pace.json'), JSON.stringify(answer.heartbeat_seconds));
  around.out(`This host is node ${identity.nodeId} until ${new Date(identity.validToMs).toISOString()}.\n`);
  return 0;
}
