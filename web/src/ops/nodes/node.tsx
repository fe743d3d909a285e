import type { AdminAllocation, NodeDetail, ResourceSlot } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../../client/api.ts';
import { useAct, useAsk } from '../../client/ask.ts';
import { useMay } from '../../client/session.tsx';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Chip, SimulatedChip, StateChip } from '../../parts/chip.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Field } from '../../parts/field.tsx';
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
import { SlotDialog } from './slot-dialog.tsx';

type Verb = Exclude<NodeDetail['actions'][number]['action'], 'probe' | 'reimage' | 'remove'>;
const verbs: Readonly<Record<Verb, { readonly label: string; readonly means: string; readonly danger?: true }>> = {
  cordon: { label: 'Cordon', means: 'Stops new work. Running allocations continue.' },
  uncordon: { label: 'Uncordon', means: 'Accepts new work again.' },
  drain: {
    label: 'Drain',
    means:
      'Stops new work and notifies tenants. Allocations that remain at the end of the notice are released. When it is empty the node is retired; readmit it after a probe.',
    danger: true,
  },
  resume: { label: 'Resume', means: 'Ends the drain and accepts new work again.' },
  quarantine: {
    label: 'Quarantine',
    means: 'Stops new work until an operator clears it. Running allocations continue.',
    danger: true,
  },
  clear: { label: 'Clear', means: 'Ends the quarantine.' },
  readmit: { label: 'Readmit', means: 'Returns the node to service, cordoned.' },
  publish: { label: 'Publish', means: 'Offers its GPUs to tenants.' },
  retire: { label: 'Retire', means: 'Removes the node from service once its last GPU is free.', danger: true },
};
/** The actions that the server allows now. The state machine is the server's; a copy here would drift. */
const verbsOf = (node: NodeDetail): readonly Verb[] =>
  node.actions.flatMap(({ action, allowed }) => (allowed && action in verbs ? [action as Verb] : []));
/** Blocked actions that would help, with what they need first; and how a retired node returns. */
const waysBack: Readonly<Record<string, readonly [Verb, string]>> = {
  quarantined: ['clear', 'To clear it'],
  retired: ['readmit', 'To return it to service'],
};
function hintsOf(node: NodeDetail): readonly string[] {
  const [verb, lead] = waysBack[node.state] ?? [];
  const action = node.actions.find((each) => each.action === verb);
  if (!action) return [];
  if (!action.allowed) return action.why_not ? [`${lead}: ${action.why_not}`] : [];
  return node.state === 'retired' ? [`${lead}: probe it, then readmit it.`] : [];
}

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

function Detail({ node }: { node: NodeDetail }) {
  const may = useMay();
  const [verb, setVerb] = useState<Verb>();
  const [slot, setSlot] = useState<ResourceSlot>();
  const [notice, setNotice] = useState('');
  const act = useAct(
    'node act',
    (
      { verb: name, reason, notice: minutes }: { verb: Verb; reason: string; notice: string; version: number },
      options,
    ) =>
      name === 'drain'
        ? api.adminNodes.drain(
            { node_id: node.id, reason, ...(minutes !== '' && { notice_minutes: Number(minutes) }) },
            options,
          )
        : api.adminNodes[name]({ node_id: node.id, reason }, options),
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
  return (
    <Page
      title={node.name}
      lead={<Lead node={node} />}
      actions={
        <>
          {verbsOf(node)
            .filter((name) => may(`node_${name}`))
            .map((name) => (
              <Button key={name} look={verbs[name].danger ? 'danger' : 'plain'} onClick={() => setVerb(name)}>
                {verbs[name].label}
              </Button>
            ))}
          {may('node_health_probe') && (
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
          onConfirm={(reason) => act.mutate({ verb, reason, notice, version: node.version })}
        >
          <VerbMeans verb={verb} living={living} notice={notice} onNotice={setNotice} />
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

/** What an action does, whom it concerns, and for a drain how long its notice is. */
function VerbMeans({
  verb,
  living,
  notice,
  onNotice,
}: {
  verb: Verb;
  /** Undefined until the server has answered. */
  living: readonly AdminAllocation[] | undefined;
  notice: string;
  onNotice(minutes: string): void;
}) {
  return (
    <>
      <p>{verbs[verb].means}</p>
      {(verb === 'drain' || verb === 'retire' || verb === 'quarantine') && (
        <p className="font-medium text-ink">{sayRunning(verb, living)}</p>
      )}
      {verb === 'drain' && (
        <Field label="Notice in minutes" hint="Empty: the time set by policy. 0: release immediately.">
          {(id) => (
            <input
              id={id}
              type="number"
              min={0}
              max={43_200}
              className="field"
              value={notice}
              onChange={(event) => onNotice(event.target.value)}
            />
          )}
        </Field>
      )}
    </>
  );
}

function sayRunning(verb: Verb, living: readonly AdminAllocation[] | undefined): string {
  if (!living) return 'Running allocations are not known yet.';
  if (living.length > 0) {
    const tenants = new Set(living.map((each) => each.organization_id)).size;
    return `Running on it: ${counted(living.length, 'allocation')} of ${counted(tenants, 'tenant')}.`;
  }
  return verb === 'drain' ? 'No running allocations: the node is retired at once.' : 'No running allocations.';
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
