import type { AuditEntry, AuditVerdict } from '@gpuaas/sdk';
import { choices } from '@gpuaas/sdk/choices';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { usePeople } from '../client/people.ts';
import { Button } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { CorrelationId } from '../parts/correlation.tsx';
import { Filter, WordFilter } from '../parts/filter.tsx';
import { Page } from '../parts/page.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { counted, plainWord, shortId } from '../words/sizes.ts';
import { nameActor, tellAct } from '../words/story.ts';

const results = choices.admin_audit_list.result;

type NameOf = ReturnType<typeof usePeople>;
/** People by name where this operator may see names, otherwise by their role; other actors by name. */
const actorOf = ({ actor_kind, actor_id, actor_role }: AuditEntry, nameOf: NameOf): string =>
  (actor_kind === 'user' ? nameOf(actor_id) : undefined) ??
  (actor_kind === 'user' && actor_role !== 'none' ? plainWord(actor_role) : nameActor(`${actor_kind} ${actor_id}`));

/** Ids are shortened; a route name is readable only as a whole. */
const targetOf = ({ target_type, target_id }: AuditEntry): string =>
  target_type === 'route' ? target_id : shortId(target_id);

/** The audit log of the platform. The rows form a hash chain: any change shows. */
export function AuditPage() {
  const search = useSearch({ strict: false }) as {
    correlation?: string;
    result?: string;
    organization?: string;
    action?: string;
    target?: string;
    actors?: string;
  };
  const navigate = useNavigate();
  const result = results.find((each) => each === search.result);
  const filters = {
    ...(search.correlation && { correlation_id: search.correlation }),
    ...(search.organization && { organization_id: search.organization }),
    ...(search.action && { action: search.action }),
    ...(search.target && { target_id: search.target }),
    ...(result && { result }),
    // One request is shown whole; a list of days is about people, unless everything is wanted.
    ...(search.actors !== 'all' && !search.correlation && { actors: 'people' as const }),
  };
  const list = useList(['audit', filters], (from, options) => api.adminAudit.list({ ...from, ...filters }, options), {
    everyMs: 60_000,
  });
  const nameOf = usePeople(
    list.rows?.flatMap((row) => [
      ...(row.actor_kind === 'user' ? [row.actor_id] : []),
      ...(row.target_type === 'user' ? [row.target_id] : []),
    ]) ?? [],
  );
  const verify = useAct('audit verify', (chain: string, options) =>
    api.adminAudit.verify(chain === 'platform' ? {} : { organization_id: chain }, options),
  );
  const go = (next: { readonly [K in keyof typeof search]?: string | undefined }) =>
    void navigate({
      to: '/ops/audit',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Audit"
      lead="Who did what on the platform, newest first."
      actions={
        <Button icon="check" busy={verify.isPending} onClick={() => verify.mutate(search.organization ?? 'platform')}>
          Verify the chain
        </Button>
      }
      shown={{
        operation: 'admin_audit_list',
        input: { ...filters, limit: 50 },
      }}
    >
      {verify.error && <Problem error={verify.error} />}
      {verify.data && <ChainVerdict of={verify.data} />}
      <div className="flex flex-wrap items-center gap-3">
        <WordFilter label="Correlation id" value={search.correlation} onChange={(correlation) => go({ correlation })} />
        <Filter
          label="Result"
          value={result}
          options={results.map((each) => [each, each])}
          onChoose={(next) => go({ result: next })}
        />
        <WordFilter
          label="Action"
          placeholder="Action, as node. or node.drain"
          value={search.action}
          onChange={(action) => go({ action })}
        />
        <WordFilter label="Id of the target" value={search.target} onChange={(target) => go({ target })} />
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            className="size-4"
            checked={search.actors === 'all' || Boolean(search.correlation)}
            disabled={Boolean(search.correlation)}
            onChange={(event) => go({ actors: event.target.checked ? 'all' : '' })}
          />
          Include the platform's own steps
        </label>
        {search.organization && <Button onClick={() => go({ organization: '' })}>Of one tenant: show all</Button>}
      </div>
      <Rows
        label="Audit"
        list={list}
        keyOf={({ id }) => id}
        columns={columnsOf(nameOf)}
        empty={<Empty icon="book" title="No entries match" />}
      />
    </Page>
  );
}

const columnsOf = (nameOf: NameOf): readonly Column<AuditEntry>[] => [
  {
    head: 'What',
    cell: (entry) => (
      <span>
        {tellAct(actorOf(entry, nameOf), entry.action, entry.result === 'failure')}
        <span className="block font-mono text-xs text-dim">
          {entry.actor_kind} {shortId(entry.actor_id)}
          {entry.actor_kind === 'user' && entry.actor_role !== 'none' && ` · ${plainWord(entry.actor_role)}`}
          {entry.committed_by && ` · committed by ${entry.committed_by.replace('gpuaas_', '')}`}
          {entry.is_erased && ' · particulars erased'}
        </span>
      </span>
    ),
  },
  {
    head: 'On',
    cell: (entry) => (
      <span>
        {entry.target_type.replaceAll('_', ' ')} {entry.target_type === 'user' && <bdi>{nameOf(entry.target_id)}</bdi>}{' '}
        <span className="font-mono text-xs text-dim">{targetOf(entry)}</span>
      </span>
    ),
  },
  { head: 'Result', cell: (entry) => <StateChip state={entry.result} /> },
  { head: 'When', cell: (entry) => <Ago at={entry.created_at} /> },
  {
    head: 'Correlation',
    cell: (entry) => <CorrelationId id={entry.correlation_id} />,
  },
];

function ChainVerdict({ of }: { of: AuditVerdict }) {
  return (
    <p role="status" className={`rounded-lg px-4 py-3 ${of.intact ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad'}`}>
      {of.intact
        ? `The chain of ${of.chain === 'platform' ? 'the platform' : 'this tenant'} holds: ${counted(of.rows, 'row')} checked, ${of.erased} of them with erased particulars.`
        : `The chain breaks at row ${of.broken?.sequence}: ${of.broken?.why}.`}
    </p>
  );
}
