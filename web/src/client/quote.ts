import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api } from './api.ts';
import { useSession } from './session.tsx';

export type QuoteWish = Parameters<typeof api.billing.quoteCreate>[0];

/** A quote that is about to end is replaced a little before, so that a launch never comes with one that has ended. */
const marginMs = 5_000;
const leastMs = 1_000;
const leftMs = (quote: { readonly expires_at: string }, now: number): number =>
  Math.max(leastMs, Date.parse(quote.expires_at) - now - marginMs);

/** The locked price of a launch, and what it does to the account. `wish` is JSON, so that equal wishes are one quote. */
export function useQuote(wish: string, enabled: boolean) {
  const project = useSession().project?.id;
  return useQuery({
    queryKey: ['quote', wish, project],
    queryFn: ({ signal }) =>
      api.billing.quoteCreate(JSON.parse(wish) as QuoteWish, { signal, ...(project && { project }) }),
    enabled: enabled && project !== undefined,
    placeholderData: keepPreviousData,
    staleTime: ({ state }) => (state.data ? leftMs(state.data, state.dataUpdatedAt) : 0),
    refetchInterval: ({ state }) => (state.data ? leftMs(state.data, Date.now()) : false),
    refetchIntervalInBackground: false,
    // Each try is counted by the server; a refusal names what is wrong.
    retry: false,
  });
}
