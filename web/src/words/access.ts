/** How an allocation is reached. The API promises an object; its fields are validated here. */
export interface Reachable {
  readonly access: Readonly<Record<string, unknown>> | null;
  readonly login: { readonly username: string } | null;
}
export interface Access {
  readonly line: string;
  readonly username: string;
  readonly hostKey: string | undefined;
}

const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
/** Only characters of a name or an address, and no option of ssh: the line is pasted into a shell. */
const isPlain = (value: string): boolean => /^[A-Za-z0-9_:][A-Za-z0-9._:-]*$/.test(value);

export function readAccess({ access, login }: Reachable): Access | undefined {
  if (!access) return undefined;
  const inner = access['ssh'];
  const ssh = (typeof inner === 'object' && inner !== null ? inner : access) as Readonly<Record<string, unknown>>;
  const address = text(ssh['address']) ?? text(ssh['host']);
  const username = login?.username ?? text(ssh['username']);
  const port = typeof ssh['port'] === 'number' ? ssh['port'] : 22;
  if (!address || !username || !isPlain(address) || !isPlain(username)) return undefined;
  return {
    line: `ssh ${port === 22 ? '' : `-p ${port} `}${username}@${address}`,
    username,
    hostKey: text(ssh['host_key_fingerprint']) ?? text(ssh['host_key']),
  };
}

export interface Jump {
  readonly line: string;
  /** Lines of a known_hosts file: the jump host and the machine. */
  readonly knownHosts: readonly string[];
}
const keyPattern = /^[a-z0-9@.-]{1,60} [A-Za-z0-9+/]{1,12000}={0,2}$/;

/** The way for ssh alone, through the jump host; undefined while no host key of the machine is known that could be compared. */
export function readJump(
  it: Reachable & { readonly id: string },
  jump: {
    readonly host: string;
    readonly port: number;
    readonly username: string;
    readonly known_hosts: readonly string[];
  },
): Jump | undefined {
  const inner = it.access?.['ssh'];
  const ssh = (typeof inner === 'object' && inner !== null ? inner : it.access) as Readonly<
    Record<string, unknown>
  > | null;
  const username = it.login?.username ?? text(ssh?.['username']);
  const keys = ssh?.['host_keys'];
  const known = (Array.isArray(keys) ? keys : []).filter((key) => typeof key === 'string' && keyPattern.test(key));
  if (!username || !isPlain(username) || !isPlain(jump.host) || known.length === 0) return undefined;
  const host = jump.host.includes(':') ? `[${jump.host}]` : jump.host;
  return {
    line: `ssh -J ${jump.username}@${host}:${jump.port} ${username}@gpuaas-${it.id}`,
    knownHosts: [...jump.known_hosts, ...known.map((key) => `gpuaas-${it.id} ${key}`)],
  };
}

/** The part of an address after #; empty if it is not written as an address may be. */
export function readFragment(hash: string): string {
  try {
    return decodeURIComponent(hash.slice(1));
  } catch {
    return '';
  }
}

interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
}
/**
 * Projects by organization, for the switcher. Personal organizations are all called the same, so a name that occurs twice
 * comes with its slug. An organization without a project has nothing to switch to.
 */
export function groupProjects<P extends { readonly organization_id: string }>(
  organizations: readonly Organization[],
  projects: readonly P[],
): { readonly id: string; readonly label: string; readonly projects: readonly P[] }[] {
  const isTaken = ({ id, name }: Organization) => organizations.some((other) => other.id !== id && other.name === name);
  return organizations.flatMap((each) => {
    const own = projects.filter(({ organization_id }) => organization_id === each.id);
    const label = isTaken(each) ? `${each.name} (${each.slug})` : each.name;
    return own.length > 0 ? [{ id: each.id, label, projects: own }] : [];
  });
}
