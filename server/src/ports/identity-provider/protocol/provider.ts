import type { IncomingMessage } from 'node:http';
import type { JWK } from 'jose';
import {
  type Adapter,
  type Client,
  type ClientMetadata,
  type Configuration,
  errors,
  type Interaction,
  interactionPolicy,
  type KoaContextWithOIDC,
  Provider,
} from 'oidc-provider';
import type { Seal } from '../../../kernel/secrets/seal.ts';
import { allowedScopes, consoleClientId, isSecretOf } from '../clients.ts';
import { type Factors, secondFactorAcr } from '../factors/port.ts';
import { type Accounts, type FormAnswer, type IssuerPages, type Page, pageOf, type SeeOther } from '../port.ts';
import { type FindRevocations, makeWatch, type Watch } from '../revoked-sign-ins.ts';

/**
 * The protocol is implemented by `oidc-provider`, configured here: codes with PKCE, device codes, refresh tokens that
 * are used once, client credentials, and nothing else. One instance signs with one set of keys; when the keys change, a
 * new instance replaces it, because all lasting state is in the records.
 */
export interface ProviderParts {
  readonly issuer: string;
  readonly audience: string;
  readonly scopes: readonly string[];
  readonly keys: readonly JWK[];
  readonly seal: Seal;
  readonly accounts: Accounts;
  readonly factors: Pick<Factors, 'has'>;
  readonly adapter: (kind: string) => Adapter;
  readonly clients: readonly ClientMetadata[];
  readonly pages: IssuerPages;
  /** Where the answer to this form is shown; undefined for a request that is no form. */
  readonly afterForm: (request: IncomingMessage) => SeeOther | undefined;
  readonly ttl: Lifetimes;
  readonly revocations: FindRevocations;
}
export interface Lifetimes {
  readonly accessTokenMs: number;
  readonly refreshTokenMs: number;
  readonly sessionMs: number;
  readonly codeMs: number;
  readonly deviceCodeMs: number;
}
export const defaultLifetimes: Lifetimes = {
  accessTokenMs: 10 * 60_000,
  refreshTokenMs: 14 * 24 * 60 * 60_000,
  sessionMs: 12 * 60 * 60_000,
  codeMs: 60_000,
  deviceCodeMs: 10 * 60_000,
};

/** A resource has to be named by a URI on the wire; tokens for it carry the audience. */
export const apiResource = 'urn:gpuaas:api';
const interactionMs = 30 * 60_000;
/** However often a refresh token is renewed, after this long the person signs in again. */
const grantMs = 90 * 24 * 60 * 60_000;

export function makeProvider(parts: ProviderParts): Provider {
  const provider = new Provider(parts.issuer, configure(parts));
  // The address and scheme that a request came by are put into these headers by the mount, and by nobody else.
  provider.proxy = true;
  // Where the library would compare secrets, it is given digests.
  Object.defineProperty(provider.Client.prototype, 'compareClientSecret', {
    value(this: { clientId: string; clientSecret?: string }, given: string) {
      return isSecretOf(parts.seal, { id: this.clientId, kept: this.clientSecret }, given);
    },
  });
  provider.use(async (ctx, next) => {
    await next();
    const form = typeof ctx.body === 'string' && ctx.type === 'text/html' ? readAutoForm(ctx.body) : undefined;
    if (form) show(ctx, parts.pages.goOn(form));
  });
  return provider;
}

/**
 * Over https no other host of the domain may set the session: `__Host-`. The other two belong to one question each, so that
 * two windows can sign in at once. The library tells questions apart by the path of the cookie and knows one name for all,
 * and a cookie with a path of its own cannot carry `__Host-`. On the path `/` the second window would end the first, and a
 * name for each question would let any site fill the browser with cookies that go along with every request. They are
 * signed, hold no more than the id of a question, and open nothing without the session.
 */
export const cookieNames = (isSecure: boolean) => ({
  session: `${isSecure ? '__Host-' : ''}gpuaas_sso`,
  interaction: `${isSecure ? '__Secure-' : ''}gpuaas_sso_question`,
  resume: `${isSecure ? '__Secure-' : ''}gpuaas_sso_resume`,
});

function configure(parts: ProviderParts): Configuration {
  const { accounts, ttl } = parts;
  const isSecure = parts.issuer.startsWith('https:');
  const path = new URL(parts.issuer).pathname;
  const cookie = { httpOnly: true, sameSite: 'lax', secure: isSecure, signed: true, overwrite: true } as const;
  const watch = makeWatch(parts);
  const tell = makeTell(parts);
  return {
    adapter: parts.adapter,
    clients: [...parts.clients],
    jwks: { keys: [...parts.keys] as never },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post'],
    responseTypes: ['code'],
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access'],
    // A request names it in acr_values, and a sign-in that had a second factor carries it as acr.
    acrValues: [secondFactorAcr],
    claims: { openid: ['sub', 'acr', 'amr'], profile: ['name', 'preferred_username'], email: ['email'] },
    // The console reads who signed in from the ID token and needs no second request.
    conformIdTokenClaims: false,
    clientBasedCORS: () => false,
    cookies: {
      names: cookieNames(isSecure),
      keys: parts.seal.digests('cookies', 'signature').map((key) => key.toString('hex')),
      // A cookie of one host is for all of its paths, or the browser does not take it.
      long: { ...cookie, path: isSecure ? '/' : path },
      short: cookie,
    },
    features: features(parts),
    ttl: lifetimes(ttl),
    rotateRefreshToken: true,
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    // A browser that signs out takes its console along; a terminal that was signed in stays so.
    expiresWithSession: async (ctx) => ctx.oidc.client?.applicationType !== 'native',
    extraClientMetadata: { properties: [allowedScopes] },
    formats: { customizers: { jwt: (ctx, token, jwt) => assertNarrow(ctx, token.clientId, jwt) } },
    extraTokenClaims: (ctx, token) => {
      if (token.kind === 'ClientCredentials') return { principal_type: 'service_account' };
      const { AuthorizationCode, RefreshToken, DeviceCode } = ctx.oidc.entities;
      const source = RefreshToken ?? AuthorizationCode ?? DeviceCode;
      const name = ctx.oidc.account && nameOfAccount(ctx.oidc.account);
      return { sid: watch.sessionOf(source?.grantId), auth_time: source?.authTime, ...howOf(source), name };
    },
    async findAccount(_, id, source) {
      const account = await accounts.find({ id });
      if (!account || account.disabledAt) return undefined;
      if (source && (await watch.isOver(id, source))) return undefined;
      return {
        accountId: account.id,
        displayName: account.displayName,
        claims: () => ({
          sub: account.id,
          name: account.displayName,
          preferred_username: account.login,
          ...(account.email && { email: account.email }),
        }),
      };
    },
    interactions: {
      policy: makePolicy(watch, parts.factors),
      url: (_, interaction: Interaction) => `${path}/interaction/${interaction.uid}`,
    },
    loadExistingGrant: (ctx) => loadExistingGrant(ctx, watch),
    renderError: (ctx, out) =>
      tell(ctx, { kind: 'problem', form: { code: out.error, description: out.error_description ?? undefined } }),
  };
}

const seconds = (ms: number) => Math.max(1, Math.floor(ms / 1_000));

const lifetimes = (ttl: Lifetimes): Configuration['ttl'] => ({
  AccessToken: seconds(ttl.accessTokenMs),
  ClientCredentials: seconds(ttl.accessTokenMs),
  IdToken: seconds(ttl.accessTokenMs),
  AuthorizationCode: seconds(ttl.codeMs),
  DeviceCode: seconds(ttl.deviceCodeMs),
  RefreshToken: seconds(ttl.refreshTokenMs),
  Session: seconds(ttl.sessionMs),
  Interaction: seconds(interactionMs),
  Grant: seconds(grantMs),
});

/** What of the protocol is on, and the pages that people see on the way. */
function features(parts: ProviderParts): NonNullable<Configuration['features']> {
  const { pages, ttl } = parts;
  const tell = makeTell(parts);
  return {
    devInteractions: { enabled: false },
    clientCredentials: { enabled: true },
    dPoP: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    introspection: {
      enabled: true,
      allowedPolicy: async (_, client, token) => token.clientId === client.clientId,
    },
    revocation: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
    deviceFlow: {
      enabled: true,
      charset: 'base-20',
      mask: '****-****',
      userCodeInputSource(ctx, _form, out, error) {
        if (out && beginAgain(ctx)) return;
        const problem = out && deviceProblem(error?.name ?? '');
        tell(ctx, { kind: 'deviceCode', form: { ...formOf(ctx), code: codeIn(ctx), problem } });
      },
      userCodeConfirmSource(ctx, _form, client, device, code) {
        const clientName = nameOf(client);
        const address = typeof device['ip'] === 'string' ? device['ip'] : '';
        ctx.status = 200;
        tell(ctx, { kind: 'deviceConfirm', form: { ...formOf(ctx), code, clientName, address } });
      },
      successSource: (ctx) => show(ctx, pages.deviceDone(ctx.oidc.client ? nameOf(ctx.oidc.client) : '')),
    },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource(ctx) {
        const state = stateOf(ctx);
        const action = ctx.oidc.urlFor('end_session_confirm');
        const [xsrf, returnTo] = [state.secret ?? '', state.postLogoutRedirectUri];
        show(ctx, pages.signOut({ action, xsrf, returnTo, isMeant: isMeantSignOut(ctx) }));
      },
      postLogoutSuccessSource: (ctx) => show(ctx, pages.signedOut()),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => apiResource,
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource, client) => ({
        scope: readScopes(ctx, resource, client, parts.scopes).join(' '),
        audience: parts.audience,
        accessTokenFormat: 'jwt',
        accessTokenTTL: seconds(ttl.accessTokenMs),
        jwt: { sign: { alg: 'ES256' } },
      }),
    },
  };
}

const nameOfAccount = ({ displayName }: { readonly [key: string]: unknown }): string | undefined =>
  typeof displayName === 'string' ? displayName : undefined;

/**
 * When a person is asked what: as the library has it, and a session whose account is gone or was revoked, or that lacks a
 * second factor, is none.
 */
function makePolicy(watch: Watch, factors: Pick<Factors, 'has'>) {
  const { Check, base } = interactionPolicy;
  const policy = base();
  const isGone = (ctx: KoaContextWithOIDC) => ctx.oidc.session?.accountId !== undefined && !ctx.oidc.account;
  policy.get('login')?.checks.add(new Check('no_account', 'the account is gone', 'login_required', isGone));
  policy
    .get('login')
    ?.checks.add(new Check('revoked', 'the sign-in was revoked', 'login_required', watch.mustSignInAgain));
  policy
    .get('login')
    ?.checks.add(
      new Check('second_factor', 'a second factor is needed', 'login_required', (ctx) => lacksFactor(ctx, factors)),
    );
  return policy;
}

export const asksForSecondFactor = (params: object | undefined): boolean => {
  const { acr_values: wanted } = (params ?? {}) as { acr_values?: unknown };
  return typeof wanted === 'string' && wanted.split(' ').includes(secondFactorAcr);
};
/** A browser that is signed in by a password alone signs in again once its person has a second factor, or needs one. */
async function lacksFactor({ oidc }: KoaContextWithOIDC, factors: Pick<Factors, 'has'>): Promise<boolean> {
  const { session, params } = oidc;
  if (!session?.accountId || session.acr === secondFactorAcr) return false;
  return asksForSecondFactor(params) || factors.has(session.accountId);
}
const howOf = (source: { readonly amr?: string[] | undefined; readonly acr?: string | undefined } | undefined) => ({
  amr: source?.amr,
  acr: source?.acr,
});

/** What the client may ask for. The library would drop what it may not; a typing error must not widen a token. */
function readScopes(ctx: KoaContextWithOIDC, resource: string, client: Client, all: readonly string[]) {
  if (resource !== apiResource) throw new errors.InvalidTarget();
  const allowed = client[allowedScopes];
  const scopes = Array.isArray(allowed) ? all.filter((scope) => allowed.includes(scope)) : all;
  const unknown = [...ctx.oidc.requestParamScopes].filter((scope) => scope.includes(':') && !scopes.includes(scope));
  if (unknown.length > 0) throw new errors.InvalidScope('a requested scope cannot be granted', unknown.join(' '));
  return scopes;
}

/**
 * A token without scopes is as wide as the roles behind it. So a client that asked for scopes and may have none of them
 * gets no token, and a client that is limited to some scopes gets these when it names none.
 */
function assertNarrow(ctx: KoaContextWithOIDC, clientId: string | undefined, jwt: { payload: object }): undefined {
  const payload = jwt.payload as { scope?: string };
  if (payload.scope) return undefined;
  const { client, entities, params } = ctx.oidc;
  const source = entities.RefreshToken ?? entities.AuthorizationCode ?? entities.DeviceCode;
  const asked = `${params?.['scope'] ?? ''} ${source?.scope ?? ''}`;
  if (asked.includes(':')) throw new errors.InvalidScope('none of the requested scopes can be granted', asked.trim());
  const allowed = client && client.clientId === clientId ? client[allowedScopes] : undefined;
  if (Array.isArray(allowed)) payload.scope = allowed.join(' ');
  return undefined;
}

/**
 * Nobody is asked whether the console may act for them: it is the product, and a browser has one sign-in to it. Everyone
 * else is asked each time anew, and what was granted before is not looked at: each terminal can be ended by itself.
 */
async function loadExistingGrant(ctx: KoaContextWithOIDC, watch: Watch) {
  const { client, session, provider, account, params } = ctx.oidc;
  if (!client || !session || !account) return undefined;
  const isConsole = client.clientId === consoleClientId;
  const grantId = isConsole ? session.grantIdFor(client.clientId) : ctx.oidc.result?.consent?.grantId;
  const known = grantId ? await provider.Grant.find(grantId) : undefined;
  if (!isConsole) return known;
  // A person who must sign in again uses the factors they have; the policy checks the result next.
  if (known && (await watch.mustSignInAgain(ctx))) return known;
  // A grant that was revoked names a session that stays refused: the next sign-in is another one.
  const isUsable = known !== undefined && !(await watch.isRevoked(account.accountId, grantId));
  const grant = isUsable ? known : new provider.Grant({ accountId: account.accountId, clientId: client.clientId });
  const scope = typeof params?.['scope'] === 'string' ? params['scope'] : '';
  grant.addOIDCScope(scope);
  for (const resource of Object.keys(ctx.oidc.resourceServers ?? {})) grant.addResourceScope(resource, scope);
  await grant.save();
  return grant;
}

const nameOf = (client: { clientName?: string | undefined; clientId: string }): string =>
  client.clientName ?? client.clientId;

const stateOf = (ctx: KoaContextWithOIDC) =>
  (ctx.oidc.session?.state ?? {}) as { secret?: string; postLogoutRedirectUri?: string };
/**
 * Whether the id token that came with a sign-out is of the person who is signed in here. Only a program that they signed in
 * to has it, so a link on a foreign page cannot sign anybody out.
 */
function isMeantSignOut(ctx: KoaContextWithOIDC): boolean {
  const hint = ctx.oidc.entities.IdTokenHint as { readonly payload?: { readonly sub?: unknown } } | undefined;
  const person = ctx.oidc.session?.accountId;
  return person !== undefined && hint?.payload?.sub === person;
}
const formOf = (ctx: KoaContextWithOIDC) => ({
  action: ctx.oidc.urlFor('code_verification'),
  xsrf: stateOf(ctx).secret ?? '',
});
/** A code that came in the address is filled in, and still has to be confirmed by hand. */
const codeIn = (ctx: KoaContextWithOIDC): string => {
  const { originalUrl } = ctx.req as { originalUrl?: string };
  return new URL(originalUrl ?? '/', 'http://here').searchParams.get('user_code')?.slice(0, 32) ?? '';
};

/**
 * A form that came without a session gets a new one from the library, which then fails to store it and answers 500. Such a
 * browser is sent to the page that begins one.
 */
function beginAgain(ctx: KoaContextWithOIDC): boolean {
  const session = ctx.oidc.session as { exp?: number; touched?: boolean } | undefined;
  if (session?.exp !== undefined) return false;
  if (session) session.touched = false;
  ctx.status = 303;
  ctx.redirect(ctx.oidc.urlFor('code_verification'));
  return true;
}

function deviceProblem(error: string): string {
  switch (error) {
    case 'NoCodeError':
      return 'Enter the code that your device shows.';
    case 'NotFoundError':
      return 'That is not a code we know. Compare it with the one on your device.';
    case 'ExpiredError':
      return 'That code has expired. Start again on your device to get a new one.';
    case 'AlreadyUsedError':
      return 'That code was used already. Start again on your device to get a new one.';
    case 'AbortedError':
      return 'The request was refused. Nothing was signed in.';
    default:
      return 'That did not work. Start again on your device.';
  }
}

/** Shows a page, or sends the browser to where it is shown if it came with a form. */
const makeTell =
  ({ pages, afterForm }: Pick<ProviderParts, 'pages' | 'afterForm'>) =>
  (ctx: KoaContextWithOIDC, answer: FormAnswer): void => {
    const next = afterForm(ctx.req)?.(answer, ctx.status);
    if (!next) {
      show(ctx, pageOf(pages, answer));
      return;
    }
    ctx.status = 303;
    ctx.set('cache-control', 'no-store');
    ctx.append('set-cookie', next.cookie);
    ctx.redirect(next.location);
  };
function show(ctx: Pick<KoaContextWithOIDC, 'set' | 'type' | 'body'>, page: Page): void {
  ctx.type = 'html';
  for (const [name, value] of Object.entries(page.headers)) ctx.set(name, value);
  ctx.body = page.html;
}

/**
 * Three times the library sends a page that submits itself by a script. Ours run no scripts, so such a page is taken
 * apart and shown as one button. The tests walk all three ways, and would notice other markup.
 */
function readAutoForm(body: string): Parameters<IssuerPages['goOn']>[0] | undefined {
  if (!body.includes('document.forms[0].submit()')) return undefined;
  const action = /<form method="post" action="([^"]*)">/.exec(body)?.[1];
  if (action === undefined) throw new Error('the form of a page that submits itself was not found');
  const fields = [...body.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"\/>/g)];
  return {
    action: unescapeHtml(action),
    fields: fields.map(([, name = '', value = '']) => [name, unescapeHtml(value)] as const),
  };
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
};
const unescapeHtml = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt|quot|#39);/g, (entity) => entities[entity] ?? entity);
