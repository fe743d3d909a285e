import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FleetOrder, SimulatedFleet } from '../../../domains/simulator/index.ts';
import { systemIds } from '../../../kernel/id.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { host } from '../address.ts';

/**
 * Where the api sends orders for the simulated fleet, in this process or, with `--split`, in another. It listens on
 * loopback, and its path is a secret that only the api gets.
 */
export interface FleetDesk {
  readonly address: string;
  /** Before the fleet is there the desk answers that it is empty. */
  attend(fleet: SimulatedFleet): void;
  close(): Promise<void>;
}

const secretBytes = 32;
const mostBytes = 4_096;

export async function openFleetDesk(speed: number, log: Log): Promise<FleetDesk> {
  const path = `/${systemIds.secret(secretBytes)}`;
  let fleet: SimulatedFleet = {
    look: async () => ({ speed, nodes: [] }),
    order: async () => undefined,
    setSpeed: async () => undefined,
  };
  const answer = async (request: IncomingMessage): Promise<object> => {
    if (request.method !== 'POST') return fleet.look();
    // Only our own api knows the path, and it has checked what it sends.
    const order = JSON.parse(await read(request)) as FleetOrder | { kind: 'set_speed'; speed: number };
    if (order.kind === 'set_speed') {
      await fleet.setSpeed(order.speed);
      return {};
    }
    return { node: (await fleet.order(order)) ?? null };
  };
  const server = createServer((request, response) => {
    if (request.url !== path) {
      response.writeHead(404).end();
      return;
    }
    answer(request).then(
      (body) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      (error: unknown) => {
        log.error({ err: error }, 'an order for the simulated fleet failed');
        response.writeHead(500).end();
      },
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, host, resolve);
  });
  return {
    address: `http://${host}:${(server.address() as AddressInfo).port}${path}`,
    attend(next) {
      fleet = next;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function read(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > mostBytes) throw new Error('The order is too long.');
  }
  return text;
}
