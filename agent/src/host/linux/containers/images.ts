import { mkdir, statfs, writeFile } from 'node:fs/promises';
import { HostFailure } from '../../port.ts';
import { type Commands, complaintOf, statusLate } from '../commands.ts';
import { unlessCalledOff } from '../phases.ts';
import { entryAt } from '../removal/entries.ts';
import { engineSettings, inspectImage, podmanIn, pruneImages, pull, registrySettings } from './argv.ts';
import type { ContainerSettings, Places } from './settings.ts';

/** Images by digest, from registries that the operator has named. */
export interface Images {
  /** The id of the image on this host, fetched if it is not here. */
  ensure(image: string, pullSeconds: number, signal: AbortSignal): Promise<string>;
  /** Removes what no container has. */
  prune(): Promise<void>;
}

const othersMayRead = 0o077;

export function makeImages(parts: {
  readonly commands: Commands;
  readonly places: Places;
  readonly settings: ContainerSettings;
}): Images {
  const { commands, places, settings } = parts;
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
    async ensure(image, pullSeconds, signal) {
      refuseForeign(settings, image);
      const here = await find(image);
      if (here !== undefined) return here;
      await expectRoom(places.storage, settings.reserveBytes);
      const logins = await loginsOf(settings, places);
      const argv = podman(...pull(image, logins, settings.certificates));
      const result = await unlessCalledOff(signal, commands.run(argv, { limitMs: pullSeconds * 1_000 }));
      if (result.status === statusLate) {
        throw new HostFailure('image_unavailable', `${image} did not arrive within ${pullSeconds} s.`);
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

/** What podman reads instead of the settings of the machine. Written anew each time: it is ours alone. */
export async function prepareEngine(places: Places, settings: ContainerSettings): Promise<void> {
  for (const folder of [places.storage, places.hooks]) await mkdir(folder, { recursive: true, mode: 0o700 });
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
