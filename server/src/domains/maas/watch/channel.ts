/** Wakes the worker: a site was added or a job was queued. */
export const maasChannel = 'gpuaas_maas';
