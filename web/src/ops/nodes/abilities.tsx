import type { HostCapability, HostTopology } from '@gpuaas/sdk';
import { Chip } from '../../parts/chip.tsx';

type Ability = HostCapability['ability'];
const words: Readonly<Record<Ability, string>> = {
  slices: 'slices',
  oci: 'containers',
  reimage: 'reimage',
  partitions: 'NVSwitch partitions',
  fabric: 'fabric for slices',
  ssh_certificates: 'SSH certificates',
};

/** What the host says that it can do besides being rented out whole; what it lacks says what is missing. */
export function Abilities({ of }: { of: HostTopology | null }) {
  if (!of?.capabilities) return <>{of ? 'its agent does not say' : 'unknown'}</>;
  return (
    <ul className="grid gap-1">
      {of.capabilities.map(({ ability, able, why_not }) => (
        <li key={ability} className="flex flex-wrap items-baseline gap-2">
          <Chip tone={able ? 'ok' : 'calm'}>{words[ability]}</Chip>
          {!able && why_not && <span className="text-sm text-dim">{why_not}</span>}
        </li>
      ))}
    </ul>
  );
}
