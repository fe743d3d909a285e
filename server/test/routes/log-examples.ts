import { putAllocation } from '../../src/domains/allocations/testing.ts';
import type { MakeExample } from './examples.ts';

const machine: MakeExample = async (world, tenant) => ({
  params: { allocation_id: await putAllocation(world.root, tenant, 'active') },
});
/** A stream that is followed does not end. */
const query = 'follow=false&after=0';

export const logExamples: Readonly<Record<string, MakeExample>> = {
  allocation_log_list: machine,
  allocation_log_stream: async (...of) => ({ ...(await machine(...of)), query }),
  node_log_list: async () => ({}),
  node_log_stream: async () => ({ query }),
};
