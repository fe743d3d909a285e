import type { Run, Session } from '../command.ts';
import { exitCodes, type Failure } from '../failure.ts';
import { configPath } from '../profile.ts';
import { failureFrom } from '../session.ts';
import { formatOf, showOne, showRows } from '../show/output.ts';
import { plain } from '../show/value.ts';
import { readVersion } from '../version.ts';

export const version: Run = async (session) => {
  const api = await session.api();
  const installation = await api.health.versionGet().catch(() => undefined);
  showOne(session, { cli: readVersion(), node: process.versions.node, installation: installation?.version ?? null }, [
    'cli',
    'node',
    'installation',
  ]);
  return exitCodes.ok;
};

/** Every setting with where it comes from: a flag comes before the environment, and that before what is kept. */
export const config: Run = async (session) => {
  const { env } = session.around;
  const profile = await session.profile();
  const from = (flag: string, variable: string, kept: string): string => {
    if (session.text(flag) !== undefined) return `--${flag}`;
    return env[variable] ? variable : kept;
  };
  const rows = [
    { setting: 'profile', value: profile.name, from: from('profile', 'GPUAAS_PROFILE', 'default') },
    {
      setting: 'base_url',
      value: profile.baseUrl,
      from: from('base-url', 'GPUAAS_BASE_URL', 'profile or this machine'),
    },
    {
      setting: 'project',
      value: session.text('project') ?? (env['GPUAAS_PROJECT'] || profile.project) ?? null,
      from: from('project', 'GPUAAS_PROJECT', profile.project === undefined ? 'your default project' : 'profile'),
    },
    { setting: 'output', value: formatOf(session), from: from('output', 'GPUAAS_OUTPUT', 'default') },
    {
      setting: 'token',
      value: env['GPUAAS_TOKEN'] ? 'given' : 'sign-in',
      from: env['GPUAAS_TOKEN'] ? 'GPUAAS_TOKEN' : 'profile',
    },
    { setting: 'file', value: configPath(env), from: env['XDG_CONFIG_HOME'] ? 'XDG_CONFIG_HOME' : 'default' },
  ];
  showRows(session, rows, ['setting', 'value', 'from'], '');
  return exitCodes.ok;
};

interface Check {
  readonly check: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** One thing after the other, as each needs the one before. The first that fails says what to do. */
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
