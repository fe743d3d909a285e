import type { AdminAllocation, NodeDetail, ResourceSlot } from '@gpuaas/sdk';
import { Link } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { Chip, StateChip } from '../../parts/chip.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Facts, Panel } from '../../parts/page.tsx';
import { Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { counted, spellCondition, spellMemory } from '../../words/sizes.ts';
import { spellMoments } from '../../words/time.ts';
import { Abilities } from './abilities.tsx';
import { Topology } from './topology.tsx';

/** The GPUs of a node as its host reported them, and the slots that they were made into. */
export function NodeShape({ node, onChoose }: { node: NodeDetail; onChoose(slot: ResourceSlot): void }) {
  const may = useMay();
  const { topology } = node;
  const approve = useAct(
    'slots approve',
    (_: number, options) => api.adminNodes.slotsApprove({ node_id: node.id }, options),
    { stale: ['nodes', 'fleet', 'catalog'] },
  );
  const discover = useAct(
    'node discover',
    (_: number, options) => api.adminNodes.topologyDiscover({ node_id: node.id }, options),
    { stale: ['nodes'] },
  );
  const failure = approve.error ?? discover.error;
  return (
    <Panel
      title="Topology"
      aside={
        <span className="flex flex-wrap items-center gap-2 text-sm text-dim">
          {counted(node.gpus_total, 'GPU')}
          {may('node_topology_discover') && (
            <Button busy={discover.isPending} onClick={() => discover.mutate(node.version)}>
              Refresh
            </Button>
          )}
          {may('slots_approve') && topology && topology.slots.length > node.resource_slots.length && (
            <Button look="primary" busy={approve.isPending} onClick={() => approve.mutate(node.version)}>
              Approve {counted(topology.slots.length - node.resource_slots.length, 'slot')}
            </Button>
          )}
        </span>
      }
    >
      {failure && <Problem error={failure} />}
      {node.resource_slots.length === 0 && !topology ? (
        <p className="text-dim">No topology reported yet.</p>
      ) : (
        <Topology topology={topology} slots={node.resource_slots} host={node} onChoose={onChoose} />
      )}
      {topology && topology.blockers.length > 0 && (
        <ul className="mt-3 list-disc ps-5 text-bad">
          {topology.blockers.map((blocker) => (
            <li key={blocker}>{blocker}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function NodeHealth({ conditions }: { conditions: NodeDetail['conditions'] }) {
  return (
    <Panel title="Health">
      {conditions.length === 0 ? (
        <p className="text-dim">No report yet.</p>
      ) : (
        <ul className="grid gap-2">
          {conditions.map((condition) => (
            <li key={condition.type} className="flex items-start justify-between gap-3">
              <span>
                <span className="font-medium">{spellCondition(condition.type)}</span>
                <span className="block text-sm text-dim">{spellMoments(condition.message)}</span>
              </span>
              <Chip tone={condition.status === 'True' ? 'ok' : condition.status === 'False' ? 'bad' : 'warn'}>
                {condition.status === 'True' ? 'yes' : condition.status === 'False' ? 'no' : 'unknown'}
              </Chip>
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function NodeIdentity({ node }: { node: NodeDetail }) {
  const { topology } = node;
  return (
    <Panel title="Identity">
      <Facts
        rows={[
          ['Id', <Copy key="id" text={node.id} label="the id" />],
          ['Address', node.address ?? 'none'],
          ['Agent', node.agent_version ?? 'no report yet'],
          ['Last report', <Ago key="heard" at={node.last_report_at} />],
          [
            'Certificate',
            node.certificate ? (
              <span key="certificate" className="grid grid-cols-[minmax(0,1fr)] gap-1">
                <span>
                  ends <Ago at={node.certificate.not_after} />
                  {node.certificate.revoked_at && <Chip tone="bad">revoked</Chip>}
                </span>
                <Copy text={node.certificate.serial} label="the serial number" />
              </span>
            ) : (
              'none'
            ),
          ],
          ['Host', topology ? `${topology.hostname}, ${topology.kernel}` : 'unknown'],
          ['Memory', topology ? spellMemory(topology.memory_mib) : 'unknown'],
          ['Driver', topology?.driver_version ?? 'unknown'],
          ['Can do', <Abilities key="abilities" of={topology} />],
          ['Clock', node.report ? `${Math.abs(node.report.clock_skew_ms)} ms off` : 'unknown'],
        ]}
      />
    </Panel>
  );
}

/** What runs on a node now; undefined while it is not known. */
export function NodeAllocations({
  nodeId,
  living,
  error,
}: {
  nodeId: string;
  living: readonly AdminAllocation[] | undefined;
  error: Error | null;
}) {
  return (
    <Panel
      title="Allocations"
      aside={
        <Link
          to="/ops/allocations"
          search={{ node: nodeId }}
          className="text-sm text-accent underline underline-offset-2"
        >
          Including ended
        </Link>
      }
    >
      {error ? (
        <Problem error={error} />
      ) : !living || living.length === 0 ? (
        <p className="text-dim">{living ? 'No running allocations.' : 'Loading…'}</p>
      ) : (
        <ul className="grid gap-2">
          {living.map((each) => (
            <li key={each.id} className="flex items-center justify-between gap-3">
              <span className="min-w-0 grow">
                <Link
                  to="/ops/allocations/$id"
                  params={{ id: each.id }}
                  className="line-clamp-1 font-medium text-accent underline-offset-2 hover:underline"
                >
                  <bdi>{each.name}</bdi>
                </Link>
                <span className="text-sm text-dim">{counted(each.gpu_count, 'GPU')}</span>
              </span>
              <StateChip state={each.state} />
            </li>
          ))}
        </ul>
      )}
    </Panel>
  );
}
