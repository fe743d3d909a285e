import type { AppManifest } from '@gpuaas/contract';
import type { ReadTx } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { findPayerCurrency } from './store.ts';

/** Why an organization cannot pay for the units of a version: they are priced in another currency than it pays in. */
export async function otherCurrency(
  tx: ReadTx,
  organizationId: string,
  { metering = [] }: Pick<AppManifest, 'metering'>,
): Promise<Fault<'app_not_launchable'> | undefined> {
  const asked = metering.find(({ price }) => price !== undefined)?.price?.currency;
  if (asked === undefined) return undefined;
  const pays = await findPayerCurrency(tx, organizationId);
  if (pays === undefined || pays === asked) return undefined;
  return new Fault(
    'app_not_launchable',
    `Its units are priced in ${asked}, and your organization pays in ${pays}. Ask its publisher for a version with prices in ${pays}.`,
  );
}
