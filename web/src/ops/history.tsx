import type { ArchiveVerdict, HistoryTable } from '@gpuaas/sdk';
import { api } from '../client/api.ts';
import { useAct, useAsk, useList } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { Chip } from '../parts/chip.tsx';
import { Page, Panel } from '../parts/page.tsx';
import { Rows, wholeList } from '../parts/rows.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { counted, plainWord, spellBytes } from '../words/sizes.ts';

const leaving: Readonly<Record<HistoryTable['kept_by'], string>> = {
  months: 'whole months',
  batches: 'batches',
  sweeps: 'swept, no archive',
  ever: 'for ever',
};

/** How large the tables are that grow with history, how long their rows are kept, and what was archived. */
export function HistoryPage() {
  const tables = useAsk(['history'], (options) => api.adminOps.historyGet(options), { everyMs: 60_000 });
  const archives = useList(
    ['history-archives'],
    (from, options) => api.adminOps.historyArchiveList({ ...from }, options),
    { everyMs: 60_000 },
  );
  const verify = useAct('archive verify', (archive_id: string, options) =>
    api.adminOps.historyArchiveVerify({ archive_id }, options),
  );
  const largest = Math.max(1, ...(tables.data?.data ?? []).map(({ bytes }) => bytes));
  return (
    <Page
      title="History"
      lead="Tables that grow with history, how long their rows are kept, and what was archived."
      shown={{ operation: 'history_get', input: {} }}
    >
      <Rows
        label="Tables"
        list={wholeList(tables)}
        keyOf={({ table }) => table}
        columns={[
          { head: 'Table', cell: ({ table }) => <span className="font-mono text-xs break-all">{table}</span> },
          { head: 'Size', cell: ({ bytes }) => <Size bytes={bytes} largest={largest} /> },
          {
            head: 'Rows',
            cell: ({ rows_estimate }) => <span className="tabular">about {rows_estimate.toLocaleString('en')}</span>,
          },
          { head: 'Kept', cell: Kept },
          {
            head: 'Months',
            cell: ({ parts, unplaced_rows }) => (
              <span className="tabular">
                {parts > 0 ? parts : '–'}
                {unplaced_rows > 0 && <Chip tone="warn">{counted(unplaced_rows, 'row')} without a month</Chip>}
              </span>
            ),
          },
        ]}
        empty={<Empty icon="book" title="There is no history" />}
      />
      <Panel title="Archives">
        {verify.error && <Problem error={verify.error} />}
        {verify.data && <Verdict {...verify.data} />}
        <Rows
          label="Archives"
          list={archives}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Subject', cell: ({ subject }) => plainWord(subject) },
            { head: 'Until', cell: ({ to_at }) => <span className="tabular">{to_at.slice(0, 10)}</span> },
            { head: 'Rows', cell: ({ rows }) => <span className="tabular">{rows?.toLocaleString('en') ?? '–'}</span> },
            { head: 'Size', cell: ({ bytes }) => (bytes === null ? '–' : spellBytes(bytes)) },
            {
              head: 'State',
              cell: ({ archived_at, removed_at }) =>
                removed_at ? (
                  <span>
                    <Chip tone="ok">archived</Chip> <Ago at={removed_at} />
                  </span>
                ) : (
                  <Chip tone="warn">{archived_at ? 'removing rows' : 'being written'}</Chip>
                ),
            },
            {
              head: '',
              cell: ({ id, archived_at }) =>
                archived_at && (
                  <Button
                    icon="check"
                    busy={verify.isPending && verify.variables === id}
                    onClick={() => verify.mutate(id)}
                  >
                    Verify
                  </Button>
                ),
            },
          ]}
          empty={
            <Empty icon="book" title="Nothing was archived yet">
              Rows that are older than their retention are archived to the object store, then removed.
            </Empty>
          }
        />
      </Panel>
    </Page>
  );
}

function Kept({ retention_days, kept_by }: HistoryTable) {
  return (
    <span>
      {retention_days === null ? 'for ever' : counted(retention_days, 'day')}
      {retention_days !== null && <span className="block text-xs text-dim">{leaving[kept_by]}</span>}
    </span>
  );
}

function Size({ bytes, largest }: { bytes: number; largest: number }) {
  return (
    <span className="block min-w-28">
      <span className="tabular">{spellBytes(bytes)}</span>
      <span className="mt-1 block h-1 rounded bg-sunk" aria-hidden="true">
        <span className="block h-1 rounded bg-accent" style={{ width: `${(bytes / largest) * 100}%` }} />
      </span>
    </span>
  );
}

function Verdict({ intact, rows, chains, broken }: ArchiveVerdict) {
  return (
    <p className="mb-3 text-sm" role="status">
      <Chip tone={intact ? 'ok' : 'bad'}>{intact ? 'intact' : 'broken'}</Chip>{' '}
      {broken ?? `${counted(rows, 'row')} read${chains > 0 ? `, ${counted(chains, 'audit chain')} recomputed` : ''}.`}
    </p>
  );
}
