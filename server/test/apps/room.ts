import { type ChildProcess, spawn } from 'node:child_process';
import { connect } from 'node:net';
import { appIngressRoutes } from '@gpuaas/contract/ingress';
import { type AppRig, openAppRig } from '../../src/edge/apps/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { freePort } from '../../src/testing/servers/start.ts';
import type { World } from '../../src/testing/world.ts';

/** A program of an app as a process of this machine, where a container would be. */
export interface Program {
  readonly port: number;
  readonly said: () => string;
  close(): Promise<void>;
}
const graceMs = 10_000;

export async function startProgram(
  command: string,
  argsFor: (port: number) => readonly string[],
  cwd: string,
): Promise<Program> {
  const port = await freePort();
  const child: ChildProcess = spawn(command, argsFor(port), {
    ...{ cwd, stdio: ['ignore', 'pipe', 'pipe'] },
    env: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: cwd, LANG: 'C.UTF-8' },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      said = `${said}${chunk.toString()}`.slice(-20_000);
    });
  }
  const ended = new Promise((resolve) => child.once('exit', resolve));
  return {
    port,
    said: () => said,
    async close() {
      child.kill('SIGTERM');
      const kill = setTimeout(() => child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(kill);
    },
  };
}

/**
 * The public path to a program: the real proxy, the real tunnel of an agent, and the api of a world that decides about each request by its rows.
 * The node is one of the test, so the api's answer gets its id.
 */
export async function openPath(world: World, program: Program): Promise<AppRig> {
  const rig = await openAppRig({ reportMs: 500 }, async () => ({
    ...{ allocationId: systemIds.next(), workloadId: systemIds.next(), stop: async () => undefined },
    connectContainer: async () => connect(program.port, '127.0.0.1'),
    close: async () => undefined,
  }));
  const { node_id, allocation_id, workload_id } = rig.admitted;
  rig.answer = async (route, body) => {
    const handler = world.appIngress.find((one) => one.route.path === route.path);
    if (!handler || route.path === appIngressRoutes.admitNode.path) return undefined;
    const call = { correlationId: systemIds.next(), signal: new AbortController().signal };
    const said = (await handler.handle(body as never, call as never)) as { readonly decision?: string };
    return said.decision === 'admitted' ? { ...said, node_id, allocation_id, workload_id } : said;
  };
  return rig;
}
