import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type Interaction, type Provider } from 'oidc-provider';
import { secondFactorAcr } from '../factors/port.ts';
import type { Answer, Question } from '../port.ts';
import { asksForSecondFactor } from './provider.ts';

/** What the provider asks a person in the middle of a sign-in, and how it is answered. */
async function findInteraction(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Interaction | undefined> {
  try {
    return await provider.interactionDetails(request, response);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return undefined;
    throw error;
  }
}

export async function readQuestion(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Question | undefined> {
  const interaction = await findInteraction(provider, request, response);
  const kind = interaction?.prompt.name;
  if (!interaction || (kind !== 'login' && kind !== 'consent')) return undefined;
  const { params } = interaction;
  const text = (name: string) => (typeof params[name] === 'string' ? params[name] : undefined);
  const client = await provider.Client.find(text('client_id') ?? '');
  return {
    id: interaction.uid,
    kind,
    clientName: client?.clientName ?? client?.clientId ?? 'An unknown program',
    redirectUri: interaction.deviceCode ? undefined : text('redirect_uri'),
    loginHint: text('login_hint'),
    accountId: interaction.session?.accountId,
    scopes: (text('scope') ?? '').split(' ').filter((scope) => scope.includes(':')),
    wantsSecondFactor: asksForSecondFactor(params),
  };
}

export async function giveAnswer(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  if ('login' in answer) {
    const { login: accountId, methods, checkedAt } = answer;
    const login = {
      // Without a moment the library takes that of the last redirect, which a browser may put off for half an hour.
      ...{ accountId, remember: true, ts: Math.floor(checkedAt.getTime() / 1_000) },
      ...(methods.length > 0 ? { amr: ['pwd', ...methods, 'mfa'], acr: secondFactorAcr } : { amr: ['pwd'] }),
    };
    return provider.interactionFinished(request, response, { login }, { mergeWithLastSubmission: false });
  }
  if ('refuse' in answer) {
    const refusal = { error: 'access_denied', error_description: 'The person refused.' };
    return provider.interactionFinished(request, response, refusal, { mergeWithLastSubmission: false });
  }
  const { prompt, params, session } = await provider.interactionDetails(request, response);
  if (prompt.name !== 'consent' || !session?.accountId) throw new Error('this browser was not asked to consent');
  const grant = new provider.Grant({ accountId: session.accountId, clientId: String(params['client_id']) });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details as {
    missingOIDCScope?: string[];
    missingOIDCClaims?: string[];
    missingResourceScopes?: Record<string, string[]>;
  };
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(resource, scopes.join(' '));
  }
  const consent = { grantId: await grant.save() };
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}
