import { Link, useParams } from '@tanstack/react-router';
import { api, isAbsent } from '../client/api.ts';
import { useAsk } from '../client/ask.ts';
import { useMay } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { Chip, SimulatedChip, StateChip } from '../parts/chip.tsx';
import { Copy } from '../parts/copy.tsx';
import { Facts, Page, Panel } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { type PlacementDocument, type PlacementVerdict, tellChange, tellVerdict } from '../words/ops/placement.ts';
import { counted } from '../words/sizes.ts';

/** Why an allocation is where it is, or why it waits: every considered host, and what it lacked. */
export function PlacementPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const decision = useAsk(
    ['allocations', id, 'placement'],
    (options) => api.adminAllocations.placement({ allocation_id: id }, options),
    { everyMs: 30_000 },
  );
  const document = decision.data?.document as PlacementDocument | undefined;
  return (
    <Page
      title="Placement"
      lead={<Copy text={id} label="the id of the allocation" />}
      actions={<ButtonLink to="/ops/queue">The queue</ButtonLink>}
      shown={{ operation: 'admin_allocation_placement', input: { allocation_id: id } }}
    >
      {decision.error && !decision.data ? (
        isAbsent(decision.error) ? (
          <div className="panel">
            <Empty icon="cpu" title="No such allocation">
              <ButtonLink to="/ops/allocations">All allocations</ButtonLink>
            </Empty>
          </div>
        ) : (
          <Problem error={decision.error} again={() => void decision.refetch()} />
        )
      ) : !decision.data || !document ? (
        <div className="panel">
          <Loading rows={6} label="Loading the decision" />
        </div>
      ) : (
        <>
          <Panel title="Decision" aside={<Outcome state={decision.data.outcome} nodeId={document.chosen?.node_id} />}>
            <Facts
              rows={[
                [
                  'Request',
                  document.request
                    ? `${counted(document.request.gpus, 'GPU')} of ${document.request.sku} in ${document.request.region}`
                    : 'unknown',
                ],
                ['Decided', <Ago key="at" at={decision.data.decided_at} />],
                ['Hosts', `${document.feasible ?? 0} of ${document.considered ?? 0} were suitable`],
                ...(document.chosen
                  ? ([
                      [
                        'Chosen host',
                        <span key="chosen">
                          <NodeLink id={document.chosen.node_id} name={document.chosen.node_name} />, GPU{' '}
                          {document.chosen.slot_indexes.join(', ')} on NUMA {document.chosen.numa_nodes.join(', ')}
                          {document.chosen.image_cached ? ', image cached' : ''}
                          {document.chosen.launch_failed_at
                            ? '; a launch failed on it recently, but no other host was suitable'
                            : ''}
                        </span>,
                      ],
                    ] as const)
                  : []),
                ...((document.would_fit ?? []).length > 0
                  ? ([['Instead', (document.would_fit ?? []).map(tellChange).join('; ')]] as const)
                  : []),
              ]}
            />
          </Panel>
          <section className="grid gap-3" aria-label="Hosts considered">
            <h2 className="text-lg font-semibold">Hosts considered</h2>
            <Rows
              label="Hosts considered"
              list={wholeList<PlacementVerdict>({
                ...decision,
                data: { data: document.candidates ?? [] },
              })}
              keyOf={({ node_id }) => node_id}
              columns={[
                { head: 'Node', cell: (row) => <NodeLink id={row.node_id} name={row.node_name} /> },
                { head: 'Region', cell: (row) => row.region },
                {
                  head: 'Result',
                  cell: (row) =>
                    row.constraint === null && !row.launch_failed_at ? (
                      <Chip tone="ok">fits</Chip>
                    ) : (
                      <span className="text-dim">It {tellVerdict(row)}.</span>
                    ),
                },
              ]}
              empty={<Empty icon="server" title="No hosts were considered" />}
            />
            {(document.omitted ?? 0) > 0 && (
              <p className="text-sm text-dim">{counted(document.omitted ?? 0, 'host')} more were considered.</p>
            )}
          </section>
        </>
      )}
    </Page>
  );
}

const NodeLink = ({ id, name }: { id: string; name: string }) => (
  <Link to="/ops/nodes/$id" params={{ id }} className="font-medium text-accent underline-offset-2 hover:underline">
    {name}
  </Link>
);

/** What was decided, and whether the chosen host is simulated. */
function Outcome({ state, nodeId }: { state: string; nodeId: string | undefined }) {
  const node_id = nodeId ?? '';
  const host = useAsk(['nodes', node_id, 'one'], (options) => api.adminNodes.get({ node_id }, options), {
    enabled: useMay()('node_get') && nodeId !== undefined,
  });
  return (
    <span className="flex flex-wrap gap-1">
      <StateChip state={state} />
      <SimulatedChip of={host.data ?? null} />
    </span>
  );
}
