import type { AllocationPlan } from '@gpuaas/sdk';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from '../../client/api.ts';
import { useAsk } from '../../client/ask.ts';
import { letGo } from '../../client/let-go.ts';
import { useQuote } from '../../client/quote.ts';
import { may, useSession } from '../../client/session.tsx';
import { useSettled } from '../../client/settled.ts';
import { Button } from '../../parts/button.tsx';
import { TextField } from '../../parts/field.tsx';
import { Problem } from '../../parts/states.tsx';
import { onKey } from '../../shell/keys.ts';
import { spellMoney, timesAmount } from '../../words/money.ts';
import { counted } from '../../words/sizes.ts';
import { hourly, inventName, priceSentence, stockOf } from '../../words/wish.ts';
import { useOrder } from './order.ts';
import { LaunchPlan } from './plan.tsx';
import { LaunchProblem, NotAffordable, QuoteNote } from './quote-note.tsx';
import type { Chosen, Wish } from './wish.ts';

/** Typing pauses this long before the server is asked. */
const stillMs = 350;

/** What is asked of the server about the choice: whether it fits, and what it costs. */
function useAnswers(chosen: Chosen) {
  const session = useSession();
  const mayLaunch = may(session, 'allocation_create');
  const isAsked = session.project !== undefined && mayLaunch && chosen.isCapRight;
  const asked = useSettled(JSON.stringify(chosen.wish ?? null), stillMs);
  const priced = useSettled(chosen.asksFor, stillMs);
  const stock = chosen.item ? stockOf(chosen.item, chosen.region, chosen.gpus) : 0;
  const plan = useAsk<AllocationPlan>(
    ['plan', asked, stock],
    (options) => api.allocations.plan(JSON.parse(asked) as Wish, options),
    { enabled: asked !== 'null' && isAsked, keep: true },
  );
  const quote = useQuote(priced, priced !== 'null' && isAsked && chosen.machines === 1 && may(session, 'quote_create'));
  // A kept answer is about the choice before: it is shown, and not launched with.
  const isSettled = priced === chosen.asksFor && !quote.isPlaceholderData;
  return { mayLaunch, asked, stock, plan, quote, isSettled };
}

/** The price in a sentence, whether there is capacity, and the button. */
export function LaunchSummary({ chosen }: { chosen: Chosen }) {
  const { item, machines, wish } = chosen;
  const { mayLaunch, asked, stock, plan, quote, isSettled } = useAnswers(chosen);
  const client = useQueryClient();
  const launch = useOrder();
  // A refusal belongs to one request; a changed request clears it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a changed request clears it
  useEffect(() => launch.reset(), [asked, machines]);
  // What refused the launch may have changed the account, and a quote is used once.
  useEffect(() => {
    if (launch.error) letGo(client.invalidateQueries({ queryKey: ['quote'] }));
  }, [launch.error, client]);

  const single = item && hourly(item, chosen.region, chosen.gpus);
  const quoted = machines === 1 ? quote.data : undefined;
  const perHour = isSettled && quoted ? quoted.price.per_hour : single && timesAmount(single, machines);
  const waits = plan.data?.feasible === false;
  const isShort = machines > 1 && machines > stock;
  const isPoor = isSettled && quoted?.affordable === false;
  const ready = wish && mayLaunch && perHour && chosen.isCapRight && !isPoor && !isShort && !(waits && machines > 1);
  const order = (): void => {
    if (!ready || launch.isPending) return;
    const name = chosen.name.trim() || inventName();
    launch.mutate({ name, wish, machines, queue: waits, quoteId: isSettled ? quoted?.id : undefined });
  };
  useEffect(() => onKey('Control Enter', order));

  return (
    <aside className="panel sticky top-20 grid gap-4 p-4" aria-label="Summary">
      <TextField label="Name" maxLength={100} value={chosen.name} onChange={chosen.setName} />
      {item && (
        <div className="grid gap-2">
          <p className="text-3xl font-semibold tracking-tight">
            {perHour ? spellMoney(perHour) : '—'}
            <span className="text-base font-normal text-dim"> per hour</span>
          </p>
          {quoted ? (
            <QuoteNote quote={quoted} isOld={!isSettled} />
          ) : (
            <p className="text-dim">{priceSentence(perHour, chosen.hour ? Number(chosen.hour) : undefined)}</p>
          )}
        </div>
      )}
      {quote.error && !launch.error && <Problem error={quote.error} again={() => void quote.refetch()} />}
      {!mayLaunch ? (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">You need the member role to launch.</p>
      ) : isShort ? (
        <p className="rounded-lg bg-warn-soft px-3 py-2 text-warn">
          {counted(machines, 'machine')} of this size are requested and {stock} are available. A group is reserved whole
          or not at all.
        </p>
      ) : (
        <LaunchPlan plan={plan.data} error={quote.error ? null : plan.error} onChange={chosen.choose} />
      )}
      {isPoor && quoted && !launch.error && <NotAffordable quote={quoted} />}
      {launch.error && <LaunchProblem error={launch.error} />}
      <Button
        look="primary"
        icon={waits ? 'clock' : 'launch'}
        disabled={!ready}
        busy={launch.isPending}
        title="Ctrl Enter"
        onClick={order}
      >
        {waits && machines === 1 ? 'Join queue' : `Launch${perHour ? ` – ${spellMoney(perHour)}/h` : ''}`}
      </Button>
    </aside>
  );
}
