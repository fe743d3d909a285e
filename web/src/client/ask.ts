import type { CallOptions, Page } from '@gpuaas/sdk';
import { keepPreviousData, useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { makeKeyring } from './keyring.ts';
import { letGo } from './let-go.ts';
import { useSession } from './session.tsx';

const keyring = makeKeyring();

/** Queries, caches, and queries again when an event reports a change. */
export function useAsk<T>(
  key: readonly [string, ...unknown[]],
  ask: (options: CallOptions) => PromiseLike<T>,
  options: {
    readonly everyMs?: number;
    readonly enabled?: boolean;
    readonly keep?: boolean;
    /** For data that hardly ever changes. */
    readonly freshMs?: number;
  } = {},
) {
  const project = useSession().project?.id;
  return useQuery({
    queryKey: [...key, project],
    queryFn: async ({ signal }) => ask({ signal, ...(project && { project }) }),
    enabled: options.enabled ?? true,
    ...(options.everyMs !== undefined && { refetchInterval: options.everyMs }),
    ...(options.keep && { placeholderData: keepPreviousData }),
    ...(options.freshMs !== undefined && { staleTime: options.freshMs }),
  });
}

/** A list, page by page. */
export function useList<T>(
  key: readonly [string, ...unknown[]],
  ask: (from: { readonly cursor?: string; readonly limit: number }, options: CallOptions) => PromiseLike<Page<T>>,
  options: { readonly everyMs?: number; readonly limit?: number; readonly enabled?: boolean } = {},
) {
  const project = useSession().project?.id;
  const query = useInfiniteQuery({
    queryKey: [...key, 'pages', project],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ signal, pageParam }) =>
      ask(
        { limit: options.limit ?? 50, ...(pageParam !== undefined && { cursor: pageParam }) },
        { signal, ...(project && { project }) },
      ),
    getNextPageParam: (page) => (page.has_more ? (page.next_cursor ?? undefined) : undefined),
    placeholderData: keepPreviousData,
    enabled: options.enabled ?? true,
    ...(options.everyMs !== undefined && { refetchInterval: options.everyMs }),
  });
  return {
    rows: query.data?.pages.flatMap((page) => page.data),
    error: query.error,
    isLoading: query.isLoading,
    hasMore: query.hasNextPage,
    isFetchingMore: query.isFetchingNextPage,
    more: () => void query.fetchNextPage(),
    again: () => void query.refetch(),
  };
}
export type List<T> = Omit<ReturnType<typeof useList<T>>, 'rows'> & { readonly rows: readonly T[] | undefined };

/** Sends one request for any number of clicks while it runs, and then refetches what it changed. */
export function useAct<I, T>(
  name: string,
  act: (input: I, options: CallOptions) => PromiseLike<T>,
  after: { readonly stale?: readonly string[]; readonly done?: (result: T, input: I) => void } = {},
) {
  const project = useSession().project?.id;
  const client = useQueryClient();
  const mutation = useMutation({
    mutationFn: async (input: I) =>
      act(input, { idempotencyKey: keyring.keyFor(name, [project, input]), ...(project && { project }) }),
    onSuccess: (result, input) => {
      keyring.done(name, [project, input]);
      for (const word of after.stale ?? []) letGo(client.invalidateQueries({ queryKey: [word] }));
      after.done?.(result, input);
    },
    onSettled: (_result, _error, input) => keyring.end(name, [project, input]),
  });
  // Two clicks may come before the first has disabled the button.
  const mutate = (input: I): void => {
    if (keyring.begin(name, [project, input])) mutation.mutate(input);
  };
  return { ...mutation, mutate };
}
