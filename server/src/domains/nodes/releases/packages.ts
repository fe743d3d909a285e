import { type Database, type ReadTx, systemViewer } from '../../../kernel/act.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { NodeDoor } from '../enrolment/install.ts';
import { type AgentPackages, digestOf, installScript } from '../enrolment/install-script.ts';
import { packagesLookedThrough } from '../facts.ts';
import { listPackages, type ReleaseArch } from './releases-store.ts';

/** Packages by version, the newest version first. */
async function packagesByVersion(tx: ReadTx, downloads: string): Promise<AgentPackages[]> {
  const versions = new Map<string, Partial<Record<ReleaseArch, string>>>();
  for (const { version, arch, digest } of await listPackages(tx, packagesLookedThrough)) {
    // The database refuses a package without an architecture; only bundles have none.
    if (arch === null) continue;
    versions.set(version, { ...versions.get(version), [arch]: digest.slice('sha256:'.length) });
  }
  return [...versions].map(([version, digests]) => ({ version, digests, downloads }));
}

/** What the next host installs; undefined when no package is offered. */
export const newestPackages = async (tx: ReadTx, downloads: string): Promise<AgentPackages | undefined> =>
  (await packagesByVersion(tx, downloads))[0];

/**
 * The installer with this digest. It is written anew from what is offered, so that none has to be kept: one that names a package
 * which was withdrawn is gone with it.
 */
export type FindInstaller = (hex: string) => Promise<string | undefined>;
export const makeFindInstaller =
  (parts: {
    readonly db: Database;
    readonly ids: Ids;
    readonly door: () => Promise<NodeDoor>;
    readonly downloads: string;
  }): FindInstaller =>
  async (hex) => {
    const door = await parts.door();
    const who = systemViewer('nodes', { correlationId: parts.ids.next() });
    const offered = await parts.db.read(who, (tx) => packagesByVersion(tx, parts.downloads));
    return offered.map((packages) => installScript(door, packages)).find((text) => digestOf(text) === hex);
  };
