import { findKeyring } from '../../account/keyring.ts';
import { configPath } from '../../account/profile.ts';
import { failureFrom } from '../../account/session.ts';
import type { Run, Session } from '../../command.ts';
import { exitCodes, type Failure } from '../../failure.ts';
import { formatOf, showOne, showRows } from '../../show/output.ts';
import { plain } from '../../show/value.ts';
import { readVersion } from '../../version.ts';

export const version: Run = async (session) => {
  const api = await session.api();
  const installation = await api.health.versionGet().catch(() => undefined);
  const { version: theirs = null, commit = null, contract = null } = installation ?? {};
  showOne(session, { cli: readVersion(), node: process.versions.node, installation: theirs, commit, contract }, [
    'cli',
    'node',
    'installation',
    'commit',
    'contract',
  ]);
  return exitCodes.ok;
};

interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** The checks in order, each needs the one before. The first that fails says what to do. */
export const doctor: Run = async (session) => {
  const checks: Check[] = [];
  let failure: Failure | undefined;
  const tryOut = async (check: string, look: () => Promise<string>): Promise<void> => {
    if (failure) return;
    try {
      checks.push({ check, ok: true, detail: await look() });
    } catch (error) {
      failure = failureFrom(error);
      if (!failure) throw error;
      checks.push({ check, ok: false, detail: `${failure.message}${failure.next ? ` ${failure.next}` : ''}` });
    }
  };
  const looks = checksOf(session);
  for (const [name, look] of looks) await tryOut(name, look);
  if (formatOf(session) === 'table') {
    for (const { check, ok, detail } of checks) {
      session.around.stdout.write(`${ok ? '✓' : '✗'} ${check.padEnd(14)}${plain(detail)}\n`);
    }
  } else {
    showRows(session, checks, ['check', 'ok', 'detail'], '');
  }
  return failure?.exitCode ?? exitCodes.ok;
};

const checksOf = (session: Session): readonly (readonly [string, () => Promise<string>])[] => [
  ['program', async () => `gpuaas ${readVersion()} on Node ${process.versions.node}`],
  ['profile', async () => `${(await session.profile()).name} in ${configPath(session.around.env)}`],
  ['project file', async () => session.file?.path ?? 'none'],
  [
    'keyring',
    async () =>
      findKeyring(session.around.env) ? 'available' : 'none; sign-ins are stored in a file that only you can read',
  ],
  [
    'installation',
    async () => {
      const { product, version: its } = await (await session.api()).health.versionGet();
      return `${product} ${its} at ${(await session.profile()).baseUrl}`;
    },
  ],
  ['sign-in', async () => (await (await session.api()).me.get()).posix.username],
  [
    'project',
    async () => {
      const { name, slug } = await (await session.api()).projects.get({ project_id: await session.project() });
      return `${name} (${slug})`;
    },
  ],
  [
    'SSH key',
    async () => {
      const { data } = await (await session.api()).sshKeys.list();
      return data.length > 0 ? data.map(({ name }) => name).join(', ') : 'none yet: gpuaas key add';
    },
  ],
];
