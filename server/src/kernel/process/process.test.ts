import { Type } from 'typebox';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { systemIds } from '../id.ts';
import { makeLog } from '../telemetry/log.ts';
import { ConfigFault, Secret } from './config.ts';
import { disarmFailpoints, failpoint } from './failpoint.ts';
import { type Common, processesOver, type Running, startProcess } from './process.ts';

interface Ports {
  readonly lamp: { readonly lit: boolean; close(): Promise<void> };
}
const config = Type.Object({
  greeting: Type.String({ default: 'hello' }),
  apiKey: Type.Optional(Secret({ minLength: 20 })),
});
type Parts = Pick<Ports, 'lamp'> & Common<{ greeting: string }>;

const running: Running[] = [];
afterEach(async () => {
  disarmFailpoints();
  for (const one of running.splice(0)) await one.stop();
});

function setUp(start: (parts: Parts) => Promise<void> = async () => undefined, env: Record<string, string> = {}) {
  const lines: string[] = [];
  const closed: string[] = [];
  const spec = processesOver<Ports>()({ name: 'lamplighter', summary: 'Lights.', needs: ['lamp'], config, start });
  const launch = async () => {
    const one = await startProcess(spec, {
      env: { GPUAAS_SHUTDOWN_SECONDS: '1', ...env },
      clock: systemClock,
      ids: systemIds,
      log: makeLog('lamplighter', 'debug', { write: (line) => void lines.push(line) }),
      version: '1.2.3',
      openPorts: async (needs, common) => {
        expect(needs).toEqual(['lamp']);
        return { lamp: common.scope.keep('lamp', { lit: true, close: async () => void closed.push('lamp') }) };
      },
    });
    running.push(one);
    return one;
  };
  return { lines, closed, launch };
}
const readyz = async (url: string) => {
  const reply = await fetch(`${url}/readyz`);
  return { status: reply.status, body: (await reply.json()) as { ready: boolean; checks: Record<string, string> } };
};

describe('a process', () => {
  it('is handed its ports, its settings and the tools that all have', async () => {
    let seen: Parts | undefined;
    const { launch, lines } = setUp(
      async (parts) => {
        seen = parts;
      },
      { GPUAAS_GREETING: 'good evening' },
    );
    const one = await launch();
    expect(seen).toMatchObject({ config: { greeting: 'good evening' }, lamp: { lit: true } });
    expect(one.name).toBe('lamplighter');
    expect(lines.join('')).toContain('lamplighter started');
    const metrics = await (await fetch(`${one.healthUrl}/metrics`)).text();
    expect(metrics).toContain('gpuaas_build_info{version="1.2.3",process="lamplighter"} 1');
  });

  it('tells all that is wrong with its settings at once, and shows no secret', async () => {
    const { launch } = setUp(undefined, {
      GPUAAS_HEALTH_PORT: '99999',
      GPUAAS_LOG_LEVEL: 'loud',
      GPUAAS_API_KEY: 'hunter2',
    });
    const fault = await launch().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(ConfigFault);
    const { message, faults } = fault as ConfigFault;
    expect(faults).toHaveLength(3);
    for (const name of ['GPUAAS_HEALTH_PORT', 'GPUAAS_LOG_LEVEL', 'GPUAAS_API_KEY']) expect(message).toContain(name);
    expect(message).not.toContain('hunter2');
  });

  it('lives but is not ready while it starts, is ready then, and not any more while it stops', async () => {
    const gate = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<string>();
    const closing = Promise.withResolvers<void>();
    const { launch, lines } = setUp(
      async ({ scope, log }) => {
        log.info('starting');
        scope.keep('slow', { close: () => closing.promise });
        asked.resolve('');
        await gate.promise;
      },
      { GPUAAS_HEALTH_PORT: String(await freePort()) },
    );
    const launching = launch();
    await asked.promise;
    const url = `http://127.0.0.1:${lastPort}`;
    expect(await readyz(url)).toMatchObject({ status: 503, body: { checks: { start: 'still starting' } } });
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    gate.resolve();
    const one = await launching;
    expect(await readyz(url)).toEqual({ status: 200, body: { ready: true, checks: { start: 'ok' } } });
    const stopping = one.stop();
    expect(await readyz(url)).toMatchObject({ status: 503, body: { ready: false } });
    closing.resolve();
    expect(await stopping).toEqual([]);
    expect(lines.join('')).not.toContain('in time');
  });

  it('is not ready when the work that shows it fails', async () => {
    const { launch } = setUp(async ({ scope }) => {
      scope.ready('bus', () => Promise.reject(new Error('away')));
    });
    const one = await launch();
    expect(await readyz(one.healthUrl)).toEqual({
      status: 503,
      body: { ready: false, checks: { start: 'ok', bus: 'away' } },
    });
  });

  it('closes in the reverse order of opening, names what hangs, and closes the rest', async () => {
    const order: string[] = [];
    const { launch, closed, lines } = setUp(async ({ scope }) => {
      scope.keep('server', { close: async () => void order.push('server') });
      scope.keep('hangs', { close: () => new Promise(() => undefined) });
      scope.keep('worker', { close: async () => void order.push('worker') });
    });
    const one = await launch();
    expect(await one.stop()).toEqual(['hangs']);
    expect(order).toEqual(['worker', 'server']);
    expect(closed).toEqual(['lamp']);
    expect(lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'error')).toMatchObject({
      late: ['hangs'],
    });
    await expect(fetch(`${one.healthUrl}/healthz`)).rejects.toThrow();
  });

  it('gives back what it had opened when it cannot start', async () => {
    let url = '';
    const { launch, closed } = setUp(
      async () => {
        url = `http://127.0.0.1:${lastPort}`;
        throw new Error('no oil');
      },
      { GPUAAS_HEALTH_PORT: String(await freePort()) },
    );
    await expect(launch()).rejects.toThrow('no oil');
    expect(closed).toEqual(['lamp']);
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  it('arms the failpoints that it was given', async () => {
    const { launch } = setUp(undefined, { GPUAAS_FAILPOINTS: 'write.after-commit=fail' });
    await launch();
    await expect(failpoint('write.after-commit')).rejects.toThrow('failpoint');
  });
});

let lastPort = 0;
async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  lastPort = (server.address() as { port: number }).port;
  await new Promise((resolve) => server.close(resolve));
  return lastPort;
}
