import { describe, expect, it } from 'vitest';
import type { Database } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { makeAppIngress } from './admit.ts';
import { makeAppSessions } from './sessions.ts';

const target = {
  ...{
    route_id: 'r',
    organization_id: 'o',
    project_id: 'p',
    app_instance_id: 'i',
    route_family: 'api',
    target_port: 80,
  },
  ...{ client_auth_mode: 'api_bearer', instance_state: 'running', allocation_id: 'a', allocation_state: 'active' },
  ...{ workload_id: 'w', node_id: 'n', simulated: true, keeps_running: true, meters: [] },
};
const held = new Map<string, string>();
const cache = {
  set: async (key: string, value: string) => void held.set(key, value),
  get: async (key: string) => held.get(key),
  async take(key: string) {
    const value = held.get(key);
    held.delete(key);
    return value;
  },
} as never;
let now = Date.parse('2026-11-18T12:00:00Z');
const sessions = makeAppSessions({ cache, ids: systemIds, clock: { now: () => new Date(now) } as never });

describe('a request to an app', () => {
  it('is judged by its token while no connection to the database is held', async () => {
    let open = 0;
    const db = {
      async read(_viewer: unknown, run: (tx: object) => Promise<unknown>) {
        open += 1;
        try {
          return await run({ rows: async () => [target] });
        } finally {
          open -= 1;
        }
      },
    } as unknown as Database;
    const seen: number[] = [];
    const judgeBearer = async () => {
      seen.push(open);
      return { actorId: 'someone', may: true };
    };
    const ingress = makeAppIngress({ db, sessions, judgeBearer, place: undefined });
    const credential = { kind: 'bearer', token: 't' } as const;
    const said = await ingress.admit({ label: 'api-1', credential, address: '192.0.2.1' } as never, {
      correlationId: 'a test',
    });
    expect(said).toMatchObject({ decision: 'admitted', actor_id: 'someone', organization_id: expect.any(String) });
    expect(seen).toEqual([0]);
  });
});

describe('a session at an app', () => {
  it('is as old as its code: who signs out everywhere between the two ends it', async () => {
    const state = 's'.repeat(20);
    const { code } = await sessions.mintCode({ label: 'web-1', userId: 'u', state });
    const mintedAt = new Date(now).toISOString();
    now += 30_000;
    const session = await sessions.exchange({ label: 'web-1', code, state });
    expect(await sessions.find(session?.secret ?? '')).toMatchObject({ user_id: 'u', minted_at: mintedAt });
    expect(session?.expiresAt.getTime()).toBe(Date.parse(mintedAt) + 12 * 3_600_000);
  });
});
