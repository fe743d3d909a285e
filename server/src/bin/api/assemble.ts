import {
  type Branding,
  brandingGet,
  type PolicyKey,
  routes,
  type SignIn,
  serviceAccountToken,
  signInGet,
  versionGet,
} from '@gpuaas/contract';
import { moveSlots, openAllocations } from '../../domains/allocations/index.ts';
import { alertRoutes, breakerRoutes } from '../../domains/attention/index.ts';
import { makeAudit } from '../../domains/audit/index.ts';
import {
  budgetRoutes,
  grantRoutes,
  makeLaunchMoney,
  proofRoutes,
  quoteRoutes,
  readCharged,
  readRoutes,
  usageRoutes,
} from '../../domains/billing/index.ts';
import { healthRoutes } from '../../domains/health/index.ts';
import { historyRoutes } from '../../domains/history/index.ts';
import {
  type AtBrowser,
  denialsChannel,
  makePasswordLetters,
  makeRecordFactorChange,
  openCredentials,
  type Revocations,
  tokenPrefix,
} from '../../domains/identity/index.ts';
import { makeInventory } from '../../domains/inventory/index.ts';
import { documentRoutes, invoiceRoutes, partyRoutes } from '../../domains/invoicing/index.ts';
import { makeTasks, type NodeDoor, operatorRoutes } from '../../domains/nodes/index.ts';
import { inboxRoutes, makeUnsubscribe, noticeRoutes, wakesChannel } from '../../domains/notifications/index.ts';
import { deadLetterRoutes } from '../../domains/outbox/index.ts';
import { overviewRoutes } from '../../domains/overview/index.ts';
import { financeRoutes, makeTakeWebhook, sessionRoutes } from '../../domains/payments/index.ts';
import { openPolicies } from '../../domains/policy/index.ts';
import { secretRoutes } from '../../domains/secrets/index.ts';
import { openServiceAccounts } from '../../domains/service-accounts/index.ts';
import { type SimulatedFleet, simulatorRoutes } from '../../domains/simulator/index.ts';
import { sshRoutes } from '../../domains/ssh/index.ts';
import { foundPersonalOrganization, openTenancy, secretOfInvitations } from '../../domains/tenancy/index.ts';
import { webhookRoutes } from '../../domains/webhooks/index.ts';
import { workflowRoutes } from '../../domains/workflows/index.ts';
import { plainBranding } from '../../edge/console/branding.ts';
import { crowdedPage, lostPage } from '../../edge/console/pages.ts';
import { makeGate } from '../../edge/gate/gate.ts';
import { type IsTrustedProxy, makeUnlistedProxies } from '../../edge/gate/proxies.ts';
import { makeStreamSeats } from '../../edge/gate/stream-seats.ts';
import { type AdmissionParts, signInOf } from '../../edge/http/admission/admission.ts';
import { type KeySource, makeAuthenticate } from '../../edge/http/admission/authentication.ts';
import { openDenyList, sessionSubject } from '../../edge/http/admission/deny-list.ts';
import { makeOpaqueTokens } from '../../edge/http/admission/opaque-tokens.ts';
import { makeRateLimit } from '../../edge/http/admission/rate-limit.ts';
import type { Tenants } from '../../edge/http/admission/tenancy.ts';
import { type Mount, openMount } from '../../edge/http/mount.ts';
import type { NodeListener } from '../../edge/nodes/listener.ts';
import { mountTokenEndpoint, tokenPath } from '../../edge/oauth/token-endpoint.ts';
import { mountPaymentWebhook } from '../../edge/payments/webhook.ts';
import { openBells } from '../../edge/streams/bells.ts';
import { makeEventLog } from '../../edge/streams/event-log.ts';
import { openTail } from '../../edge/streams/tail.ts';
import { makeEventStreams } from '../../edge/streams/watch.ts';
import { mountUnsubscribe } from '../../edge/unsubscribe/mount.ts';
import { actsOf, handlers, makeAct, systemViewer } from '../../kernel/act.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Common } from '../../kernel/process/process.ts';
import type { Keyring } from '../../kernel/secrets/keyring.ts';
import { requireKeys, type SealedValues } from '../../kernel/secrets/sealed-values.ts';
import type { BusDepths } from '../../ports/bus/port.ts';
import type { Accounts } from '../../ports/identity-provider/port.ts';
import type { Ports } from '../../ports/open.ts';
import type { SagaRuns } from '../../ports/sagas/port.ts';
import { product, release } from '../release.ts';
import { sealedInDatabase } from '../sealed-values.ts';
import { type ConsoleSettings, makeConsole } from './console.ts';
import { type FactorsOfAccounts, makeFactorChanged, makeHasFactor, ownFactorsOf } from './factors.ts';
import { type DoorSettings, openNodeDoor, openSigners } from './nodes.ts';
import { makeSendPasswordLink, type SendPasswordLink } from './password-links.ts';

const version = handlers<object>()(versionGet, async () => ({ product, version: release }));
const branding = handlers<{ readonly branding: Branding }>()(brandingGet, async (parts) => parts.branding);
const signIn = handlers<{ readonly describe: (() => Promise<SignIn>) | undefined }>()(
  signInGet,
  async ({ describe }) =>
    describe?.() ??
    new Fault('service_unavailable', 'This installation knows whose tokens count, but not where people sign in.'),
);

type ConsoleHome = Awaited<ReturnType<ReturnType<typeof makeConsole>['mount']>>;

/** Puts the api together from its ports: every domain's routes behind one mount. */
export async function assembleApi(
  parts: Pick<Ports, 'database' | 'cache' | 'objects' | 'payments' | 'webhooks'> & Omit<Common<unknown>, 'config'>,
  settings: {
    readonly region: string;
    readonly issuer: string;
    /** By what name the people of that issuer are kept; the issuer itself when left out. */
    readonly issuerName?: string;
    /** How that issuer is asked for a second factor, and how its tokens say that there was one; see the port. */
    readonly secondFactorAcr?: string | undefined;
    readonly audience: string;
    readonly keys: KeySource;
    /** Where people sign in; left out where only the keys of the issuer are known. */
    readonly signIn?: () => Promise<SignIn>;
    /** How this installation presents itself; left out, as the product does. */
    readonly branding?: Branding;
    /** Where callers reach this installation. */
    readonly publicUrl: string;
    /** Where hosts enrol; the public address where nothing else is said. */
    readonly nodeDoor?: () => Promise<NodeDoor>;
    /** Encrypts what is kept in the database; without it no tokens are issued to service accounts. */
    readonly keyring?: Keyring;
    /** What others than the domains keep sealed, and the keys that an operator has given up. */
    readonly sealed?: readonly SealedValues[];
    readonly lostKeys?: readonly string[];
    /** Lets browsers sign in; left out where it cannot. */
    readonly console?: ConsoleSettings;
    /** Whose forwarded headers are believed; nobody's when left out. */
    readonly isTrustedProxy?: IsTrustedProxy;
    readonly policies?: Partial<Record<PolicyKey, number | boolean | string>>;
    /** The runs of sagas, to be looked at; left out where the engine is not known here. */
    readonly runs?: SagaRuns;
    /** How far consumers of events are behind; left out where the bus is not known here. */
    readonly depths?: BusDepths;
    /** A fleet that can be broken on purpose; without it the routes of the simulator do not exist. */
    readonly simulator?: SimulatedFleet;
    /** The accounts of our own provider; left out where people have theirs with another one. */
    readonly accounts?: Accounts;
    /** Their second factors. */
    readonly factors?: FactorsOfAccounts;
    /** Stands in for the domain that says whose things are, where a test wants to be lied to. */
    readonly tenants?: Tenants;
  },
): Promise<
  Mount & {
    readonly console: ConsoleHome | undefined;
    /** The revocations of a person's sign-ins: our own issuer checks them before it renews one. */
    readonly revocations: (subject: string, sessionId: string | undefined) => Promise<Revocations>;
    /** Sends a link for a password; left out where people have their accounts with another provider. */
    readonly sendPasswordLink: SendPasswordLink | undefined;
    /** Ends the sign-ins of a replaced password. */
    readonly passwordChanged: ((accountId: string) => Promise<void>) | undefined;
    /** Records a change of second factors during sign-in. */
    readonly factorChanged: ReturnType<typeof makeFactorChanged>;
    /** Opens the door of nodes, beside this one and over the same parts. */
    readonly openNodeDoor: (door: DoorSettings) => Promise<NodeListener>;
  }
> {
  const { database, cache, clock, ids, log, metrics, payments, scope } = parts;
  const db = database.database;
  const sealed = sealedInDatabase(settings.keyring, { db, ids });
  await requireKeys(sealed, settings.lostKeys);
  const ownFactors = ownFactorsOf(settings);
  const policies = scope.keep(
    'policies',
    await openPolicies({
      ...{ ...database, db, ids, clock, log },
      overrides: settings.policies ?? {},
      hasFactor: ownFactors && makeHasFactor({ db, ids, own: ownFactors }),
    }),
  );
  const beginFor = (action: string, { personId, ...from }: AtBrowser) =>
    makeAct(
      {
        ...from,
        ...{ actorId: personId, actorKind: 'user', actorRole: 'none', reach: 'self' },
        ...{ organizationId: undefined, projectId: undefined, traceparent: undefined },
      },
      action,
      ids.next(),
    );
  const identities = scope.keep(
    'credentials',
    openCredentials({
      db,
      begin: actsOf('identity', ids),
      ids,
      clock,
      log,
      sightings: database.sightings,
      sessionSubject,
      sessionMaxHours: () => policies.number('auth.session_max_hours'),
      personalTokenMaxDays: (who) => policies.number('auth.personal_token_max_days', who),
      announce: () => database.notify(denialsChannel),
      accounts: settings.accounts && {
        ...settings.accounts,
        issuer: settings.issuerName ?? settings.issuer,
        mailsOf: mailsOf(settings.accounts),
        signInsEndedAt: signInsEndedAt(settings.accounts),
      },
      factors: ownFactors,
      isFactorRequired: (who) => policies.value('auth.step_up_mfa_required', who),
      beginFor,
      welcome: async (tx, personId) =>
        policies.value('auth.personal_organizations_enabled')
          ? foundPersonalOrganization(tx, personId, ids.next())
          : undefined,
    }),
  );
  const rateLimit = makeRateLimit({
    cache,
    clock,
    policy: policies.number,
    onFault: (error) => log.warn({ err: error }, 'the shared budget could not be asked; counting alone'),
  });
  const gate = makeGate({ clock, perMinute: () => policies.number('rate_limit.unknown_caller_requests_per_minute') });
  const unlisted = makeUnlistedProxies({ cache, clock, log });
  const { region } = settings;
  const letters = settings.keyring?.find('letters');
  const offered = routes.filter(({ only }) => only !== 'simulator' || settings.simulator !== undefined);
  const tenancy = scope.keep(
    'tenancy',
    await openTenancy({
      ...database,
      db,
      ids,
      clock,
      region,
      policies,
      offered,
      invitationSecret: letters && secretOfInvitations(letters),
    }),
  );
  const inventory = makeInventory({ db, ids, clock, region });
  const serviceAccounts = scope.keep(
    'service-accounts',
    await openServiceAccounts({
      ...database,
      db,
      begin: actsOf('service-accounts', ids),
      ids,
      clock,
      region,
      seal: settings.keyring?.find('service-accounts'),
      publicUrl: settings.publicUrl,
      tokenPath,
      audience: settings.audience,
      keyMaxDays: (who) => policies.number('auth.service_account_key_max_days', who),
      tokenSeconds: (organizationId) => policies.number('auth.service_account_token_seconds', { organizationId }),
      flush: identities.flush,
    }),
  );
  const denyList = scope.keep(
    'deny-list',
    await openDenyList({
      denials: {
        current: identities.denials.current,
        onChange: (listener) => database.listen(denialsChannel, listener),
      },
      clock,
      onFault: (error) => log.warn({ err: error }, 'the list of revoked tokens could not be read'),
    }),
  );
  const tail = scope.keep(
    'event-tail',
    await openTail({
      db,
      who: systemViewer('event-tail', { correlationId: ids.next() }),
      onCommit: database.outbox.onCommit,
      clock,
      log,
    }),
  );
  const bells = scope.keep(
    'notification-bells',
    await openBells((listener) => cache.subscribe(wakesChannel, listener)),
  );
  const taskSigners = await openSigners(parts, { seal: settings.keyring?.find('task-signers'), policies });
  const allocations = scope.keep(
    'allocations',
    await openAllocations({
      ...{ db, ids, clock, log, region, policies, listen: database.listen },
      tasks: makeTasks({ ids, clock, signer: taskSigners }),
      money: makeLaunchMoney({ policies, ids }),
      readCharged,
    }),
  );
  const operators = operatorRoutes({
    db,
    ids,
    clock,
    policies,
    door: settings.nodeDoor ?? (async () => ({ url: settings.publicUrl, fingerprint: undefined })),
    changed: inventory.changed,
    moveSlots,
    tasks: makeTasks({ ids, clock, signer: taskSigners }),
    objects: parts.objects,
  });
  const { simulator } = settings;
  const admission: Pick<AdmissionParts, 'authenticate' | 'recognise' | 'denyList' | 'seen'> = {
    authenticate: makeAuthenticate({
      people: { ...settings, name: settings.issuerName },
      machines: {
        issuer: serviceAccounts.issuer,
        audience: settings.audience,
        keys: { kind: 'find', find: serviceAccounts.find },
      },
      opaque: makeOpaqueTokens({ prefix: tokenPrefix, find: identities.findToken, rateLimit, clock }),
      clock,
    }),
    recognise: (identity, correlationId) =>
      identity.keyId === undefined
        ? identities.admit(identity, signInOf(identity), correlationId)
        : serviceAccounts.recognise(identity.subject, identity.keyId),
    denyList,
    seen: ({ person, identity }, from) => identities.seen({ ...identity, ...from, personId: person.id }),
  };
  const console =
    settings.console &&
    makeConsole(
      {
        ...{ ...parts, ...database, ...admission, gate },
        sessions: identities.consoleSessions,
        publicUrl: settings.publicUrl,
      },
      settings.console,
    );
  const mount = await openMount({
    ...admission,
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
    routes: offered,
    handlers: [
      ...(simulator ? simulatorRoutes({ db, fleet: simulator }) : []),
      version({}),
      branding({ branding: settings.branding ?? plainBranding(product) }),
      signIn({ describe: settings.signIn }),
      ...tenancy.routes,
      ...sshRoutes({ db, ids, region, policies }),
      ...makeAudit({ db }).routes,
      ...noticeRoutes({ db }),
      ...inboxRoutes({ db }),
      ...webhookRoutes({
        ...{ db, ids, clock, webhooks: parts.webhooks, policy: policies.number },
        seal: settings.keyring?.find('webhooks'),
      }),
      ...overviewRoutes({ db, policies }),
      ...deadLetterRoutes({ db }),
      ...inventory.routes,
      ...policies.routes,
      ...identities.routes,
      ...serviceAccounts.routes,
      ...taskSigners.routes,
      ...allocations.routes,
      ...operators,
      ...readRoutes({ db, clock, policies }),
      ...proofRoutes({ db }),
      ...usageRoutes({ db, clock }),
      ...grantRoutes({ db, ids, policies }),
      ...partyRoutes({ db }),
      ...documentRoutes({ db, clock }),
      ...invoiceRoutes({ db, ids, clock, policies }),
      ...budgetRoutes({ db, ids, policies }),
      ...quoteRoutes({ db, ids, clock, policies }),
      ...sessionRoutes({ db, ids, clock, policies, payments, publicUrl: settings.publicUrl }),
      ...financeRoutes({ db, ids, clock, policies }),
      ...alertRoutes({ db, ids, changed: inventory.changed }),
      ...breakerRoutes({ db }),
      ...makeEventStreams({ log: makeEventLog(db), tail, bells }),
      ...historyRoutes({ db, objects: parts.objects, policies }),
      ...secretRoutes({ stores: [...sealed, ...(settings.sealed ?? [])] }),
      ...healthRoutes({ db, clock, log, version: release, depths: settings.depths, unlistedProxy: unlisted.last }),
      ...workflowRoutes({ db, runs: settings.runs, log }),
    ],
    policy: policies.value,
    tenants: settings.tenants ?? {
      role: tenancy.role,
      owners: { ...tenancy.owners, service_account_id: serviceAccounts.owner, ...allocations.owners },
    },
    rateLimit,
    replies: database.replies,
    database: db,
    keyRetentionHours: () => policies.number('idempotency.retention_hours'),
    clock,
    ids,
    log,
    metrics,
  });
  await mountTokenEndpoint(mount.app, {
    exchange: serviceAccounts.exchange,
    begin: (from) => beginFor(serviceAccountToken.audit, { ...from, personId: 'anonymous' }),
    rateLimit,
    log,
  });
  const take = makeTakeWebhook({ db, begin: actsOf('payments', ids), ids, clock, log, metrics, payments });
  await mountPaymentWebhook(mount.app, { take });
  if (letters) {
    const unsubscribe = makeUnsubscribe({ db, begin: actsOf('notifications', ids), seal: letters });
    await mountUnsubscribe(mount.app, unsubscribe);
  }
  return {
    ...scope.keep('http', mount),
    console: await console?.mount(mount.app),
    revocations: (subject, sessionId) =>
      identities.revocations(settings.issuerName ?? settings.issuer, subject, sessionId),
    sendPasswordLink:
      settings.accounts && letters
        ? makeSendPasswordLink({
            accounts: settings.accounts,
            letters: makePasswordLetters({ db, begin: actsOf('identity', ids), ids, seal: letters }),
            isInvited: tenancy.isInvited,
            isSignUpOpen: () => policies.value('auth.sign_up_enabled') === true,
            clock,
          })
        : undefined,
    passwordChanged: identities.passwordChanged,
    factorChanged: makeFactorChanged(
      makeRecordFactorChange({ db, begin: actsOf('identity', ids), ids }),
      settings.accounts,
    ),
    openNodeDoor: (door) => openNodeDoor(parts, { ...door, policies, signers: taskSigners, rateLimit }),
  };
}

const signInsEndedAt = (accounts: Accounts) => async (id: string) => (await accounts.find({ id }))?.signInsEndedAt;

/** Addresses that an account of our own provider is known by: its mail, and its login where that is one. */
const mailsOf = (accounts: Accounts) => async (id: string) => {
  const account = await accounts.find({ id });
  return [account?.email, account?.login].flatMap((mail) => (mail?.includes('@') ? [mail.toLowerCase()] : []));
};
