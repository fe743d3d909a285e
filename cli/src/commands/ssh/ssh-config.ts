import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AllocationDetail, JumpHost } from '@gpuaas/sdk';
import type { Run, Session } from '../../command.ts';
import { exitCodes, Failure, usageFailure } from '../../failure.ts';
import { isLogin } from '../../show/sentence.ts';
import { certificateFiles } from '../../ssh/certificate.ts';
import { readFileIf, replaceFile, writeKnownHosts } from '../../ssh/files.ts';
import {
  certificateSettings,
  jumpAlias,
  jumpedSettings,
  jumpSettings,
  selfCommand,
  sshSettings,
} from '../../ssh/options.ts';
import { keyPattern, placeOf, type SshPlace } from '../../ssh/place.ts';

const fileName = 'gpuaas.conf';
const include = `Include ${fileName}`;

/** The settings of ssh for the active allocations of a project: printed, or written where ssh reads them. */
export const sshConfig: Run = async (session) => {
  const jump = session.is('jump') ? await findJump(session) : undefined;
  const places = await listPlaces(session);
  const path = await writeKnownHosts(session.around.env, [
    ...places,
    ...(jump ? [{ alias: jumpAlias, hostKeys: jump.host_keys }] : []),
  ]);
  const blocks = (
    await Promise.all(places.map((place) => (jump ? jumpedBlocks(session, place, jump) : directBlocks(session, place))))
  ).flat();
  if (jump && !session.is('certificate')) blocks.unshift(blockOf(jumpAlias, jumpSettings(session, jump)));
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

const blockOf = (name: string, settings: readonly (readonly [string, string])[]): string =>
  [`Host ${name}`, ...settings.map(([key, value]) => `  ${key} ${value}`), ''].join('\n');

/** A certificate is for one allocation, so each has a jump host of its own in the settings. */
async function jumpedBlocks(session: Session, place: SshPlace, jump: JumpHost): Promise<string[]> {
  if (!session.is('certificate')) return [blockOf(nameOf(place), jumpedSettings(session, place))];
  const [shown, by] = [
    certificateSettings(certificateFiles(session, place.allocation.id)),
    `${jumpAlias}-${place.allocation.id}`,
  ];
  return [
    await refreshing(session, place),
    blockOf(by, [...jumpSettings(session, jump), ...shown]),
    blockOf(nameOf(place), [...jumpedSettings(session, place, by), ...shown]),
  ];
}

async function directBlocks(session: Session, place: SshPlace): Promise<string[]> {
  const settings = await sshSettings(session, place);
  if (!session.is('certificate')) return [blockOf(nameOf(place), settings)];
  const shown = certificateSettings(certificateFiles(session, place.allocation.id));
  return [await refreshing(session, place), blockOf(nameOf(place), [...settings, ...shown])];
}

/** ssh runs this while it reads its settings, before it connects: the certificate is fresh then. */
const refreshing = async (session: Session, place: SshPlace): Promise<string> => {
  const command = await selfCommand(session, 'ssh-certificate', place.allocation.id);
  return `Match originalhost ${nameOf(place)} exec "${command.replaceAll('"', '\\"')} >/dev/null"\n`;
};

/** The jump host of the installation. What goes into a file that ssh reads is checked: a line more would be a setting more. */
async function findJump(session: Session): Promise<JumpHost> {
  const jump = await (await session.api()).terminals.jumpHostGet();
  const isPlain = /^[A-Za-z0-9.:-]{1,255}$/.test(jump.host) && isLogin(jump.username);
  if (isPlain && jump.host_keys.length > 0 && jump.host_keys.every((key) => keyPattern.test(key))) return jump;
  throw new Failure(exitCodes.failed, 'The jump host has no address or no host keys that ssh could use.');
}
