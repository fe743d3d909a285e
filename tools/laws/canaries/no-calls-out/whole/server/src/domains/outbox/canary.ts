export const wakeTheRelay = (tx: { wake(channel: string, what: string): void }) => tx.wake('gpuaas_outbox', 'committed');
