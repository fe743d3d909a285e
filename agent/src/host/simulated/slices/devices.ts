import type { TaskSlot } from '@gpuaas/contract/node';
import { HostFailure } from '../../port.ts';
import type { Hardware } from '../hardware.ts';

export const addressesOf = (slots: readonly TaskSlot[]): string[] => slots.map(({ pci_address }) => pci_address);
export const disksOf = (slots: readonly TaskSlot[]): string[] =>
  slots.flatMap(({ nvme_device }) => (nvme_device === null ? [] : [nvme_device]));

export function refuseForeignSlots({ slots: own }: Hardware, slots: readonly TaskSlot[]): void {
  for (const slot of slots) {
    const ours = own.find(({ pci_address }) => pci_address === slot.pci_address);
    if (ours?.gpu_uuid !== slot.gpu_uuid) {
      throw new HostFailure('gpu_mismatch', `${slot.gpu_uuid} is not at ${slot.pci_address} of this host.`);
    }
  }
}
