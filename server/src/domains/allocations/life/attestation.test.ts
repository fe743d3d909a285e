import type { ReadinessAttestation } from '@gpuaas/contract/node';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findProblems, type Promised } from './attestation.ts';

const uuid = (n: number) => `GPU-00000000-0000-0000-0000-00000000000${n}`;
const allocationId = '0191b2c4-0000-7000-8000-000000000001';
const promised: Promised = {
  allocationId,
  username: 'u',
  gpuModel: 'NVIDIA H200',
  gpuUuids: [0, 1].map(uuid),
  gpuMemoryMib: 143_771,
  minimumDriver: '570.86.15',
  minimumCuda: '12.8',
};
const gpu = (n: number) => ({
  uuid: uuid(n),
  model: 'NVIDIA H200',
  pci_address: `0000:1${n}:00.0`,
  memory_mib: 143_771,
  healthy: true,
});
const passed = { passed: true, detail: 'seen' };
const attested: ReadinessAttestation = {
  allocation_id: allocationId,
  taken_at: '2026-01-01T00:00:00Z',
  gpus: [gpu(0), gpu(1)],
  driver_version: '570.133.20',
  cuda_version: '12.8',
  nvidia_smi: passed,
  disk_clean: passed,
  isolation: passed,
  ssh: { reachable: true, address: '10.0.0.1', port: 22, username: 'u', host_key_fingerprint: 'SHA256:x' },
  durations_ms: {},
};
const failed = { passed: false, detail: 'not seen' };

describe('a readiness attestation', () => {
  it('that is as promised has no problems, in whatever order it names the GPUs', () => {
    expect(findProblems(promised, attested)).toEqual([]);
    expect(findProblems(promised, { ...attested, gpus: [gpu(1), gpu(0)] })).toEqual([]);
    for (const address of ['gpu-17.example.net', '2001:db8::7', 'h']) {
      expect(findProblems(promised, { ...attested, ssh: { ...attested.ssh, address } })).toEqual([]);
    }
  });

  it.each<[string, Partial<ReadinessAttestation>, string]>([
    ['one GPU too few', { gpus: [gpu(0)] }, 'It has 1 of 2 GPUs.'],
    ['no GPU at all', { gpus: [] }, 'It has 0 of 2 GPUs.'],
    ['one GPU too many', { gpus: [gpu(0), gpu(1), gpu(2)] }, 'does not belong to it'],
    ['one GPU twice', { gpus: [gpu(0), gpu(0)] }, 'It names a GPU twice.'],
    ['another GPU', { gpus: [gpu(0), gpu(3)] }, `${uuid(1)} is missing.`],
    ['another model', { gpus: [gpu(0), { ...gpu(1), model: 'NVIDIA H100' }] }, 'is a NVIDIA H100'],
    ['less memory', { gpus: [gpu(0), { ...gpu(1), memory_mib: 1_000 }] }, 'has 1000 of 143771 MiB'],
    ['a sick GPU', { gpus: [gpu(0), { ...gpu(1), healthy: false, detail: 'Xid 79' }] }, 'Xid 79'],
    ['an old driver', { driver_version: '570.86.10' }, 'older than 570.86.15'],
    ['a driver without a number', { driver_version: 'nouveau' }, 'older than'],
    ['no driver', { driver_version: '' }, 'does not say which driver'],
    ['an old CUDA', { cuda_version: '12' }, 'older than 12.8'],
    ['nvidia-smi in trouble', { nvidia_smi: failed }, 'nvidia-smi: not seen'],
    ['a dirty disk', { disk_clean: failed }, 'The disk is not clean'],
    ['a leak', { isolation: failed }, 'It is not isolated'],
    ['no way in', { ssh: { ...attested.ssh, reachable: false } }, 'cannot be reached by SSH'],
    ['another login', { ssh: { ...attested.ssh, username: '-oProxyCommand=id' } }, 'another login'],
    ['an option for an address', { ssh: { ...attested.ssh, address: '-oProxyCommand=id' } }, 'neither a host name'],
    ['a command for an address', { ssh: { ...attested.ssh, address: '10.0.0.1;id' } }, 'neither a host name'],
    ['another allocation', { allocation_id: '0191b2c4-0000-7000-8000-000000000002' }, 'another allocation'],
  ])('with %s is refused', (_, change, problem) => {
    expect(findProblems(promised, { ...attested, ...change }).join(' ')).toContain(problem);
  });

  it('never passes with a set of GPUs that is not the promised one', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(9), { maxLength: 4 }), (numbers) => {
        const same = numbers.length === 2 && numbers.includes(0) && numbers.includes(1);
        expect(findProblems(promised, { ...attested, gpus: numbers.map(gpu) }).length === 0).toBe(same);
      }),
    );
  });
});
