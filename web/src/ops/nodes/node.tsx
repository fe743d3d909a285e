import type { NodeDetail, ResourceSlot } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Chip, SimulatedChip, StateChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { LogsPanel } from '../../parts/logs/logs-panel.tsx';
import { MetricsPanel } from '../../parts/metrics/metrics-panel.tsx';
import { Page, Panel } from '../../parts/page.tsx';
import { Empty, Loading, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { counted } from '../../words/sizes.ts';
import { spellMoments } from '../../words/time.ts';
import { Alerts } from '../alerts.tsx';
import { NodeImages } from './node-images.tsx';
import { NodeAllocations, NodeHealth, NodeIdentity, NodeShape } from './node-panels.tsx';
import { NodeTasks } from './node-tasks.tsx';
import { type Extra, hintsOf, sendVerb, type Verb, VerbMeans, verbs, verbsOf } from './node-verbs.tsx';
import { SlotDialog } from './slot-dialog.tsx';

export function NodePage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const node = useAsk(['nodes', id, 'one'], (options) => api.adminNodes.get({ node_id: id }, options), {
    everyMs: 15_000,
  });
  if (node.error && !node.data) {
    return (
      <Page title="Node">
        {isAbsent(node.error) ? (
          <Empty icon="server" title="No such node">
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

const nothingMore: Extra = { notice: '', image: '' };

function Detail({ node }: { node: NodeDetail }) {
  const may = useMay();
  const [verb, setVerb] = useState<Verb>();
  const [slot, setSlot] = useState<ResourceSlot>();
  const [extra, setExtra] = useState<Extra>(nothingMore);
  const choose = (wanted: Verb) => {
    setExtra(nothingMore);
    setVerb(wanted);
  };
  const act = useAct(
    'node act',
    (wanted: { verb: Verb; reason: string; extra: Extra; version: number }, options) =>
      sendVerb(node.id, wanted, options),
    { stale: ['nodes', 'fleet', 'allocations'], done: () => setVerb(undefined) },
  );
  const tenants = useAsk(
    ['allocations', 'on', node.id],
    (options) => api.adminAllocations.list({ node: node.id, ended: 'false', limit: 200 }, options),
    { everyMs: 30_000 },
  );
  const living = tenants.data?.data;
  const probe = useAct(
    'node probe',
    (_: string, options) => api.adminNodes.healthProbe({ node_id: node.id }, options),
    { stale: ['nodes'] },
  );
  const probing = node.actions.find(({ action }) => action === 'probe');
  return (
    <Page
      title={node.name}
      lead={<Lead node={node} />}
      actions={
        <>
          {verbsOf(node)
            .filter((name) => may(`node_${name}`))
            .map((name) => (
              <Button key={name} look={verbs[name].danger ? 'danger' : 'plain'} onClick={() => choose(name)}>
                {verbs[name].label}
              </Button>
            ))}
          {may('node_health_probe') && probing?.allowed && (
            <Button busy={probe.isPending} onClick={() => probe.mutate(node.id)}>
              Probe
            </Button>
          )}
        </>
      }
      shown={{ operation: 'node_get', input: { node_id: node.id } }}
    >
      {probe.error && <Problem error={probe.error} />}
      <Draining node={node} left={living?.length} />
      {node.state_reason && node.state !== 'active' && (
        <p className="rounded-lg bg-warn-soft px-4 py-3 text-warn">{node.state_reason}</p>
      )}
      {hintsOf(node).map((hint) => (
        <p key={hint} className="rounded-lg bg-sunk px-4 py-3">
          {spellMoments(hint)}
        </p>
      ))}
      <Alerts alerts={node.alerts} />
      <NodeShape node={node} onChoose={setSlot} />
      <MetricsPanel
        key={node.id}
        about={node.id}
        ask={(range, options) => api.adminMetrics.node({ node_id: node.id, ...range }, options)}
      />
      <NodeLogs nodeId={node.id} />
      <div className="grid items-start gap-6 lg:grid-cols-2">
        <NodeHealth conditions={node.conditions} />
        <NodeIdentity node={node} />
      </div>
      <Panel title="Images">
        <NodeImages node={node} />
      </Panel>
      <NodeAllocations nodeId={node.id} living={living} error={tenants.error} />
      <NodeTasks nodeId={node.id} />
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
          onConfirm={(reason) => act.mutate({ verb, reason, extra, version: node.version })}
        >
          <VerbMeans verb={verb} node={node} living={living} extra={extra} onExtra={setExtra} />
        </Confirm>
      )}
      {slot && <SlotDialog nodeId={node.id} slot={slot} onClose={() => setSlot(undefined)} />}
    </Page>
  );
}

const NodeLogs = ({ nodeId }: { nodeId: string }) => (
  <LogsPanel
    key={nodeId}
    about={nodeId}
    nothing="The node has pushed no lines. Its agent may be too old, or the node-log-gateway is not reached."
    ask={(wanted, options) => api.adminLogs.nodeList({ node_id: nodeId, ...wanted }, options)}
    follow={(wanted, options) => api.adminLogs.nodeStream({ node_id: nodeId, ...wanted }, options)}
  />
);

function Draining({ node, left }: { node: NodeDetail; left: number | undefined }) {
  if (node.state !== 'draining') return null;
  return (
    <p role="status" className="rounded-lg bg-warn-soft px-4 py-3 text-warn">
      {left === 0
        ? 'Draining: no allocations are left.'
        : `Draining: ${left === undefined ? 'allocations' : counted(left, 'allocation')} left.`}
      {left !== 0 && node.drain_deadline_at && (
        <>
          {' '}
          They are released <Ago at={node.drain_deadline_at} />.
        </>
      )}{' '}
      When it is empty the node is retired; readmit it after a probe.
    </p>
  );
}

function Lead({ node }: { node: NodeDetail }) {
  return (
    <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
      <StateChip state={node.state} />
      <SimulatedChip of={node} />
      {node.cordon_reason && <Chip tone="warn">cordoned: {node.cordon_reason}</Chip>}
      {node.state === 'active' && !node.schedulable && !node.cordon_reason && <Chip tone="calm">not published</Chip>}
      <span>
        {node.sku} in {node.region}
      </span>
    </span>
  );
}
