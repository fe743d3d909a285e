import type { Proof, ReadinessAttestation } from '@gpuaas/contract/node';
import type { Clock } from '../../clock.ts';
import { fingerprintOfKey } from '../fingerprint.ts';
import type { Accounts } from './accounts.ts';
import type { Commands } from './commands.ts';
import { readCudaVersion } from './nvidia-smi.ts';
import { entryAt } from './removal/entries.ts';
import { greetSsh, readHostKeys, type SshDoor } from './ssh/ssh.ts';
import type { Tenancy } from './tenancies.ts';
import type { Watch } from './watch.ts';

/** What a whole host attests. Everything is looked up at this moment but what only the moment before could show. */
export type Attest = (tenancy: Tenancy) => Promise<ReadinessAttestation>;

const privateHome = 0o700;
const permissionBits = 0o777;

export function makeAttest(parts: {
  readonly root: string;
  readonly commands: Commands;
  readonly accounts: Accounts;
  readonly watch: Watch;
  readonly door: SshDoor;
  readonly clock: Clock;
  readonly isRoot: boolean;
}): Attest {
  const { accounts, door } = parts;

  /** A tenant of a whole host is walled off from other tenants by being the only one. */
  const isolation = async ({ allocation_id, login }: Tenancy): Promise<Proof> => {
    const all = await accounts.list();
    const own = all.find(({ allocationId }) => allocationId === allocation_id);
    const strangers = all.filter(({ allocationId }) => allocationId !== undefined && allocationId !== allocation_id);
    const twins = all.filter(({ uid, name }) => uid === login.uid && name !== login.username);
    const groups = await accounts.otherGroupsOf(login.username);
    // A tenant can make the own home unreadable with a mount. That is no home of the login alone.
    const home = own && (await entryAt(own.home).catch(() => undefined));
    const isPrivate = home?.isDirectory() && (home.mode & permissionBits) === privateHome;
    const isOwned = home !== undefined && (home.uid === login.uid || !parts.isRoot);
    const trouble = [
      ...(own?.isOpen ? [] : ['there is no open login']),
      ...(strangers.length > 0 ? [`another allocation has the login ${strangers[0]?.name}`] : []),
      ...(twins.length > 0 ? [`${twins[0]?.name} has the same user id`] : []),
      ...(groups.length > 0 ? [`the login is in the groups ${groups.join(', ')}`] : []),
      ...(isPrivate && isOwned ? [] : ['the home is not the login’s alone']),
    ];
    return trouble.length === 0
      ? { passed: true, detail: 'One login, in no other group, with a home of its own; no other allocation is here.' }
      : { passed: false, detail: `Not alone: ${trouble.join('; ')}.`.slice(0, 500) };
  };

  return async (tenancy) => {
    const [{ look, evidence }, cuda, apart, reachable, keys] = await Promise.all([
      parts.watch.gpus(),
      readCudaVersion(parts.commands),
      isolation(tenancy),
      greetSsh(door),
      readHostKeys(parts.root),
    ]);
    return {
      allocation_id: tenancy.allocation_id,
      taken_at: parts.clock.now().toISOString(),
      simulated: false,
      gpus: evidence,
      driver_version: look.driverVersion ?? '',
      cuda_version: cuda ?? '',
      nvidia_smi: look.answers,
      disk_clean: tenancy.disk_clean ?? { passed: false, detail: 'Nobody looked before the login was made.' },
      isolation: apart,
      // A door whose key nobody can compare is not one that people should go through.
      ssh: {
        reachable: reachable && keys.length > 0,
        ...door,
        username: tenancy.login.username,
        host_key_fingerprint: keys[0] ? fingerprintOfKey(keys[0]) : '',
        host_keys: keys,
      },
      durations_ms: tenancy.durations_ms,
    };
  };
}
