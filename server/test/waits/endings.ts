import type { TimedState } from '@gpuaas/contract';
import { makeProvision, makeVacate } from '../../src/domains/allocations/index.ts';
import { makeQueue } from '../../src/domains/allocations/queue/queue.ts';
import { putAllocation, sliceSku, testRegion } from '../../src/domains/allocations/testing.ts';
import { makeAppGuard } from '../../src/domains/app-instances/index.ts';
import { putInstance } from '../../src/domains/app-instances/testing.ts';
import { makeInvoicing } from '../../src/domains/invoicing/work.ts';
import { makeAnswers, makeOnboard, makeTasks, openTaskSigners } from '../../src/domains/nodes/index.ts';
import { makeChecks } from '../../src/domains/payments/checks.ts';
import { makeInvitationExpiry } from '../../src/domains/tenancy/index.ts';
import { makeTerminalGuard } from '../../src/domains/terminal/index.ts';
import { actsOf } from '../../src/kernel/act.ts';
import { systemIds } from '../../src/kernel/id.ts';
import { silentLog } from '../../src/kernel/telemetry/log.ts';
import { makeMetrics } from '../../src/kernel/telemetry/metrics.ts';
import { hourMs, minuteMs, secondMs } from '../../src/kernel/units.ts';
import { makeDisabledPayments } from '../../src/ports/payments/disabled.ts';
import type { Stage, Waiting } from './stage.ts';

/**
 * The code that ends each state that time ends. A state of the contract without a row does not compile, and each row is
 * run against a database: an object is put into the state, the clock is moved, the code runs.
 */
export interface Ending {
  /** What a process starts. Where a task of a host is in between, the sweeper ends the task and the saga the rest. */
  readonly by: readonly ((...parts: never[]) => unknown)[];
  readonly table: string;
  put(stage: Stage): Promise<Waiting>;
}

const later = (stage: Stage, ms: number) => new Date(stage.clock.now().getTime() + ms);

async function provisioning(stage: Stage) {
  const allocation = await stage.bench.allocation();
  const lease = { allocationId: allocation.id, generation: allocation.generation };
  const round = await stage.waitIn(makeProvision(stage.parts), lease);
  // The host has begun: what it touched is cleaned before it is given out again.
  const { task_id } = await allocation.task();
  await stage.put(
    `update node_tasks set state = 'dispatched', dispatched_at = now(), version = version + 1 where id = $1`,
    [task_id],
  );
  return { allocation, round };
}
async function releasing(stage: Stage) {
  const allocation = await stage.bench.allocation({ state: 'releasing' });
  const lease = { allocationId: allocation.id, generation: allocation.generation };
  const vacate = { ...lease, afterwards: 'available', forced: false } as const;
  return { allocation, round: await stage.waitIn(makeVacate(stage.parts), vacate) };
}
async function slotOf(stage: Stage, allocationId: string): Promise<string> {
  const { rows } = await stage.yard.root.query('select id from slots where allocation_id = $1 limit 1', [allocationId]);
  return rows[0].id;
}
const invoicingOf = (stage: Stage) =>
  makeInvoicing({
    ...{ db: stage.yard.port.database, ids: systemIds, clock: stage.clock, log: silentLog },
    ...{ begin: actsOf('billing-worker', systemIds), metrics: makeMetrics('test', '0.0.0') },
    policies: stage.policies,
  });
async function task(stage: Stage): Promise<string> {
  const { id: nodeId } = await stage.yard.addNode();
  const act = stage.yard.act('node.test');
  const { value } = (await stage.parts.db.write(act, async (tx) => {
    const id = await stage.parts.tasks.queueTask(tx, {
      ...{ nodeId, type: 'diag.health_probe', params: {}, generation: 1, correlationId: act.correlationId },
      ttlSeconds: stage.parts.taskSeconds('short'),
    });
    return tx.commit(id, { target: { type: 'node', id: nodeId }, events: 'none' });
  })) as { value: string };
  return value;
}
/** A terminal session of the requester of an active allocation. */
async function terminalSession(stage: Stage): Promise<Waiting> {
  const [id, person] = [systemIds.next(), systemIds.next()];
  const of = { organizationId: stage.yard.organizationId, projectId: stage.yard.projectId };
  const allocation = await putAllocation(stage.yard.root, of, 'active');
  await stage.put(`insert into users (id, oidc_issuer, oidc_subject) values ($1, 'test', $2)`, [person, person]);
  await stage.put(`insert into tenant_memberships (user_id, organization_id, role) values ($1, $2, 'member')`, [
    ...[person, of.organizationId],
  ]);
  await stage.put('update allocations set requested_by = $2, version = version + 1 where id = $1', [
    allocation,
    person,
  ]);
  await stage.put(
    `insert into terminal_sessions (id, organization_id, project_id, allocation_id, node_id, user_id, name, recording, columns,
       rows, simulated, open_by, expires_at)
     select $1, $2, $3, a.id, a.node_id, $5, 'shell 1', 'off', 80, 24, true, $6, $7 from allocations a where a.id = $4`,
    [
      ...[id, of.organizationId, of.projectId, allocation, person],
      later(stage, stage.policies.number('terminal.opening_seconds') * secondMs),
      later(stage, stage.policies.number('terminal.session_max_ttl_seconds') * secondMs),
    ],
  );
  // A node without a living certificate ends its sessions.
  await stage.put(
    `insert into node_certificates (serial, node_id, not_before, not_after)
     select $1, a.node_id, now() - interval '1 day', now() + interval '10 years' from allocations a where a.id = $2`,
    [systemIds.next().replaceAll('-', ''), allocation],
  );
  const guard = makeTerminalGuard({
    ...{ db: stage.parts.db, ids: systemIds, clock: stage.clock, log: silentLog },
    ...{ begin: actsOf('terminal-guard', systemIds), metrics: makeMetrics('test', '0.0.0') },
  });
  return { id, round: () => stage.run(guard) };
}
async function staged(stage: Stage): Promise<string> {
  const id = systemIds.next();
  const effectiveAt = later(stage, stage.policies.number('node.signer_overlap_seconds') * secondMs);
  await stage.put(
    `insert into task_signers (id, public_key, sealed_private_key, effective_at)
     values ($1, substr(encode(sha256($1::uuid::text::bytea), 'hex'), 1, 43), 'sealed', $2)`,
    [id, effectiveAt],
  );
  return id;
}

export const endings: Readonly<Record<TimedState, Ending>> = {
  'allocation.requested': {
    by: [makeQueue],
    table: 'allocations',
    async put(stage) {
      const id = systemIds.next();
      const deadline = later(stage, stage.policies.number('allocation.queue_max_wait_seconds') * secondMs);
      await stage.put(
        `insert into allocations (id, organization_id, project_id, name, requested_by, placement_status, sku,
           capacity_shape, gpu_count, region, unit_price_minor, currency, isolation_model, queue_deadline_at)
         values ($1, $2, $3, 'waits', 'tester', 'queued', $4, 'gpu_slice', 1, $5, 450, 'USD', 'user-revoke', $6)`,
        [id, stage.yard.organizationId, stage.yard.projectId, sliceSku, testRegion, deadline],
      );
      const queue = makeQueue({
        ...{ db: stage.parts.db, ids: systemIds, clock: stage.clock, log: silentLog },
        ...{ begin: actsOf('queue', systemIds), metrics: makeMetrics('test', '0.0.0') },
        ...{ policies: stage.policies, tasks: stage.parts.tasks },
      });
      return { id, round: () => stage.run(queue) };
    },
  },
  'allocation.provisioning': {
    by: [makeAnswers, makeProvision],
    table: 'allocations',
    async put(stage) {
      const { allocation, round } = await provisioning(stage);
      return { id: allocation.id, round };
    },
  },
  'allocation.releasing': {
    by: [makeAnswers, makeVacate],
    table: 'allocations',
    async put(stage) {
      const { allocation, round } = await releasing(stage);
      return { id: allocation.id, round };
    },
  },
  'invitation.pending': {
    by: [makeInvitationExpiry],
    table: 'invitations',
    async put(stage) {
      const [id, person] = [systemIds.next(), systemIds.next()];
      await stage.put(`insert into users (id, oidc_issuer, oidc_subject) values ($1, 'test', $2)`, [person, person]);
      await stage.put(
        `insert into invitations (id, organization_id, email, role, token_hash, invited_by, expires_at)
         values ($1, $2, 'guest@example.com', 'member', encode(sha256($1::uuid::text::bytea), 'hex'), $3, $4)`,
        [
          ...[id, stage.yard.organizationId, person],
          later(stage, stage.policies.number('tenancy.invitation_ttl_hours') * hourMs),
        ],
      );
      const expiry = makeInvitationExpiry({
        ...{ db: stage.parts.db, ids: systemIds, begin: actsOf('tenancy', systemIds) },
      });
      return { id, round: () => stage.run(expiry) };
    },
  },
  'invoice.draft': {
    by: [makeInvoicing],
    table: 'invoices',
    async put(stage) {
      const id = systemIds.next();
      const hours = stage.policies.number('billing.invoice_draft_hours');
      await stage.put(
        `insert into invoices (id, organization_id, currency, period_from, period_to, net_minor, tax_minor, finalise_at)
         values ($1, $2, 'USD', '2026-01-01', '2026-02-01', 1, 0, $3)`,
        [id, stage.yard.organizationId, later(stage, hours * hourMs)],
      );
      return { id, round: () => stage.run(invoicingOf(stage)) };
    },
  },
  'invoice.final': {
    by: [makeInvoicing],
    table: 'invoices',
    async put(stage) {
      const id = systemIds.next();
      await stage.put(
        `insert into invoices (id, organization_id, currency, period_from, period_to, net_minor, tax_minor, finalise_at)
         values ($1, $2, 'USD', '2026-01-01', '2026-02-01', 1, 0, $3)`,
        [id, stage.yard.organizationId, later(stage, 0)],
      );
      await stage.run(invoicingOf(stage));
      return { id, round: () => stage.run(invoicingOf(stage)) };
    },
  },
  'payment.open': {
    by: [makeChecks],
    table: 'payment_sessions',
    async put(stage) {
      const id = systemIds.next();
      const expiresAt = later(stage, stage.policies.number('payments.session_minutes') * minuteMs);
      await stage.put(
        `insert into payment_sessions (id, organization_id, currency, amount_minor, provider, checkout_id, url,
           requested_by, expires_at, check_at)
         values ($1, $2, 'USD', 2500, 'simulated', $1::uuid::text, 'http://127.0.0.1:1/', 'tester', $3, now())`,
        [id, stage.yard.organizationId, expiresAt],
      );
      const checks = makeChecks({
        ...{ db: stage.yard.port.database, ids: systemIds, clock: stage.clock, log: silentLog },
        ...{ begin: actsOf('billing-worker', systemIds), metrics: makeMetrics('test', '0.0.0') },
        payments: {
          ...makeDisabledPayments(),
          provider: 'simulated',
          findCheckout: async () => ({ status: stage.clock.now() < expiresAt ? 'open' : 'expired' }),
        },
      });
      return {
        id,
        // The database says what is due, and its clock stands still here.
        round: async () => {
          await stage.put('update payment_sessions set check_at = now(), version = version + 1 where id = $1', [id]);
          return stage.run(checks);
        },
      };
    },
  },
  'node.enrolling': {
    by: [makeAnswers, makeOnboard],
    table: 'nodes',
    async put(stage) {
      const { id } = await stage.yard.addNode({ state: 'enrolling' });
      const enrolledAt = stage.clock.now();
      await stage.put('update nodes set enrolled_at = $2, version = version + 1 where id = $1', [id, enrolledAt]);
      const tasks = makeTasks({ ids: systemIds, clock: stage.clock, signer: stage.bench.signers });
      const parts = { ...stage.parts, tasks, tenants: { notify: async () => 0 } };
      return {
        id,
        round: await stage.waitIn(makeOnboard(parts), { nodeId: id, enrolledAt: enrolledAt.toISOString() }),
      };
    },
  },
  'node_task.queued': {
    by: [makeAnswers],
    table: 'node_tasks',
    put: async (stage) => ({ id: await task(stage), round: stage.sweep }),
  },
  'node_task.dispatched': {
    by: [makeAnswers],
    table: 'node_tasks',
    async put(stage) {
      const id = await task(stage);
      await stage.put(
        `update node_tasks set state = 'dispatched', dispatched_at = now(), version = version + 1 where id = $1`,
        [id],
      );
      return { id, round: stage.sweep };
    },
  },
  'signer.staged': {
    by: [openTaskSigners],
    table: 'task_signers',
    put: async (stage) => ({ id: await staged(stage), round: () => stage.run(stage.bench.signers.ageing) }),
  },
  'signer.grace': {
    by: [openTaskSigners],
    table: 'task_signers',
    async put(stage) {
      const { rows } = await stage.yard.root.query(`select id from task_signers where state = 'active'`);
      await staged(stage);
      stage.pass(stage.policies.number('node.signer_overlap_seconds') * secondMs);
      await stage.run(stage.bench.signers.ageing);
      return { id: rows[0].id, round: () => stage.run(stage.bench.signers.ageing) };
    },
  },
  'slot.reserved': {
    by: [makeAnswers, makeProvision],
    table: 'slots',
    async put(stage) {
      const { allocation, round } = await provisioning(stage);
      return { id: await slotOf(stage, allocation.id), round };
    },
  },
  'slot.cleaning': {
    by: [makeAnswers, makeVacate],
    table: 'slots',
    async put(stage) {
      const { allocation, round } = await releasing(stage);
      return { id: await slotOf(stage, allocation.id), round };
    },
  },
  'app_instance.launching': {
    by: [makeAppGuard],
    table: 'app_instances',
    async put(stage) {
      const allocation = await stage.bench.allocation({ state: 'active' });
      await stage.put(`update allocations set capacity_shape = 'baremetal', version = version + 1 where id = $1`, [
        allocation.id,
      ]);
      const { rows } = await stage.yard.root.query(
        'select organization_id, project_id from allocations where id = $1',
        [allocation.id],
      );
      const tenant = { organizationId: rows[0].organization_id, projectId: rows[0].project_id };
      const { id } = await putInstance(stage.yard, tenant, { state: 'launching', allocationId: allocation.id });
      const guard = makeAppGuard({
        ...{ db: stage.yard.port.database, ids: systemIds, clock: stage.clock, policies: stage.policies },
        ...{ tasks: stage.parts.tasks, place: undefined, begin: actsOf('app-guard', systemIds), log: silentLog },
        metrics: makeMetrics('test', '0.0.0'),
      });
      return { id, round: () => stage.run(guard) };
    },
  },
  'terminal_session.opening': { by: [makeTerminalGuard], table: 'terminal_sessions', put: terminalSession },
  'terminal_session.open': {
    by: [makeTerminalGuard],
    table: 'terminal_sessions',
    async put(stage) {
      const waiting = await terminalSession(stage);
      await stage.put(
        `update terminal_sessions set state = 'open', opened_at = now(), version = version + 1 where id = $1`,
        [waiting.id],
      );
      return waiting;
    },
  },
};
