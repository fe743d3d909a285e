import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import type { Run, Session } from '../../command.ts';
import { exitCodes, usageFailure } from '../../failure.ts';
import { showOne, showRows } from '../../show/output.ts';

const siteColumns = ['id', 'name', 'region', 'url', 'problem'];
const jobColumns = ['id', 'kind', 'hostname', 'state', 'phase'];

/** A key on the command line could be read by every user of the machine, so it comes from a file. */
async function fileOf(session: Session, flag: 'key-file' | 'ca-file'): Promise<string | undefined> {
  const path = session.text(flag);
  if (path === undefined) return undefined;
  if (path === '-') return (await readAll(session.around.stdin)).trim();
  return (
    await readFile(path, 'utf8').catch(() => {
      throw usageFailure(
        `There is no file ${path} that can be read.`,
        `--${flag} names a file, or - for standard input.`,
      );
    })
  ).trim();
}

async function settingsOf(session: Session) {
  const [caPem, parallel] = [await fileOf(session, 'ca-file'), session.text('max-parallel')];
  return {
    ...(caPem !== undefined && { ca_pem: caPem }),
    ...(parallel !== undefined && { max_parallel: Number(parallel) }),
    ...given(session, 'pool'),
    ...given(session, 'osystem'),
    ...given(session, 'series'),
    ...(given(session, 'erase') as { erase?: 'secure' | 'full' | 'quick' }),
  };
}
const given = <N extends string>(session: Session, name: N): { [K in N]?: string } => {
  const value = session.text(name);
  return (value === undefined ? {} : { [name]: value }) as { [K in N]?: string };
};

export const addSite: Run = async (session) => {
  const { adminMaas } = await session.api();
  const site = await adminMaas.siteCreate({
    name: session.arg(0),
    region: session.text('region') ?? '',
    url: session.text('url') ?? '',
    api_key: (await fileOf(session, 'key-file')) ?? '',
    ...(await settingsOf(session)),
  });
  showOne(session, site, siteColumns);
  return exitCodes.ok;
};

export const updateSite: Run = async (session) => {
  const { adminMaas } = await session.api();
  const key = await fileOf(session, 'key-file');
  const site = await adminMaas.siteUpdate({
    site_id: session.arg(0),
    ...given(session, 'url'),
    ...(key !== undefined && { api_key: key }),
    ...(await settingsOf(session)),
  });
  showOne(session, site, siteColumns);
  return exitCodes.ok;
};

export const onboard: Run = async (session) => {
  const [site = '', ...machines] = session.given.positionals;
  const name = session.text('name');
  if (machines.length === 0) throw usageFailure('Name the machines.', 'gpuaas ops maas machine list shows their ids.');
  if (name !== undefined && machines.length > 1) {
    throw usageFailure('--name is for one machine.', 'Nodes of several machines are named after their hosts.');
  }
  const { adminMaas } = await session.api();
  const { jobs } = await adminMaas.onboard({
    site_id: site,
    machines: machines.map((id) => ({
      system_id: id,
      sku: session.text('sku') ?? '',
      ...(name !== undefined && { name }),
    })),
    reason: session.text('reason') ?? '',
  });
  showRows(session, jobs, jobColumns, 'Nothing was begun.');
  return exitCodes.ok;
};
