import type { NodeDetail, ResourceSlot } from '@gpuaas/sdk';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../client/api.ts';
import { useAct, useAsk, useList } from '../client/ask.ts';
import { Button, ButtonLink } from '../parts/button.tsx';
import { Chip, StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Copy } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { counted, spellMemory } from '../words/sizes.ts';
import { spellDuration } from '../words/time.ts';
import { Topology } from './topology.tsx';

type Verb = 'cordon' | 'uncordon' | 'drain' | 'resume' | 'quarantine' | 'readmit' | 'publish' | 'retire';
const verbs: Readonly<Record<Verb, { readonly label: string; readonly means: string; readonly danger?: true }>> = {
  cordon: { label: 'Cordon', means: 'Nothing new goes there. What runs keeps running.' },
  uncordon: { label: 'Uncordon', means: 'It takes new work again.' },
  drain: {
    label: 'Drain',
    means: 'Tenants are told, and what is left at the end of the notice is released.',
    danger: true,
  },
  resume: { label: 'Resume', means: 'The drain ends, and it takes new work again.' },
  quarantine: { label: 'Quarantine', means: 'It is not trusted until somebody readmits it.', danger: true },
  readmit: { label: 'Readmit', means: 'It is trusted again.' },
  publish: { label: 'Publish', means: 'Its slots are offered to tenants.' },
  retire: { label: 'Retire', means: 'It leaves the fleet once its last slot is free.', danger: true },
};
const verbsOf = (node: NodeDetail): readonly Verb[] => {
  switch (node.state) {
    case 'active':
      return [node.cordon_reason === null ? 'cordon' : 'uncordon', 'drain', 'quarantine', 'retire'];
    case 'draining':
      return ['resume', 'retire'];
    case 'quarantined':
      return ['readmit', 'retire'];
    case 'enrolling':
      return ['publish', 'quarantine'];
    case 'offline':
      return ['quarantine', 'retire'];
    default:
      return [];
  }
};

export function NodePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const node = useAsk(['nodes', id, 'one'], (options) => api.adminNodes.get({ node_id: id }, options), {
    everyMs: 5_000,
  });
  if (node.error && !node.data) {
    return (
      <Page title="Node">
        {isAbsent(node.error) ? (
          <Empty icon="server" title="There is no such node">
            <ButtonLink to="/ops/nodes">All nodes</ButtonLink>
          </Empty>
        ) : (
          <Problem error={node.error} again={() => void node.refetch()} />
        )}
      </Page>
    );
  }
  if (!node.data) return <Loading rows={8} label="Loading the node" />;
  return <Detail node={node.data} />;
}

function Detail({ node }: { node: NodeDetail }) {
  const [verb, setVerb] = useState<Verb>();
  const [slot, setSlot] = useState<ResourceSlot>();
  const act = useAct(
    'node act',
    ({ verb: name, reason }: { verb: Verb; reason: string; version: number }, options) =>
      api.adminNodes[name]({ node_id: node.id, reason }, options),
    { stale: ['nodes', 'fleet'], done: () => setVerb(undefined) },
  );
  const probe = useAct(
    'node probe',
    (_: string, options) => api.adminNodes.healthProbe({ node_id: node.id }, options),
    { stale: ['nodes'] },
  );
  const tasks = useList(
    ['nodes', node.id, 'tasks'],
    (from, options) => api.adminNodes.taskList({ node_id: node.id, ...from }, options),
    { everyMs: 5_000, limit: 20 },
  );
  const { topology } = node;
  return (
    <Page
      title={node.name}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StateChip state={node.state} />
          {node.cordon_reason && <Chip tone="warn">cordoned: {node.cordon_reason}</Chip>}
          <span>
            {node.sku} in {node.region}
          </span>
        </span>
      }
      actions={
        <>
          {verbsOf(node).map((name) => (
            <Button key={name} look={verbs[name].danger ? 'danger' : 'plain'} onClick={() => setVerb(name)}>
              {verbs[name].label}
            </Button>
          ))}
          <Button busy={probe.isPending} onClick={() => probe.mutate(node.id)}>
            Probe
          </Button>
        </>
      }
      shown={{ operation: 'node_get', input: { node_id: node.id } }}
    >
      {probe.error && <Problem error={probe.error} />}
      {node.state_reason && <p className="rounded-lg bg-warn-soft px-4 py-3 text-warn">{node.state_reason}</p>}
      <Panel title="Topology" aside={<span className="text-sm text-dim">{counted(node.gpus_total, 'GPU')}</span>}>
        {node.resource_slots.length === 0 && !topology ? (
          <p className="text-dim">It has not said yet how it is built.</p>
        ) : (
          <Topology topology={topology} slots={node.resource_slots} onChoose={setSlot} />
        )}
        {topology && topology.blockers.length > 0 && (
          <ul className="mt-3 list-disc ps-5 text-bad">
            {topology.blockers.map((blocker) => (
              <li key={blocker}>{blocker}</li>
            ))}
          </ul>
        )}
      </Panel>
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <Panel title="Health">
          {node.conditions.length === 0 ? (
            <p className="text-dim">It has reported nothing yet.</p>
          ) : (
            <ul className="grid gap-2">
              {node.conditions.map((condition) => (
                <li key={condition.type} className="flex items-start justify-between gap-3">
                  <span>
                    <span className="font-medium">{condition.type}</span>
                    <span className="block text-sm text-dim">{condition.message}</span>
                  </span>
                  <Chip tone={condition.status === 'True' ? 'ok' : condition.status === 'False' ? 'bad' : 'warn'}>
                    {condition.status}
                  </Chip>
                </li>
              ))}
            </ul>
          )}
        </Panel>
        <Panel title="Identity">
          <Facts
            rows={[
              ['Id', <Copy key="id" text={node.id} label="the id" />],
              ['Address', node.address ?? 'none'],
              ['Agent', node.agent_version ?? 'not heard yet'],
              ['Heard', <Ago key="heard" at={node.last_report_at} />],
              [
                'Certificate',
                node.certificate ? (
                  <span key="certificate">
                    ends <Ago at={node.certificate.not_after} />
                  </span>
                ) : (
                  'none'
                ),
              ],
              ['Host', topology ? `${topology.hostname}, ${topology.kernel}` : 'unknown'],
              ['Memory', topology ? spellMemory(topology.memory_mib) : 'unknown'],
              ['Driver', topology?.driver_version ?? 'unknown'],
              ['Clock', node.report ? `${node.report.clock_skew_ms} ms off` : 'unknown'],
            ]}
          />
        </Panel>
      </div>
      <section className="grid gap-3" aria-label="Tasks">
        <h2 className="text-lg font-semibold">Tasks</h2>
        <Rows
          label="Tasks"
          list={tasks}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Task', cell: (task) => <code className="font-mono text-[13px]">{task.task_type}</code> },
            { head: 'State', cell: (task) => <StateChip state={task.state} /> },
            {
              head: 'For',
              cell: (task) =>
                task.allocation_id ? (
                  <Link
                    to="/ops/allocations"
                    search={{ node: node.id }}
                    className="text-accent underline underline-offset-2"
                  >
                    an allocation
                  </Link>
                ) : (
                  'the host'
                ),
            },
            {
              head: 'Took',
              end: true,
              cell: (task) =>
                task.finished_at ? spellDuration(Date.parse(task.finished_at) - Date.parse(task.issued_at)) : '—',
            },
            { head: 'Given', end: true, cell: (task) => <Ago at={task.issued_at} /> },
          ]}
          empty={<Empty icon="clock" title="It was given no tasks yet" />}
        />
      </section>
      {verb && (
        <Confirm
          open
          onClose={() => setVerb(undefined)}
          title={`${verbs[verb].label} ${node.name}?`}
          verb={verbs[verb].label}
          danger={verbs[verb].danger ?? false}
          reason
          busy={act.isPending}
          error={act.error}
          onConfirm={(reason) => act.mutate({ verb, reason, version: node.version })}
        >
          <p>{verbs[verb].means}</p>
        </Confirm>
      )}
      {slot && <SlotDialog nodeId={node.id} slot={slot} onClose={() => setSlot(undefined)} />}
    </Page>
  );
}

function SlotDialog({ nodeId, slot, onClose }: { nodeId: string; slot: ResourceSlot; onClose(): void }) {
  const act = useAct(
    'slot act',
    ({ verb }: { verb: 'slotEnable' | 'slotDisable' | 'slotQuarantine' | 'slotClear'; version: number }, options) =>
      api.adminNodes[verb]({ node_id: nodeId, slot_id: slot.id, reason: 'Asked for in the console' }, options),
    { stale: ['nodes', 'fleet', 'catalog'], done: onClose },
  );
  const offers =
    slot.state === 'disabled'
      ? ([['slotEnable', 'Enable']] as const)
      : slot.state === 'available'
        ? ([
            ['slotDisable', 'Disable'],
            ['slotQuarantine', 'Quarantine'],
          ] as const)
        : slot.state === 'quarantined' || slot.state === 'cleanup_blocked'
          ? ([['slotClear', 'Clear']] as const)
          : [];
  return (
    <Dialog open onClose={onClose} title={`GPU ${slot.slot_index}`}>
      <Facts
        rows={[
          ['State', <StateChip key="state" state={slot.state} />],
          ['Health', slot.health_detail ?? slot.health_state],
          ['Model', `${slot.gpu_model}, ${spellMemory(slot.gpu_memory_mib)}`],
          ['UUID', <Copy key="uuid" text={slot.gpu_uuid} label="the UUID" />],
          ['PCI', <code key="pci">{slot.pci_address}</code>],
          ['Disk', slot.nvme_device ?? 'none'],
          ...(slot.state_reason ? ([['Why', slot.state_reason]] as const) : []),
        ]}
      />
      {act.error && <Problem error={act.error} />}
      <div className="mt-4 flex justify-end gap-2">
        {offers.map(([verb, label]) => (
          <Button key={verb} busy={act.isPending} onClick={() => act.mutate({ verb, version: slot.version })}>
            {label}
          </Button>
        ))}
      </div>
    </Dialog>
  );
}
