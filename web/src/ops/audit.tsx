import { useNavigate, useSearch } from '@tanstack/react-router';
import { api } from '../client/api.ts';
import { useAct, useList } from '../client/ask.ts';
import { Button } from '../parts/button.tsx';
import { StateChip } from '../parts/chip.tsx';
import { Copy } from '../parts/copy.tsx';
import { Page } from '../parts/page.tsx';
import { Rows } from '../parts/rows.tsx';
import { Empty, Problem } from '../parts/states.tsx';
import { Ago } from '../parts/time.tsx';
import { tellAction } from '../words/sentences.ts';
import { counted, plainWord, shortId } from '../words/sizes.ts';

/** Who did what anywhere. The rows are chained: a change to any of them shows. */
export function AuditPage() {
  const search = useSearch({ strict: false }) as { correlation?: string; result?: string };
  const navigate = useNavigate();
  const result = search.result === 'failure' || search.result === 'success' ? search.result : undefined;
  const list = useList(['audit', search.correlation, result], (from, options) =>
    api.adminAudit.list(
      { ...from, ...(search.correlation && { correlation_id: search.correlation }), ...(result && { result }) },
      options,
    ),
  );
  const verify = useAct('audit verify', (_: string, options) => api.adminAudit.verify({}, options));
  const go = (next: { correlation?: string; result?: string }) =>
    void navigate({
      to: '/ops/audit',
      replace: true,
      search: Object.fromEntries(Object.entries({ ...search, ...next }).filter(([, value]) => value)),
    });
  return (
    <Page
      title="Audit"
      lead="Who did what anywhere, newest first."
      actions={
        <Button icon="check" busy={verify.isPending} onClick={() => verify.mutate('platform')}>
          Verify the chain
        </Button>
      }
      shown={{
        operation: 'admin_audit_list',
        input: { correlation_id: search.correlation, result, limit: 50 },
      }}
    >
      {verify.error && <Problem error={verify.error} />}
      {verify.data && (
        <p
          role="status"
          className={`rounded-lg px-4 py-3 ${verify.data.intact ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad'}`}
        >
          {verify.data.intact
            ? `The chain of the platform holds: ${counted(verify.data.rows, 'row')} checked.`
            : `The chain breaks at row ${verify.data.broken?.sequence}: ${verify.data.broken?.why}.`}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <input
          type="search"
          aria-label="Correlation id"
          placeholder="Correlation id"
          className="field max-w-sm"
          value={search.correlation ?? ''}
          onChange={(event) => go({ correlation: event.target.value.trim() })}
        />
        <select
          aria-label="Result"
          className="field w-auto"
          value={result ?? ''}
          onChange={(event) => go({ result: event.target.value })}
        >
          <option value="">any result</option>
          <option value="success">success</option>
          <option value="failure">failure</option>
        </select>
      </div>
      <Rows
        label="Audit"
        list={list}
        keyOf={({ id }) => id}
        columns={[
          {
            head: 'What',
            cell: (entry) => (
              <span>
                <span className="font-medium">
                  {plainWord(entry.actor_role === 'none' ? entry.actor_kind : entry.actor_role)}
                </span>{' '}
                {tellAction(entry.action)}
                <span className="block font-mono text-xs text-dim">
                  {entry.actor_kind} {shortId(entry.actor_id)}
                </span>
              </span>
            ),
          },
          {
            head: 'On',
            cell: (entry) => (
              <span>
                {entry.target_type.replaceAll('_', ' ')}{' '}
                <span className="font-mono text-xs text-dim">{shortId(entry.target_id)}</span>
              </span>
            ),
          },
          { head: 'Result', cell: (entry) => <StateChip state={entry.result} /> },
          { head: 'When', cell: (entry) => <Ago at={entry.created_at} /> },
          {
            head: 'Correlation',
            cell: (entry) => (
              <span className="inline-block max-w-40">
                <Copy text={entry.correlation_id} label="the correlation id" />
              </span>
            ),
          },
        ]}
        empty={<Empty icon="book" title="Nothing was written that fits" />}
      />
    </Page>
  );
}
