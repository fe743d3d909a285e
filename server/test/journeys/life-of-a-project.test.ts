import { events } from '@gpuaas/contract';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { brokenInvariants } from '../../../tools/chaos/invariants.ts';
import { eventually } from '../../src/domains/outbox/testing.ts';
import { startTracing } from '../../src/kernel/telemetry/trace.ts';
import { type Everything, openEverything, type Traveller } from './support/processes.ts';

/** One story through all processes, told over HTTP alone: founded, filled, shelved, brought back, removed. */
let everything: Everything;
let me: Traveller;
const exporter = new InMemorySpanExporter();
const tracing = startTracing({ processors: [new SimpleSpanProcessor(exporter)] });
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const correlationId = 'the-removal';
let organizationId: string;
let projectId: string;

beforeAll(async () => {
  everything = await openEverything();
  me = await everything.traveller('founder');
});
afterAll(async () => {
  await everything?.close();
  await tracing.close();
});

const spans = (named: (name: string) => boolean): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => named(span.name) && span.spanContext().traceId === traceId);
const state = async () => (await me('GET', `/api/v1/projects/${projectId}`)).body.state as string | undefined;

describe('the life of a project', () => {
  it('begins with an organization and ends as deleted, by way of outbox, relay, bus and saga', async () => {
    const organization = await me('POST', '/api/v1/organizations', { body: { name: 'Acme', slug: 'acme' } });
    expect(organization.status).toBe(201);
    organizationId = organization.body.id;
    const project = await me('POST', `/api/v1/organizations/${organizationId}/projects`, {
      body: { name: 'Training', slug: 'training' },
    });
    expect(project).toMatchObject({ status: 201, body: { state: 'active', version: 1 } });
    projectId = project.body.id;
    await me('POST', `/api/v1/organizations/${organizationId}/projects`, { body: { name: 'Other', slug: 'other' } });

    const path = `/api/v1/projects/${projectId}`;
    expect(await me('POST', `${path}/archive`, { body: {} })).toMatchObject({
      status: 200,
      body: { state: 'archived' },
    });
    expect(await me('POST', `${path}/restore`, { body: {} })).toMatchObject({ status: 200, body: { state: 'active' } });
    const removal = await me('DELETE', path, {
      headers: { 'x-request-id': correlationId, traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
    });
    expect(removal).toMatchObject({ status: 202, body: { state: 'removing' } });
    expect(removal.headers.get('x-request-id')).toBe(correlationId);

    await eventually(async () => {
      const { status, body } = await me('GET', `/api/v1/organizations/${organizationId}/projects?state=deleted`);
      return status === 200 && body.data.some((each: { id: string }) => each.id === projectId);
    });
    const list = await me('GET', `/api/v1/organizations/${organizationId}/projects?state=active`);
    expect(list.body.data.map((each: { slug: string }) => each.slug)).toEqual(['other']);
    // Its slug is free again.
    const heir = { body: { name: 'Heir', slug: 'training' } };
    expect((await me('POST', `/api/v1/organizations/${organizationId}/projects`, heir)).status).toBe(201);
    expect(await state()).not.toBe('removing');
  });

  it('carries one correlation id through the audit rows of all processes', async () => {
    const { rows } = await everything.root.query<{ actor_id: string; action: string }>(
      `select actor_id, action from audit_logs where correlation_id = $1 and project_id = $2 order by transaction_id`,
      [correlationId, projectId],
    );
    expect(rows.map(({ action }) => action).sort()).toEqual(
      ['project.begin_removal', 'project.remove', 'saga.project.remove.delete'].sort(),
    );
    expect(rows.find(({ action }) => action === 'project.begin_removal')?.actor_id).toBe('provisioning-worker');
    expect(rows.find(({ action }) => action.startsWith('saga.'))?.actor_id).toBe('saga:project.remove');
  });

  it('carries one trace through HTTP, relay, bus and saga, with the attributes of messaging', async () => {
    await eventually(async () => spans((name) => name.startsWith('publish tenancy.project.removed')).length === 1);
    expect(spans((name) => name === 'DELETE /api/v1/projects/{project_id}')).toHaveLength(1);
    const [published] = spans((name) => name === 'publish tenancy.project.removal_requested');
    const [handled] = spans((name) => name === 'handle tenancy.project.removal_requested');
    expect(published?.attributes).toMatchObject({
      'messaging.system': 'postgres',
      'messaging.destination.name': 'tenancy.project.removal_requested',
      'event.type': 'tenancy.project.removal_requested',
      correlation_id: correlationId,
      'gpuaas.organization_id': organizationId,
      'gpuaas.project_id': projectId,
    });
    expect(published?.attributes['gpuaas.user_id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(handled?.attributes).toMatchObject({
      'messaging.consumer.group.name': 'provisioning-worker',
      correlation_id: correlationId,
    });
    const steps = spans((name) => name.startsWith('saga project.remove do '));
    expect(steps.map(({ name }) => name.split(' ').at(-1))).toEqual(['hold', 'wind-down', 'delete']);
  });

  it('is recorded too when the caller brings no trace', () => {
    const created = exporter.getFinishedSpans().filter(({ name }) => name === 'POST /api/v1/organizations');
    expect(created).toHaveLength(1);
    expect(created[0]?.parentSpanContext).toBeUndefined();
  });

  it('found a consumer for every event that names one, and a producer for every event of the story', async () => {
    const { rows: consumers } = await everything.root.query<{ name: string; subjects: string[] }>(
      'select name, subjects from bus.consumer',
    );
    for (const event of events) {
      for (const name of 'none' in event.consumers ? [] : event.consumers) {
        expect(consumers.find((each) => each.name === name)?.subjects, `${name} listens to ${event.type}`).toContain(
          event.type,
        );
      }
    }
    const { rows: spoken } = await everything.root.query<{ subject: string }>(
      'select distinct subject from outbox_events order by subject',
    );
    const declared = events.map(({ type }) => type as string);
    expect(declared).toEqual(expect.arrayContaining(spoken.map(({ subject }) => subject)));
    // Of all that can happen to a project, only what a failed removal leaves is not part of this story.
    const ofProjects = declared.filter((type) => type.startsWith('tenancy.project.'));
    expect(ofProjects.filter((type) => !spoken.some(({ subject }) => subject === type))).toEqual([
      'tenancy.project.removal_failed',
    ]);
  });

  it('leaves every invariant intact and every process ready', async () => {
    expect(await brokenInvariants(async (text) => (await everything.root.query(text)).rows)).toEqual([]);
    for (const { healthUrl } of everything.running) {
      const ready = await fetch(`${healthUrl}/readyz`);
      expect(await ready.json()).toMatchObject({ ready: true });
    }
  });
});
