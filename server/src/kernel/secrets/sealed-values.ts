import { Type } from 'typebox';
import { KeyringFault, type Purpose } from './keyring.ts';
import type { Seal } from './seal.ts';

/**
 * Values that one purpose keeps sealed in one table. A key is replaced by sealing them again with the current key, a
 * page at a time, while processes read and write them: a value that changed meanwhile was sealed by its writer and is
 * left alone. A key may be removed when no table holds a value that it sealed.
 */
export interface SealedValues {
  readonly purpose: Purpose;
  /** The table, for people. */
  readonly table: string;
  /** The key that seals, and those that only open. */
  readonly keyIds: Seal['keyIds'];
  counts(): Promise<readonly KeyCount[]>;
  /** Seals a page of what other keys of the keyring sealed, from after a place on. Without a place behind it, it is the last. */
  reseal(after: string, limit: number): Promise<ResealedPage>;
}
export interface KeyCount {
  readonly keyId: string;
  readonly values: number;
}
export interface ResealedPage {
  readonly resealed: number;
  readonly after: string | undefined;
}

const pageSize = 200;

/** Goes through all values once, and answers how many it sealed anew. It may be ended at any time and run again. */
export async function resealAll(
  values: SealedValues,
  options: { readonly limit?: number; readonly stopping?: AbortSignal } = {},
): Promise<number> {
  const limit = options.limit ?? pageSize;
  let resealed = 0;
  for (let after: string | undefined = ''; after !== undefined && !options.stopping?.aborted; ) {
    const page: ResealedPage = await values.reseal(after, limit);
    resealed += page.resealed;
    after = page.after;
  }
  return resealed;
}

/** A page of rows as a table gives it: the last row says where the next page begins. */
export const pageOf = <R extends { readonly at: string }>(
  rows: readonly R[],
  limit: number,
  resealed: number,
): ResealedPage => ({ resealed, after: rows.length < limit ? undefined : rows.at(-1)?.at });

/**
 * Refuses a start without a key that is still needed. Said at once and by its id, since what it sealed would otherwise
 * fail one request after the other. `lost` are the ids that an operator has given up.
 */
export async function requireKeys(stores: readonly SealedValues[], lost: readonly string[] = []): Promise<void> {
  for (const store of stores) {
    for (const { keyId, values } of await store.counts()) {
      if (values === 0 || store.keyIds.includes(keyId) || lost.includes(keyId)) continue;
      throw new KeyringFault(
        `GPUAAS_SECRETS_KEY lacks the key "${keyId}", which sealed ${values} values of ${store.purpose} (${store.table}). ` +
          `Put it back behind the current key and reseal before it is removed; if it is lost for good, name it in GPUAAS_SECRETS_KEYS_LOST.`,
      );
    }
  }
}

export const lostKeysConfig = Type.Object({
  secretsKeysLost: Type.Optional(
    Type.String({
      description:
        'Ids of sealing keys that are lost for good, with commas between: start without them, though they sealed values that nobody can open any more.',
    }),
  ),
});
/** The ids in GPUAAS_SECRETS_KEYS_LOST. */
export const lostKeys = (text: string | undefined): string[] => (text ?? '').split(/[\s,]+/).filter((id) => id !== '');
