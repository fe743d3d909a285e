import { chooseProfile, configPath, keepProfile, listProfiles } from '../../account/profile.ts';
import type { Run, Session } from '../../command.ts';
import { exitCodes, Failure, usageFailure } from '../../failure.ts';
import { resolveProjectNamed } from '../../resolve.ts';
import { settingOf } from '../../setting.ts';
import { formatOf, showRows } from '../../show/output.ts';

interface InForce {
  readonly setting: string;
  readonly value: string | null;
  readonly from: string;
}

/** Every setting with its source. */
async function inForce(session: Session): Promise<readonly InForce[]> {
  const { env } = session.around;
  const profile = await session.profile();
  const kept = (value: string | undefined, otherwise: string) => ({
    value,
    from: value === undefined ? otherwise : `profile ${profile.name}`,
  });
  const chosen = (name: 'project' | 'region' | 'output', fallback: Parameters<typeof settingOf>[2]): InForce => {
    const { value = null, from } = settingOf(session, name, fallback);
    return { setting: name, value, from };
  };
  const typed = session.text('base-url') === undefined ? undefined : '--base-url';
  return [
    { setting: 'profile', value: profile.name, from: settingOf(session, 'profile').from },
    {
      setting: 'base_url',
      value: profile.baseUrl,
      from: typed ?? (env['GPUAAS_BASE_URL'] ? 'GPUAAS_BASE_URL' : 'profile or this machine'),
    },
    chosen('project', kept(profile.project, 'your default project')),
    chosen('region', kept(profile.region, 'the region with the most free capacity')),
    chosen('output', { value: formatOf(session), from: 'default' }),
    {
      setting: 'token',
      value: env['GPUAAS_TOKEN'] ? 'given' : 'sign-in',
      from: env['GPUAAS_TOKEN'] ? 'GPUAAS_TOKEN' : 'gpuaas login',
    },
    { setting: 'file', value: configPath(env), from: env['XDG_CONFIG_HOME'] ? 'XDG_CONFIG_HOME' : 'default' },
    { setting: 'project_file', value: session.file?.path ?? null, from: session.file ? 'searched upwards' : 'none' },
  ];
}

export const list: Run = async (session) => {
  showRows(session, await inForce(session), ['setting', 'value', 'from'], '');
  return exitCodes.ok;
};

export const get: Run = async (session) => {
  const name = session.arg(0);
  const found = (await inForce(session)).find(({ setting }) => setting === name);
  if (!found) throw noSuch(name);
  if (formatOf(session) === 'table') session.around.stdout.write(`${found.value ?? ''}\n`);
  else showRows(session, [found], ['setting', 'value', 'from'], '');
  return exitCodes.ok;
};

/** Stored with the profile. An empty value removes it. */
export const set: Run = async (session) => {
  const [name, value] = [session.arg(0), session.given.positionals[1] ?? ''];
  const profile = await session.profile();
  if (name === 'project') {
    const project = value === '' ? undefined : await resolveProjectNamed(session, value);
    await keepProfile({ ...profile, project }, session.around.env);
  } else if (name === 'region') {
    await keepProfile({ ...profile, region: value === '' ? undefined : value }, session.around.env);
  } else {
    throw usageFailure(`${JSON.stringify(name)} cannot be set.`, 'project and region can.');
  }
  session.say(value === '' ? `${name} is removed.` : `${name} is ${value} for the profile ${profile.name}.`);
  return exitCodes.ok;
};

const noSuch = (name: string): Failure =>
  new Failure(exitCodes.notFound, `There is no setting ${JSON.stringify(name)}.`, {
    next: 'gpuaas config list shows them.',
  });

export const profiles: Run = async (session) => {
  showRows(
    session,
    await listProfiles(session.around.env),
    ['name', 'current', 'base_url', 'project', 'region'],
    'There are no profiles yet. gpuaas login creates one.',
  );
  return exitCodes.ok;
};

export const use: Run = async (session) => {
  const name = session.arg(0);
  const all = await listProfiles(session.around.env);
  if (!all.some((each) => each.name === name)) {
    throw new Failure(exitCodes.notFound, `There is no profile ${JSON.stringify(name)}.`, {
      next: `Create it with gpuaas login --profile ${name.replaceAll(/[^A-Za-z0-9._-]/g, '')}.`,
    });
  }
  await chooseProfile(name, session.around.env);
  session.say(`From now on ${name} is the default profile.`);
  return exitCodes.ok;
};
