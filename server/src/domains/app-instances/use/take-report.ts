import type { appIngressRoutes } from '@gpuaas/contract/ingress';
import type { InternalInput, InternalOutput } from '@gpuaas/contract/internal';
import type { BeginAct, Database } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { putUses } from './store.ts';

/** Takes what a copy of the app-proxy has counted. Whose it is, is what the rows of the routes say, and nothing that the copy says. */
export const makeTakeUse =
  (parts: { readonly db: Database; readonly begin: BeginAct }) =>
  async (
    { copy_id, uses }: InternalInput<typeof appIngressRoutes.reportUse>,
    { correlationId }: { readonly correlationId: string },
  ): Promise<InternalOutput<typeof appIngressRoutes.reportUse>> => {
    const written = await parts.db.write(parts.begin('app_use.report', { correlationId }), async (tx) => {
      const stored = await putUses(tx, copy_id, uses, correlationId);
      // Routes that have gone since, and a report that came before.
      if (stored === 0) return tx.abandon(new Fault('resource_not_found', 'Nothing of it is new.'));
      return tx.commit({ stored }, { target: { type: 'app_use', id: copy_id }, change: { stored }, events: 'none' });
    });
    return written instanceof Fault ? { stored: 0 } : written.value;
  };
