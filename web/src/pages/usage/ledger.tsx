import type { LedgerCheck } from '@gpuaas/sdk';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import { useSession } from '../../client/session.tsx';
import { Button } from '../../parts/button.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Page } from '../../parts/page.tsx';
import { NoProject, Problem } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';
import { tellCheck } from '../../words/billing/usage.ts';
import { spellMoney } from '../../words/money.ts';
import { counted } from '../../words/sizes.ts';
import { LedgerTable } from '../billing/ledger-table.tsx';

/** Every change of the balance, and proof that they add up to it. */
export function LedgerPage() {
  const organization_id = useSession().project?.organization_id;
  if (!organization_id) {
    return (
      <Page title="Ledger">
        <NoProject />
      </Page>
    );
  }
  return (
    <Page
      title="Ledger"
      lead="One line for each allocation and day; a line opens into its windows. Nothing here is ever changed or removed."
      shown={{ operation: 'billing_ledger_list', input: { organization_id } }}
    >
      <ProofStrip organizationId={organization_id} />
      <LedgerTable organizationId={organization_id} />
      <HowItIsProven organizationId={organization_id} />
    </Page>
  );
}

/** Stays in sight: the sum of all entries, and whether it is the balance. */
function ProofStrip({ organizationId }: { organizationId: string }) {
  const verify = useAct('ledger verify', (organization_id: string, options) =>
    api.billing.ledgerVerify({ organization_id }, options),
  );
  const it = verify.data;
  const tone = !it ? 'bg-paper' : it.ok ? 'bg-ok-soft text-ok' : 'bg-bad-soft text-bad';
  return (
    <div className={`panel sticky top-0 z-10 flex flex-wrap items-center justify-between gap-3 px-4 py-3 ${tone}`}>
      <p role="status" className="tabular min-w-0">
        {it ? <Checked check={it} /> : 'The sum of all entries is the balance. Let the server recompute it:'}
      </p>
      <Button icon="check" busy={verify.isPending} onClick={() => verify.mutate(organizationId)}>
        {it ? 'Check again' : 'Check now'}
      </Button>
      {verify.error && <Problem error={verify.error} />}
    </div>
  );
}
const Checked = ({ check }: { check: LedgerCheck }) =>
  check.ok ? (
    <>
      {counted(check.entries, 'entry', 'entries')} · Σ = {spellMoney(check.sum)} = balance ✓ (checked{' '}
      <Ago at={check.checked_at} />)
    </>
  ) : (
    <span>{tellCheck(check)}</span>
  );

function HowItIsProven({ organizationId }: { organizationId: string }) {
  return (
    <details className="panel p-4">
      <summary className="cursor-pointer font-semibold">Prove it without trusting this page</summary>
      <div className="mt-3 grid gap-3">
        <p>
          <b>A line:</b> open it and copy its command. <code>prove</code> fetches the records that the host signed, the
          price and the links of the chain, and recomputes the amount on your machine, to the minor unit.
        </p>
        <p>
          <b>The whole ledger:</b> save it with its hash chain and verify the file. No server is asked; the first wrong
          row is named.
        </p>
        <CodeBlock
          text={`npx gpuaas billing export-ledger --organization ${organizationId} --out ledger.ndjson\nnpx gpuaas billing verify ledger.ndjson`}
          wrap
        />
        <a
          className="text-accent underline underline-offset-2"
          href={`/api/v1/organizations/${encodeURIComponent(organizationId)}/billing/ledger/export`}
          download="ledger.ndjson"
        >
          Download the ledger
        </a>
      </div>
    </details>
  );
}
