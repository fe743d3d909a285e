import { serviceAccountToken } from '@gpuaas/contract';
import { makeAppIngress, makeTakeUse } from '../../domains/app-instances/index.ts';
import { makePasswordLetters, makeRecordFactorChange, type Revocations } from '../../domains/identity/index.ts';
import { makeLogLines, makeStoreLogs, type StoreLogs } from '../../domains/logs/index.ts';
import { makeFindInstaller, makeOpenRelease } from '../../domains/nodes/index.ts';
import { makeUnsubscribe } from '../../domains/notifications/index.ts';
import { makeTakeWebhook } from '../../domains/payments/index.ts';
import {
  makeRecordingRetention,
  makeTerminalInternal,
  openSessionWakes,
  type TerminalInternal,
} from '../../domains/terminal/index.ts';
import { crowdedPage, lostPage } from '../../edge/console/pages.ts';
import { makeStreamSeats } from '../../edge/gate/stream-seats.ts';
import type { Tenants } from '../../edge/http/admission/tenancy.ts';
import { type Mount, openMount } from '../../edge/http/mount.ts';
import { mountInstall } from '../../edge/install/mount.ts';
import type { InternalHandler } from '../../edge/internal/handlers.ts';
import type { NodeListener } from '../../edge/nodes/listener.ts';
import { mountTokenEndpoint } from '../../edge/oauth/token-endpoint.ts';
import { mountPaymentWebhook } from '../../edge/payments/webhook.ts';
import { mountLinks } from '../../edge/storage/links.ts';
import { mountTransfers } from '../../edge/storage/mount.ts';
import { makeTransferSeats, usualTransferSeats } from '../../edge/storage/seats.ts';
import { mountUnsubscribe } from '../../edge/unsubscribe/mount.ts';
import { actsOf } from '../../kernel/act.ts';
import type { Reconciler } from '../../kernel/process/reconciler.ts';
import { requireKeys } from '../../kernel/secrets/sealed-values.ts';
import { sealedInDatabase } from '../sealed-values.ts';
import { type Admission, openAdmission } from './admission.ts';
import { appIngressHandlers, makeJudgeBearer } from './app-ingress.ts';
import { beginFor } from './begin-for.ts';
import { makeConsole } from './console.ts';
import { type ApiDomains, appsPlaceOf, openDomains } from './domains.ts';
import { makeFactorChanged } from './factors.ts';
import { type DoorSettings, openNodeDoor } from './nodes.ts';
import { makeSendPasswordLink, type SendPasswordLink } from './password-links.ts';
import { openRoutes } from './routes/all.ts';
import { downloadsOf, nodeDoorOf } from './routes/capacity.ts';
import type { RouteParts } from './routes/parts.ts';
import type { ApiParts, ApiSettings } from './settings.ts';

type Console = ReturnType<typeof makeConsole>;

/** The api with all its routes, and what the rest of the process asks of it. */
export interface Api extends Mount {
  readonly console: Awaited<ReturnType<Console['mount']>> | undefined;
  /** The revocations of a person's sign-ins: our own issuer checks them before it renews one. */
  readonly revocations: (subject: string, sessionId: string | undefined) => Promise<Revocations>;
  /** Sends a link for a password; left out where people have their accounts with another provider. */
  readonly sendPasswordLink: SendPasswordLink | undefined;
  /** Ends the sign-ins of a replaced password. */
  readonly passwordChanged: ((accountId: string) => Promise<void>) | undefined;
  /** Records a change of second factors during sign-in. */
  readonly factorChanged: ReturnType<typeof makeFactorChanged>;
  /** Answers terminal gateways, on the internal listener. */
  readonly terminalInternal: TerminalInternal;
  /** Takes lines of nodes from the log gateways, on the internal listener. */
  readonly storeLogs: StoreLogs;
  /** Answers the app-proxy, on the internal listener. */
  readonly appIngress: readonly InternalHandler[];
  /** Removes recordings whose retention is over. */
  readonly recordingRetention: Reconciler;
  /** Removes what the storage of tenants keeps no longer. */
  readonly storageUpkeep: Reconciler;
  /** Opens the door of nodes, beside this one and over the same parts. */
  readonly openNodeDoor: (door: DoorSettings) => Promise<NodeListener>;
}

/** Puts the api together from its ports: every domain's routes behind one mount. */
export async function assembleApi(parts: ApiParts, settings: ApiSettings): Promise<Api> {
  const { database, clock, ids, log, metrics, objects, payments, scope } = parts;
  const db = database.database;
  const sealed = sealedInDatabase(settings.keyring, { db, ids });
  await requireKeys(sealed, settings.lostKeys);
  const domains = await openDomains(parts, settings);
  const admission = await openAdmission(parts, settings, domains);
  const console = consoleOf(parts, settings, domains, admission);
  const all: RouteParts = { ...parts, ...domains, db, settings, admission, sealed };
  const mount = await openApiMount(all, console);
  await mountOutsideContract(mount.app, all);
  const { policies, identities, tasks, taskSigners, terminals } = domains;
  const begin = actsOf('identity', ids);
  return {
    ...scope.keep('http', mount),
    console: await console?.mount(mount.app),
    revocations: (subject, sessionId) =>
      identities.revocations(settings.issuerName ?? settings.issuer, subject, sessionId),
    sendPasswordLink: sendPasswordLinkOf(all),
    passwordChanged: identities.passwordChanged,
    factorChanged: makeFactorChanged(makeRecordFactorChange({ db, begin, ids }), settings.accounts),
    terminalInternal: makeTerminalInternal({
      ...{ ...terminals.parts, metrics, tasks, objects, begin: actsOf('terminal', ids) },
      wakes: scope.keep('terminal-wakes', await openSessionWakes({ clock, listen: database.listen })),
    }),
    storeLogs: makeStoreLogs({
      ...{ db, policies, clock, metrics, notify: database.notify, lines: makeLogLines(database.unaudited) },
    }),
    appIngress: appIngressHandlers({
      db,
      takeUse: makeTakeUse({ db, begin: actsOf('app-use', ids) }),
      ingress: makeAppIngress({
        ...{ db, sessions: domains.appInstances.sessions, place: appsPlaceOf(settings) },
        judgeBearer: makeJudgeBearer({
          ...admission.callers,
          policy: policies.value,
          clock,
          ids,
          tenants: tenantsOf(all),
        }),
      }),
    }),
    recordingRetention: makeRecordingRetention({
      ...{ db, policies, ids, clock, log, metrics, objects, begin: actsOf('terminal', ids) },
    }),
    storageUpkeep: domains.fileStorage.upkeep,
    openNodeDoor: (door) =>
      openNodeDoor(parts, {
        ...{ ...door, policies, signers: taskSigners, rateLimit: admission.rateLimit },
        // Where money is real, GPU time passes as fast as the clock, whatever the policy says.
        gpuTimeSpeed: () => (payments.provider === 'stripe' ? 1 : policies.number('node.simulated_gpu_time_speed')),
      }),
  };
}

function consoleOf(
  parts: ApiParts,
  settings: ApiSettings,
  { identities }: ApiDomains,
  { callers, gate }: Admission,
): Console | undefined {
  if (!settings.console) return undefined;
  const { publicUrl } = settings;
  const shown = { ...parts, ...parts.database, ...callers, gate, publicUrl };
  return makeConsole({ ...shown, sessions: identities.consoleSessions }, settings.console);
}

/** Says whose things are, and who has which role there. */
const tenantsOf = (all: RouteParts): Tenants =>
  all.settings.tenants ?? {
    role: all.tenancy.role,
    owners: {
      ...{ ...all.tenancy.owners, service_account_id: all.serviceAccounts.owner },
      ...{ ...all.allocations.owners, ...all.apps.owners, ...all.appInstances.owners, ...all.terminals.owners },
    },
  };

async function openApiMount(all: RouteParts, console: Console | undefined): Promise<Mount> {
  const { settings, admission, policies } = all;
  const { callers, gate, unlisted, rateLimit } = admission;
  return openMount({
    ...callers,
    secondFactorAcr: settings.secondFactorAcr,
    ...(settings.console && {
      lost: settings.console.layOut(lostPage),
      crowded: settings.console.layOut(crowdedPage),
    }),
    ...(console && { browser: console.admit, sessionOf: console.sessionOf }),
    gate,
    seats: makeStreamSeats({ policy: policies.number }),
    proxies: { isTrusted: settings.isTrustedProxy ?? (() => false), note: unlisted.note },
    isHttps: settings.publicUrl.startsWith('https:'),
    routes: all.offered,
    handlers: await openRoutes(all),
    policy: policies.value,
    tenants: tenantsOf(all),
    rateLimit,
    replies: all.database.replies,
    database: all.db,
    keyRetentionHours: () => policies.number('idempotency.retention_hours'),
    ...{ clock: all.clock, ids: all.ids, log: all.log, metrics: all.metrics },
  });
}

/** Addresses whose form others have decided: OAuth, payment providers, mail programs, and hosts that have no agent yet. */
async function mountOutsideContract(app: Mount['app'], all: RouteParts): Promise<void> {
  const { db, ids, clock, log, metrics, payments, letters, admission } = all;
  await mountTokenEndpoint(app, {
    exchange: all.serviceAccounts.exchange,
    begin: (from) => beginFor(ids)(serviceAccountToken.audit, { ...from, personId: 'anonymous' }),
    rateLimit: admission.rateLimit,
    log,
  });
  const take = makeTakeWebhook({ db, begin: actsOf('payments', ids), ids, clock, log, metrics, payments });
  await mountPaymentWebhook(app, { take });
  mountInstall(app, {
    findInstaller: makeFindInstaller({ db, ids, door: nodeDoorOf(all.settings), downloads: downloadsOf(all.settings) }),
    openPackage: makeOpenRelease({ db, ids, objects: all.objects }, ['tarball', 'deb']),
    rateLimit: admission.rateLimit,
  });
  await mountTransfers(app, {
    ...{ storage: all.storage, transfers: all.transfers, rateLimit: admission.rateLimit, clock },
    seats: makeTransferSeats(usualTransferSeats),
  });
  mountLinks(app, { openLink: all.fileStorage.openLink, rateLimit: admission.rateLimit });
  if (letters) {
    const unsubscribe = makeUnsubscribe({ db, begin: actsOf('notifications', ids), seal: letters });
    await mountUnsubscribe(app, unsubscribe);
  }
}

function sendPasswordLinkOf({ db, ids, clock, letters, settings, tenancy, policies }: RouteParts) {
  if (!settings.accounts || !letters) return undefined;
  return makeSendPasswordLink({
    accounts: settings.accounts,
    letters: makePasswordLetters({ db, begin: actsOf('identity', ids), ids, seal: letters }),
    isInvited: tenancy.isInvited,
    isSignUpOpen: () => policies.value('auth.sign_up_enabled') === true,
    clock,
  });
}
