import type { TaskParams } from '@gpuaas/contract/node';
import { HostFailure } from './port.ts';

/** What the schema of an order cannot say: each name and each place is there once. `/tmp` is the container's own. */
export function refuseDoubles({ env, volumes, ports }: TaskParams<'app.oci_launch'>): void {
  const lists = [
    env.map(({ name }) => name),
    volumes.map(({ name }) => name),
    ['/tmp', ...volumes.map(({ path }) => path)],
    ports.map(({ name }) => name),
  ];
  const double = lists.flatMap((list) => list.filter((one, index) => list.indexOf(one) !== index))[0];
  if (double !== undefined) throw new HostFailure('workload_invalid', `The order has ${double} twice.`);
}
