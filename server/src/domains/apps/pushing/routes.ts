import { appPushCredentialCreate } from '@gpuaas/contract';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { secondMs } from '../../../kernel/units.ts';
import type { AppParts } from '../parts.ts';
import { findApp, referenceOf } from '../store.ts';
import { makePushLogin } from './credential.ts';

const on = handlers<AppParts>();

const create = on(appPushCredentialCreate, ({ db, clock, ownRegistry, policy }, act, { params }) =>
  db.write(act, async (tx) => {
    const app = await findApp(tx, params.app_id);
    if (!app) return tx.abandon(new Fault('app_not_found', 'There is no such object.'));
    if (!ownRegistry) {
      const why = 'This installation has no registry of its own: push to one that its operators have named.';
      return tx.abandon(new Fault('app_registry_absent', why));
    }
    const expiresAt = new Date(clock.now().getTime() + policy('apps.push_credential_seconds', act) * secondMs);
    const repository = referenceOf(app);
    const { user, password } = makePushLogin(ownRegistry.key, repository, expiresAt);
    const shown = { registry: ownRegistry.name, repository, username: user, expires_at: expiresAt.toISOString() };
    return tx.commit({ ...shown, password }, { target: { type: 'app', id: app.id }, change: shown, events: 'none' });
  }),
);

export const pushRoutes = (parts: AppParts): Mounted[] => [create(parts)];
