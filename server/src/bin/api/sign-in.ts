import type { SignIn } from '@gpuaas/contract';
import { type Static, Type } from 'typebox';
import { type KeySource, keysFrom } from '../../edge/http/admission/authentication.ts';
import type { LayOut } from '../../edge/oidc/layout.ts';
import { makeIssuerPages } from '../../edge/oidc/pages.ts';
import { ConfigFault, Secret } from '../../kernel/process/config.ts';
import type { Common } from '../../kernel/process/process.ts';
import { lostKeys } from '../../kernel/secrets/sealed-values.ts';
import { type Adapted, reportAdapter } from '../../ports/adapter.ts';
import { openIdentityProvider } from '../../ports/identity-provider/open.ts';
import type { EmbeddedIssuer, IdentityProvider } from '../../ports/identity-provider/port.ts';
import type { FindRevocations } from '../../ports/identity-provider/revoked-sign-ins.ts';
import { countFactorTries } from './factors.ts';

/** Whose tokens count, and where people get them. */
export const signInConfig = Type.Object({
  oidcIssuer: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'The OpenID provider of this installation. Left out, the api is one itself, below /oidc.',
    }),
  ),
  oidcKeysUrl: Type.Optional(
    Type.String({
      pattern: '^https?://|^file://',
      description:
        'Where the public keys of that provider are, for one that cannot be asked. People then sign in elsewhere.',
    }),
  ),
  oidcAudience: Type.String({ default: 'gpuaas', description: 'What tokens must be meant for.' }),
  oidcConsoleClientId: Type.String({
    default: 'gpuaas-console',
    description: 'What the console is called at that provider.',
  }),
  oidcConsoleClientSecret: Type.Optional(
    Secret({ description: 'Its secret there. Without it nobody signs in to the console.' }),
  ),
  oidcEmailTrusted: Type.Boolean({
    default: false,
    description:
      'Whether that provider verifies every mail address although its ID tokens do not carry email_verified. Otherwise an address without that claim is not used.',
  }),
  oidcCliClientId: Type.String({
    default: 'gpuaas-cli',
    description: 'What the command line is called at that provider.',
  }),
  oidcSecondFactorAcr: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,200}$',
      description:
        'How that provider is asked for a sign-in with a second factor (acr_values), and how its tokens say that there was one (acr).',
    }),
  ),
  issuerUrl: Type.Optional(Secret({ description: 'PostgreSQL as gpuaas_issuer, where our own provider lives.' })),
});

export interface OpenSignIn {
  readonly issuer: string;
  readonly keys: KeySource;
  /** Undefined where only the keys of the issuer are known. */
  readonly provider: IdentityProvider | undefined;
  readonly embedded: EmbeddedIssuer | undefined;
  readonly describe: (() => Promise<SignIn>) | undefined;
  /** How the console is known to the provider; undefined when it is not. */
  readonly consoleClient: { readonly id: string; readonly secret: string; readonly trustsEmail: boolean } | undefined;
}

const scope = 'openid profile email offline_access';

export async function openSignIn(
  config: Static<typeof signInConfig> & { readonly secretsKey?: string; readonly secretsKeysLost?: string },
  publicUrl: string,
  parts: Pick<Common<unknown>, 'clock' | 'ids' | 'log' | 'metrics' | 'scope'> & {
    readonly layOut: LayOut;
    /** What the installation is called. */
    readonly name: string;
    readonly revocations: FindRevocations;
  },
): Promise<OpenSignIn> {
  const { clock, ids, log } = parts;
  if (config.oidcIssuer && config.oidcKeysUrl) {
    reportAdapter(parts.metrics, 'identity-provider', { adapter: { name: 'keys', kind: 'production' } });
    return {
      issuer: config.oidcIssuer,
      keys: await keysFrom(new URL(config.oidcKeysUrl)),
      provider: undefined,
      embedded: undefined,
      describe: undefined,
      consoleClient: undefined,
    };
  }
  const keep = <P extends IdentityProvider & Adapted>(provider: P): P => {
    reportAdapter(parts.metrics, 'identity-provider', provider);
    parts.scope.ready('identity-provider', () => provider.check());
    return parts.scope.keep('identity-provider', provider);
  };
  if (config.oidcIssuer) {
    const provider = keep(
      await openIdentityProvider(
        {
          kind: 'external',
          issuerUrl: config.oidcIssuer,
          audience: config.oidcAudience,
          secondFactorAcr: config.oidcSecondFactorAcr,
        },
        { clock, log },
      ),
    );
    const { oidcConsoleClientId: id, oidcConsoleClientSecret: secret } = config;
    if (!secret) log.warn({}, 'GPUAAS_OIDC_CONSOLE_CLIENT_SECRET is missing: nobody can sign in to the console');
    return {
      issuer: provider.issuer,
      keys: { kind: 'find', find: provider.keys },
      provider,
      embedded: undefined,
      describe: describing(provider, config.oidcCliClientId),
      consoleClient: secret ? { id, secret, trustsEmail: config.oidcEmailTrusted } : undefined,
    };
  }
  const { secretsKey, issuerUrl } = config;
  if (!secretsKey || !issuerUrl) throw new ConfigFault('api', missing(secretsKey, issuerUrl));
  const embedded = keep(
    await openIdentityProvider(
      {
        kind: 'embedded',
        url: issuerUrl,
        publicUrl,
        name: parts.name,
        audience: config.oidcAudience,
        sealingKey: { text: secretsKey },
        lostKeys: lostKeys(config.secretsKeysLost),
        console: { redirectUris: [`${publicUrl}/auth/callback`], postLogoutRedirectUris: [`${publicUrl}/`] },
      },
      {
        ...{ clock, ids, log, pages: makeIssuerPages(parts.layOut), revocations: parts.revocations },
        onFactorTry: countFactorTries(parts.metrics),
      },
    ),
  );
  return {
    issuer: embedded.issuer,
    keys: { kind: 'find', find: embedded.keys },
    provider: embedded,
    embedded,
    describe: describing(embedded, 'gpuaas-cli'),
    // People of our own provider have the address that an operator or a letter gave them.
    consoleClient: { id: 'gpuaas-console', secret: embedded.consoleSecret, trustsEmail: true },
  };
}

const missing = (secretsKey: string | undefined, issuerUrl: string | undefined): string[] => [
  ...(secretsKey
    ? []
    : [
        'GPUAAS_SECRETS_KEY is missing: 32 bytes in base64 that seal what our own OpenID provider keeps. Or name another provider in GPUAAS_OIDC_ISSUER.',
      ]),
  ...(issuerUrl
    ? []
    : [
        'GPUAAS_ISSUER_URL is missing: our own OpenID provider keeps its tables there. Or name another provider in GPUAAS_OIDC_ISSUER.',
      ]),
];

const describing = (provider: IdentityProvider, clientId: string) => async (): Promise<SignIn> => {
  const { authorize, token, device, revocation } = await provider.endpoints();
  return {
    issuer: provider.issuer,
    client_id: clientId,
    scope,
    authorization_endpoint: authorize,
    token_endpoint: token,
    device_authorization_endpoint: device ?? null,
    revocation_endpoint: revocation ?? null,
    second_factor_acr: provider.secondFactorAcr ?? null,
  };
};
