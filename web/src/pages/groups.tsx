import type { AllocationGroup } from '@gpuaas/sdk';
import { api } from '../client/api.ts';
import { useList } from '../client/ask.ts';
import { useSession } from '../client/session.tsx';
import { ButtonLink } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { NameCell } from '../parts/name-cell.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Empty, NoProject } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { plainWord } from '../words/sizes.ts';

/** `3 active, 1 failed`. */
export const tellMembers = (members: AllocationGroup['members']): string =>
  Object.entries(members)
    .map(([state, count]) => `${count} ${plainWord(state)}`)
    .join(', ');

const columns: readonly Column<AllocationGroup>[] = [
  {
    head: 'Name',
    cell: (row) => <NameCell to="/groups/$id" id={row.id} name={row.name} />,
  },
  { head: 'State', cell: (row) => <StateChip state={row.status} /> },
  { head: 'Machines', cell: (row) => tellMembers(row.members) },
  { head: 'Created', end: true, cell: (row) => <Ago at={row.created_at} /> },
];

/** Allocations that are created together and released together. */
export function GroupsPage() {
  const session = useSession();
  const list = useList(['groups'], (from, options) => api.allocationGroups.list(from, options), {
    enabled: session.project !== undefined,
  });
  const launch = (
    <ButtonLink look="primary" icon="launch" to="/launch" search={{ machines: '2' }}>
      Launch a group
    </ButtonLink>
  );
  if (!session.project) {
    return (
      <Page title="Groups">
        <NoProject />
      </Page>
    );
  }
  return (
    <Page
      title="Groups"
      lead="Machines that are launched together, all or none, and released together."
      actions={launch}
      shown={{ operation: 'allocation_group_list', input: { limit: 50 } }}
    >
      <Rows
        label="Groups"
        list={list}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty icon="stack" title="No groups yet">
            <p>Launch several machines at once: you get all of them or none.</p>
            {launch}
          </Empty>
        }
      />
    </Page>
  );
}
