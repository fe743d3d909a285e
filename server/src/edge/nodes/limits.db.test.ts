import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DoorWorld, openDoorWorld } from './testing.ts';

const limits = { callsPerMinute: 5, connections: 2 };

describe('what one node may ask of the door', () => {
  let world: DoorWorld;
  beforeAll(async () => {
    world = await openDoorWorld({}, { limits });
  });
  afterAll(() => world.close());

  it('is a number of calls a minute; the others do not feel it', async () => {
    const [greedy, modest] = [await world.agent(), await world.agent()];
    const ask = (agent: typeof greedy) => agent.client.call('POST', agent.path('heartbeat'), { body: {} });
    const statuses: number[] = [];
    for (let call = 0; call < 8; call += 1) statuses.push((await ask(greedy)).status);
    expect(statuses.slice(0, 5)).toEqual([400, 400, 400, 400, 400]);
    expect(statuses).toContain(429);
    expect((await ask(modest)).status).toBe(400);
    expect(await world.metrics.scrape()).toMatch(/gpuaas_node_refusals_total\{[^}]*limit="calls"[^}]*\} [1-9]/);
    greedy.client.close();
    modest.client.close();
  });
});
