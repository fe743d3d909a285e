import type { AllocationGroupDetail } from '@gpuaas/sdk';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { api, isAbsent } from '../client/api.ts';
import { useAct, useAsk } from '../client/ask.ts';
import { useNames } from '../client/names.ts';
import { useMay } from '../client/session.tsx';
import { Button, ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Copy } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty, Loading, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { spellMoney } from '../words/money.ts';
import { counted, plainWord } from '../words/sizes.ts';
import { allocationColumns } from './allocation-rows.tsx';
import { tellMembers } from './groups.tsx';

const meanings: Readonly<Record<AllocationGroupDetail['status'], string>> = {
  requested: 'Capacity is reserved for every machine.',
  provisioning: 'The hosts are provisioning the machines.',
  active: 'Every machine is ready.',
  degraded: 'Some machines are ready, others are not. You can use the ready ones.',
  releasing: 'Releasing.',
  released: 'All machines were released.',
  release_failed: 'Some machines could not be released; operators have been notified.',
  failed: 'No machine could be launched.',
};

/** One group: its machines, and how to release all of them. */
export function GroupPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  const group = useAsk(['groups', id], (options) => api.allocationGroups.get({ allocation_group_id: id }, options), {
    everyMs: 30_000,
  });
  if (group.error && !group.data) {
    return (
      <Page title="Group">
        {isAbsent(group.error) ? (
          <Empty icon="search" title="No such group">
            <p>It may belong to another project or organization.</p>
            <ButtonLink to="/groups">All groups</ButtonLink>
          </Empty>
        ) : (
          <Problem error={group.error} again={() => void group.refetch()} />
        )}
      </Page>
    );
  }
  if (!group.data) return <Loading rows={8} label="Loading the group" />;
  return <Detail it={group.data} again={() => void group.refetch()} />;
}

function Detail({ it, again }: { it: AllocationGroupDetail; again(): void }) {
  const mayRelease = useMay()('allocation_group_release');
  const [asking, setAsking] = useState(false);
  const nameOf = useNames();
  const release = useAct(
    'group release',
    (allocation_group_id: string, options) => api.allocationGroups.release({ allocation_group_id }, options),
    { stale: ['groups', 'allocations', 'allocation', 'catalog'], done: () => setAsking(false) },
  );
  const held = it.allocations.filter(({ state }) => !['released', 'failed'].includes(state));
  return (
    <Page
      title={it.name}
      lead={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <StateChip state={it.status} />
          <span>
            {counted(it.allocations.length, 'machine')}: {tellMembers(it.members)}
          </span>
          {it.per_hour.length > 0 && (
            <span className="tabular">{it.per_hour.map(spellMoney).join(' + ')} per hour now</span>
          )}
        </span>
      }
      actions={
        mayRelease &&
        held.length > 0 && (
          <Button look="danger" onClick={() => setAsking(true)}>
            Release all
          </Button>
        )
      }
      shown={{ operation: 'allocation_group_get', input: { allocation_group_id: it.id } }}
    >
      <div className="flex flex-wrap items-center gap-x-6 gap-y-2 text-dim">
        <span>{meanings[it.status] ?? plainWord(it.status)}</span>
        <span>
          Created <Ago at={it.created_at} />
        </span>
        <Copy text={it.id} label="the id" />
      </div>
      <Rows
        label="Machines of the group"
        list={wholeList({ data: { data: it.allocations }, error: null, isLoading: false, refetch: again })}
        columns={allocationColumns(nameOf)}
        keyOf={({ id }) => id}
        empty={<Empty icon="cpu" title="No machines" />}
      />
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        title={`Release all of ${it.name}?`}
        verb={`Release ${counted(held.length, 'machine')}`}
        danger
        busy={release.isPending}
        error={release.error}
        onConfirm={() => release.mutate(it.id)}
      >
        <p>Everything on {counted(held.length, 'machine')} is lost: the disks are wiped.</p>
        <p>The price per hour stops counting immediately.</p>
      </Confirm>
    </Page>
  );
}
