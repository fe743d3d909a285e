import { useNavigate } from '@tanstack/react-router';
import { api } from '../../client/api.ts';
import { useAct } from '../../client/ask.ts';
import type { Wish } from './wish.ts';

export interface Order {
  readonly name: string;
  readonly wish: Wish;
  readonly machines: number;
  readonly queue: boolean;
  readonly quoteId: string | undefined;
}
const queueSeconds = 24 * 3_600;

/** Launches one machine at its quoted price, or a group, and opens its page. */
export function useOrder() {
  const navigate = useNavigate();
  return useAct(
    'launch',
    async (order: Order, options) => {
      if (order.machines === 1) {
        const queue = order.queue && { queue: { max_wait_seconds: queueSeconds } };
        const quoted = order.quoteId && { quote_id: order.quoteId };
        const { id } = await api.allocations.create({ ...order.wish, name: order.name, ...queue, ...quoted }, options);
        return { to: '/allocations/$id', id } as const;
      }
      const members = Array.from(
        { length: order.machines },
        (_, index): Wish => ({ ...order.wish, name: `${order.name}-${index + 1}` }),
      );
      const { id } = await api.allocationGroups.create({ name: order.name, members }, options);
      return { to: '/groups/$id', id } as const;
    },
    {
      stale: ['allocations', 'groups', 'catalog', 'quote', 'balance'],
      done: ({ to, id }) => void navigate({ to, params: { id } }),
    },
  );
}
