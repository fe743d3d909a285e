import type { IconName } from '../parts/icon.tsx';

/** Where one can go. A place that does not exist yet is not listed. */
export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  /** The second key after `g`. */
  readonly key?: string;
}
export interface PlaceGroup {
  readonly name: string;
  readonly places: readonly Place[];
}

export const projectPlaces: readonly PlaceGroup[] = [
  {
    name: 'Workloads',
    places: [
      { to: '/', label: 'Home', icon: 'home', key: 'h' },
      { to: '/allocations', label: 'Allocations', icon: 'cpu', key: 'a' },
      { to: '/groups', label: 'Groups', icon: 'stack', key: 'u' },
    ],
  },
  { name: 'Compute', places: [{ to: '/launch', label: 'Launch', icon: 'launch', key: 'l' }] },
  {
    name: 'Access',
    places: [
      { to: '/ssh-keys', label: 'SSH keys', icon: 'key', key: 'k' },
      { to: '/tokens', label: 'Personal tokens', icon: 'token', key: 't' },
      { to: '/service-accounts', label: 'Service accounts', icon: 'robot', key: 's' },
    ],
  },
  {
    name: 'Account',
    places: [
      { to: '/team', label: 'Team', icon: 'team', key: 'm' },
      { to: '/activity', label: 'Activity', icon: 'activity', key: 'y' },
      { to: '/sessions', label: 'Sign-in sessions', icon: 'devices' },
    ],
  },
];

export const operatorPlaces: readonly PlaceGroup[] = [
  {
    name: 'Fleet',
    places: [
      { to: '/ops', label: 'Wall', icon: 'wall', key: 'f' },
      { to: '/ops/nodes', label: 'Nodes', icon: 'server', key: 'n' },
      { to: '/ops/allocations', label: 'All allocations', icon: 'cpu' },
      { to: '/ops/queue', label: 'Queue', icon: 'stack', key: 'q' },
    ],
  },
  {
    name: 'Business',
    places: [
      { to: '/ops/tenants', label: 'Tenants', icon: 'team' },
      { to: '/ops/people', label: 'People', icon: 'devices' },
      { to: '/ops/skus', label: 'SKUs and prices', icon: 'tag' },
      { to: '/ops/policies', label: 'Policies', icon: 'rules' },
    ],
  },
  {
    name: 'Platform',
    places: [
      { to: '/ops/health', label: 'Health', icon: 'activity', key: 'p' },
      { to: '/ops/events', label: 'Events', icon: 'mail', key: 'e' },
      { to: '/ops/workflows', label: 'Workflows', icon: 'clock', key: 'w' },
      { to: '/ops/audit', label: 'Audit', icon: 'book' },
      { to: '/ops/simulator', label: 'Simulator', icon: 'flask' },
    ],
  },
];

/** A place is lit when one is on it or below it; the roots only when one is exactly there. */
export const isAt = (place: Place, path: string): boolean =>
  place.to === '/' || place.to === '/ops' ? path === place.to : path === place.to || path.startsWith(`${place.to}/`);
