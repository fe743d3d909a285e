import type { FastifyInstance } from 'fastify';
import { type ConsoleSessions, makeConsoleTokens } from '../../domains/identity/index.ts';
import { makeJar } from '../../edge/console/cookie.ts';
import { makeIssuerClient, type PostForm } from '../../edge/console/issuer-client.ts';
import { makeBrowserAdmission, mountConsole } from '../../edge/console/mount.ts';
import { makeBrowserSessions, type Seal } from '../../edge/console/sessions.ts';
import { callerAddress } from '../../edge/gate/caller-address.ts';
import type { Gate } from '../../edge/gate/gate.ts';
import { type AdmissionParts, shownBy } from '../../edge/http/admission/admission.ts';
import type { LayOut } from '../../edge/oidc/layout.ts';
import { isRevocation } from '../../kernel/access/revocation.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Common } from '../../kernel/process/process.ts';
import type { DatabasePort } from '../../ports/database/port.ts';
import type { IdentityProvider } from '../../ports/identity-provider/port.ts';
import { product, release } from '../release.ts';

/** How the console is known to the identity provider. */
export interface ConsoleSettings {
  readonly client: { readonly id: string; readonly secret: string; readonly trustsEmail: boolean };
  readonly provider: IdentityProvider;
  readonly seal: Seal;
  /** Whether the provider answers on the very server that the console is on. */
  readonly isHere: boolean;
  readonly layOut: LayOut;
}

/** Puts the console's sign-in together. `admit` goes into the mount; `mount` adds the paths once there is a server. */
export function makeConsole(
  parts: Pick<Common<unknown>, 'clock' | 'ids' | 'log'> &
    Pick<DatabasePort, 'unaudited'> &
    Pick<AdmissionParts, 'authenticate' | 'recognise' | 'denyList' | 'seen'> & {
      readonly sessions: ConsoleSessions;
      readonly publicUrl: string;
      readonly gate: Gate;
    },
  settings: ConsoleSettings,
) {
  const { clock, ids, log, publicUrl, sessions } = parts;
  const { provider, seal } = settings;
  const jar = makeJar(publicUrl);
  let server: FastifyInstance | undefined;
  // A provider of our own is asked without leaving the process: its public address may not even lead here from here.
  const postHere: PostForm = async (url, form, authorization) => {
    const { pathname } = new URL(url);
    // The request comes from ourselves, so it counts against no caller's address.
    parts.gate.vouch(authorization);
    const reply = await server?.inject({
      method: 'POST',
      url: pathname,
      headers: { authorization, accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
      payload: form.toString(),
    });
    return { status: reply?.statusCode ?? 503, text: reply?.payload ?? '' };
  };
  const client = makeIssuerClient({
    ...settings.client,
    issuer: provider.issuer,
    keys: provider.keys,
    endpoints: () => provider.endpoints(),
    clock,
    ...(settings.isHere && { post: postHere }),
  });
  const browsers = makeBrowserSessions({
    sessions,
    tokens: makeConsoleTokens(parts.unaudited),
    client,
    seal,
    clock,
    ids,
    log,
  });
  return {
    admit: makeBrowserAdmission({ publicUrl, jar, browsers }),
    sessionOf: jar.session.read,
    async mount(app: FastifyInstance) {
      server = app;
      return mountConsole(app, {
        product,
        version: release,
        publicUrl,
        issuer: provider.issuer,
        secondFactorAcr: provider.secondFactorAcr,
        jar,
        seal,
        layOut: settings.layOut,
        client,
        browsers,
        sessions,
        clock,
        ids,
        log,
        async identify(accessToken, from) {
          const address = from.address ?? '';
          const identity = await parts.authenticate(`Bearer ${accessToken}`, callerAddress(address));
          if (identity instanceof Fault) return identity;
          const person = await parts.recognise(identity, from.correlationId);
          if (person instanceof Fault) return isRevocation(person) ? 'revoked' : person;
          if (parts.denyList.denies(shownBy(person.id, identity))) return 'revoked';
          parts.seen({ person, identity }, { address, userAgent: from.userAgent });
          return { identity, personId: person.id };
        },
      });
    },
  };
}
