import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AllocationDetail } from '@gpuaas/sdk';
import type { Run, Session } from '../../command.ts';
import { exitCodes, usageFailure } from '../../failure.ts';
import { readFileIf, replaceFile, writeKnownHosts } from '../../ssh/files.ts';
import { sshSettings } from '../../ssh/options.ts';
import { placeOf, type SshPlace } from '../../ssh/place.ts';

const fileName = 'gpuaas.conf';
const include = `Include ${fileName}`;

/** The settings of ssh for the active allocations of a project: printed, or written where ssh reads them. */
export const sshConfig: Run = async (session) => {
  const places = await listPlaces(session);
  const path = await writeKnownHosts(session.around.env, places);
  const blocks = await Promise.all(places.map((place) => blockOf(session, place)));
  const text = `# Written by gpuaas ssh-config. Host keys are in ${path}.\n\n${blocks.join('\n')}`;
  if (!session.is('write')) {
    session.around.stdout.write(text);
    return exitCodes.ok;
  }
  const folder = join(session.around.env['HOME'] || homedir(), '.ssh');
  await replaceFile(join(folder, fileName), text);
  const own = join(folder, 'config');
  const before = await readFileIf(own);
  // Only the first lines of the file are read for every host; after a Host line it would belong to that host.
  if (!before.split('\n').includes(include)) await replaceFile(own, `${include}\n${before && `\n${before}`}`);
  session.say(
    `${places.length} allocations are in ~/.ssh/${fileName}. Sign in with: ssh ${places[0] ? nameOf(places[0]) : 'NAME.gpuaas'}`,
  );
  return exitCodes.ok;
};

const nameOf = ({ allocation }: SshPlace): string =>
  `${(allocation.name ?? allocation.id).replaceAll(/[^\w.-]/g, '-')}.gpuaas`;

async function listPlaces(session: Session): Promise<SshPlace[]> {
  const api = await session.api();
  const found: AllocationDetail[] = [];
  const all = api.allocations.list({ limit: 200, state: 'active' }, { project: await session.project() });
  for await (const { id } of all) found.push(await api.allocations.get({ allocation_id: id }));
  const places = found.flatMap((one) => placeOf(one) ?? []);
  const names = places.map(nameOf);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw usageFailure(`Two allocations would be called ${twice}.`, 'Rename one: gpuaas alloc rename ID NAME.');
  }
  return places;
}

async function blockOf(session: Session, place: SshPlace): Promise<string> {
  const settings = await sshSettings(session, place);
  return [`Host ${nameOf(place)}`, ...settings.map(([key, value]) => `  ${key} ${value}`), ''].join('\n');
}
