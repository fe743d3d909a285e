import { randomBytes } from 'node:crypto';
import { putAllocation } from '../../src/domains/allocations/testing.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { asSystem, type Tenant, type World } from '../../src/testing/world.ts';
import { accessExamples } from './access-examples.ts';
import type { MakeExample } from './examples.ts';
import { machine, personOf } from './people-examples.ts';

/** A session that waits for its shell. */
const session = async (world: World, tenant: Tenant, caller: string): Promise<string> => {
  const [id, person] = [systemIds.next(), await personOf(world, caller)];
  await asSystem(
    world.root,
    `insert into terminal_sessions (id, organization_id, project_id, allocation_id, node_id, user_id, name, recording, columns,
       rows, simulated, open_by, expires_at)
     select $1, $2, $3, a.id, a.node_id, $5, 'shell 1', 'off', 80, 24, true, now() + interval '5 minutes', now() + interval '1 hour'
     from allocations a where a.id = $4`,
    [id, tenant.organizationId, tenant.projectId, await machine(world, tenant, caller), person],
  );
  return id;
};
/** A recording without a chunk, and a view of the caller. */
const recording = async (world: World, tenant: Tenant, caller: string) => {
  const [id, view, person] = [
    await session(world, tenant, tenant.token),
    randomBytes(16).toString('hex'),
    await personOf(world, caller),
  ];
  await asSystem(
    world.root,
    `insert into terminal_recordings (id, organization_id, project_id, allocation_id, user_id, kind, records_input)
     select id, organization_id, project_id, allocation_id, user_id, 'output', false from terminal_sessions where id = $1`,
    [id],
  );
  await world.cache.set(`terminal_recording_view:${view}`, `${id} ${person}`, 3_600_000);
  return { params: { terminal_recording_id: id }, view };
};
const ofRecording: MakeExample = async (...of) => ({ params: (await recording(...of)).params });
const castOf: MakeExample = async (...of) => {
  const { params, view } = await recording(...of);
  return { params, query: `view=${view}` };
};
const ofSession: MakeExample = async (world, tenant, caller) => ({
  params: { terminal_session_id: await session(world, tenant, caller) },
});

export const terminalExamples: Readonly<Record<string, MakeExample>> = {
  ...accessExamples,
  terminal_token_mint: async (world, tenant, caller) => ({
    params: { allocation_id: await machine(world, tenant, caller) },
    body: { mode: 'open', columns: 80, rows: 24 },
  }),
  terminal_session_list: async (world, tenant) => ({
    params: { allocation_id: await putAllocation(world.root, tenant, 'active') },
  }),
  terminal_session_end: ofSession,
  jump_host_get: async () => ({}),
  recording_list: async (_, tenant) => ({ params: { organization_id: tenant.organizationId } }),
  recording_get: ofRecording,
  recording_open: async (...of) => ({ ...(await ofRecording(...of)), body: { purpose: 'watch' } }),
  recording_cast: castOf,
  recording_verify: ofRecording,
  admin_recording_list: async () => ({}),
  admin_recording_get: ofRecording,
  admin_recording_open: async (...of) => ({
    ...(await ofRecording(...of)),
    body: { purpose: 'watch', reason: 'an example' },
  }),
  admin_recording_cast: castOf,
  admin_recording_verify: ofRecording,
  admin_terminal_session_list: async () => ({}),
  admin_terminal_session_end: async (...of) => ({ ...(await ofSession(...of)), body: { reason: 'an example' } }),
};
