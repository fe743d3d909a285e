import { mkdir, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleepWell } from '../../../clock.ts';
import { HostFailure } from '../../port.ts';
import { type Commands, complaintOf, statusLate } from '../commands.ts';
import { unlessCalledOff } from '../phases.ts';
import { entriesIn, entryAt } from '../removal/entries.ts';
import { removeFlat } from '../slices/folders.ts';
import { engineSettings, inspectImage, podmanIn, pruneImages, pull, registrySettings } from './argv.ts';
import type { ContainerSettings, Places } from './settings.ts';

/** How long fetching may take, and what ends it before. */
interface Fetching {
  readonly seconds: number;
  readonly signal: AbortSignal;
  /** The lease or its machine is to end. */
  readonly ending: AbortSignal;
}
/** Images by digest, from registries that the operator has named. */
export interface Images {
  /** The id of the image on this host, fetched if it is not here. */
  ensure(image: string, fetching: Fetching): Promise<string>;
  /** Removes what no container has. */
  prune(): Promise<void>;
}

const othersMayRead = 0o077;

export function makeImages(parts: {
  readonly commands: Commands;
  readonly places: Places;
  readonly settings: ContainerSettings;
  readonly clock: Clock;
}): Images {
  const { commands, places, settings, clock } = parts;
  const podman = podmanIn(places, settings);
  const find = async (image: string): Promise<string | undefined> => {
    const found = await commands.run(podman(...inspectImage(image)));
    if (found.status !== 0) return undefined;
    const { id, names } = parseImage(found.stdout);
    // Podman checks what it fetches against the digest. That it has filed it under this one is checked here.
    if (id === undefined || !names.includes(image)) {
      throw new HostFailure('image_mismatch', `What is here for ${image} is another image.`);
    }
    return id;
  };
  return {
    async ensure(image, { seconds, signal, ending }) {
      refuseForeign(settings, image);
      const here = await find(image);
      if (here !== undefined) return here;
      await expectRoom(places.storage, settings.reserveBytes);
      const logins = await loginsOf(settings, places);
      const argv = podman(...pull(image, logins, settings.certificates));
      await removeHalves(places.fetching);
      const room = watchRoom(places.storage, settings, clock);
      const ends = AbortSignal.any([signal, ending, room.full]);
      const fetch = commands.run(argv, { limitMs: seconds * 1_000, signal: ends });
      const result = await unlessCalledOff(signal, fetch).finally(room.close);
      if (result.status !== 0) await removeHalves(places.fetching);
      if (room.full.aborted) throw new HostFailure('disk_full', `There is no room for ${image} on this host.`);
      if (ending.aborted) throw new HostFailure('lease_conflict', 'The lease or its machine ended meanwhile.');
      if (result.status === statusLate) {
        throw new HostFailure('image_unavailable', `${image} did not arrive within ${seconds} s.`);
      }
      if (result.status !== 0) throw failureOf(image, complaintOf(result));
      const id = await find(image);
      if (id === undefined) throw new HostFailure('image_mismatch', `The registry gave something else for ${image}.`);
      return id;
    },
    async prune() {
      const result = await commands.run(podman(...pruneImages), { limitMs: pruneMs });
      if (result.status !== 0) {
        throw new HostFailure('host_not_ready', `Images of the tenant could not be removed: ${complaintOf(result)}.`);
      }
    },
  };
}
const pruneMs = 300_000;

function failureOf(image: string, complaint: string): HostFailure {
  if (/no space left/i.test(complaint)) return new HostFailure('disk_full', `There is no room for ${image}.`);
  return /does not match|digest mismatch/i.test(complaint)
    ? new HostFailure('image_mismatch', `The registry gave something else for ${image}.`)
    : new HostFailure('image_unavailable', `${image} could not be fetched: ${complaint}.`);
}

export function refuseForeign(settings: ContainerSettings, image: string): void {
  const registry = image.slice(0, image.indexOf('/'));
  if (settings.registries.includes(registry)) return;
  throw new HostFailure('registry_refused', `Images from ${registry} are not allowed on this host.`);
}

/** A file that others can read is refused: the logins in it would be theirs. */
async function loginsOf(settings: ContainerSettings, places: Places): Promise<string> {
  if (settings.authFile === undefined) return places.noLogins;
  const found = await entryAt(settings.authFile);
  if (!found) throw new HostFailure('host_not_ready', `The file with logins, ${settings.authFile}, is not there.`);
  if ((found.mode & othersMayRead) === 0 && found.uid === process.getuid?.()) return settings.authFile;
  throw new HostFailure('host_not_ready', `${settings.authFile} has to belong to the agent alone: chmod 0600.`);
}

export async function expectRoom(folder: string, leastBytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bavail * bsize >= leastBytes) return;
  throw new HostFailure('disk_full', `Less than ${Math.round(leastBytes / 1_024 ** 2)} MiB are free at ${folder}.`);
}

const betweenLooksMs = 500;
/** Looks while an image is fetched and unpacked: nobody says beforehand how large it becomes. */
function watchRoom(
  folder: string,
  settings: Pick<ContainerSettings, 'reserveBytes'>,
  clock: Clock,
): { readonly full: AbortSignal; readonly close: () => void } {
  const [full, over] = [new AbortController(), new AbortController()];
  const watch = async (): Promise<void> => {
    while (await sleepWell(clock, betweenLooksMs, over.signal)) {
      await expectRoom(folder, settings.reserveBytes);
    }
  };
  watch().catch(() => full.abort());
  return { full: full.signal, close: () => over.abort() };
}

/** What a fetch that was ended has left: files, and folders of files, which are root's alone. */
async function removeHalves(folder: string): Promise<void> {
  for (const name of await entriesIn(folder)) {
    const at = join(folder, name);
    if ((await entryAt(at))?.isDirectory()) await removeFlat(at);
    else await rm(at, { force: true });
  }
}

/** What podman reads instead of the settings of the machine. Written anew each time: it is ours alone. */
export async function prepareEngine(places: Places, settings: ContainerSettings): Promise<void> {
  for (const folder of [places.storage, places.hooks, places.fetching])
    await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(places.engine, engineSettings(places, settings), { mode: 0o600 });
  await writeFile(places.registries, registrySettings, { mode: 0o600 });
  await writeFile(places.noLogins, '{}', { mode: 0o600 });
  await writeFile(places.noMounts, '', { mode: 0o600 });
}

function parseImage(text: string): { readonly id: string | undefined; readonly names: readonly string[] } {
  try {
    const [first] = JSON.parse(text) as { readonly Id?: string; readonly RepoDigests?: readonly string[] }[];
    return { id: first?.Id, names: first?.RepoDigests ?? [] };
  } catch {
    return { id: undefined, names: [] };
  }
}
