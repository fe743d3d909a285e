import { type SealedCount, secretsGet } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../kernel/act.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';

/** How many values each key has sealed. The current key is always named, so that a purpose that keeps nothing is seen too. */
export async function countSealed(stores: readonly SealedValues[]): Promise<SealedCount[]> {
  const counted = await Promise.all(
    stores.map(async (store) => {
      const [current, ...others] = store.keyIds;
      const counts = new Map([
        [current, 0],
        ...(await store.counts()).map((each) => [each.keyId, each.values] as const),
      ]);
      return [...counts].map(([keyId, values]): SealedCount => {
        const state = keyId === current ? 'current' : others.includes(keyId) ? 'former' : 'missing';
        return { purpose: store.purpose, table: store.table, key_id: keyId, values, state };
      });
    }),
  );
  return counted.flat();
}

const status = handlers<{ readonly stores: readonly SealedValues[] }>()(secretsGet, async ({ stores }) => ({
  data: await countSealed(stores),
}));

/** Sealed values: each owner reports how many, and by which key. */
export const secretRoutes = (parts: { readonly stores: readonly SealedValues[] }): Mounted[] => [status(parts)];
