import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Pool } from 'pg';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { RotationPolicy } from '../key-rotation.ts';
import type { SeeOther } from '../port.ts';
import { openSigningKeys } from '../signing-keys.ts';
import { makeProvider, type ProviderParts } from './provider.ts';

/** Processes notice a rotation with their next round; until then they sign with the key that was retired. */
const lateSigningMs = 10 * 60_000;

/** The protocol over the keys of the moment: each rotation replaces the provider. */
export async function openProtocol(
  about: Omit<ProviderParts, 'keys' | 'afterForm'>,
  parts: {
    readonly pool: Pool;
    readonly clock: Clock;
    readonly ids: Ids;
    readonly log: { warn(details: object, message: string): void } | undefined;
    readonly rotation: Partial<Pick<RotationPolicy, 'rotateEveryMs' | 'publishAheadMs'>>;
    /** Aborts at the end: nothing is answered any more. */
    readonly signal: AbortSignal;
  },
) {
  const afterForms = new WeakMap<IncomingMessage, SeeOther>();
  let provider: Provider | undefined;
  let respond: ReturnType<Provider['callback']> | undefined;
  const keys = await openSigningKeys({
    pool: parts.pool,
    seal: about.seal,
    clock: parts.clock,
    makeId: parts.ids.next,
    policy: {
      rotateEveryMs: 30 * 24 * 60 * 60_000,
      publishAheadMs: 60 * 60_000,
      keepRetiredMs: about.ttl.accessTokenMs + lateSigningMs,
      ...parts.rotation,
    },
    onChange(current) {
      provider = makeProvider({ ...about, keys: current, afterForm: (request) => afterForms.get(request) });
      respond = provider.callback();
      provider.on('server_error', (_, error) =>
        parts.log?.warn({ err: error }, 'the issuer could not answer a request'),
      );
    },
  });
  const open = (): Provider => {
    if (!provider || parts.signal.aborted) throw new Error('the identity provider is closed');
    return provider;
  };
  return {
    keys,
    provider: open,
    async handle(request: IncomingMessage, response: ServerResponse, afterForm?: SeeOther): Promise<void> {
      open();
      if (afterForm) afterForms.set(request, afterForm);
      await respond?.(request, response);
    },
  };
}
