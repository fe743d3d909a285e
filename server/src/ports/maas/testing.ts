import { systemClock } from '../../kernel/clock.ts';
import { type MaasWorld, regionTimes } from './conformance.ts';
import { type MaasConfig, openMaas } from './open.ts';
import { startSimulatedMaas } from './simulated/server.ts';

/** A region whose time passes only when a test says so, behind http or https. */
export async function makeMaasWorld(
  config: MaasConfig,
  apiKey: string,
  tls?: { readonly key: string; readonly cert: string },
): Promise<MaasWorld> {
  let ahead = 0;
  const clock = { ...systemClock, now: () => new Date(systemClock.now().getTime() + ahead) };
  const settings = { apiKey, clock, times: regionTimes, ...(tls && { tls }) };
  let server = await startSimulatedMaas(settings);
  const { url, region } = server;
  return {
    config,
    open: () => openMaas(config),
    access: { url, apiKey, ...(tls && { caPem: tls.cert }) },
    region,
    pass: (ms) => {
      ahead += ms;
    },
    stop: () => server.close(),
    async start() {
      const again = await startSimulatedMaas({ ...settings, port: Number(new URL(url).port) });
      for (const machine of region.machines.values()) again.region.machines.set(machine.systemId, machine);
      server = again;
    },
    close: () => server.close(),
  };
}
