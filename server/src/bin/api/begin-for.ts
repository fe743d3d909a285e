import type { AtBrowser } from '../../domains/identity/index.ts';
import { makeAct } from '../../kernel/act.ts';
import type { Ids } from '../../kernel/id.ts';

/** Begins the act of a person at a browser, outside the routes of the API: sign-in pages and the token endpoint. */
export const beginFor =
  (ids: Ids) =>
  (action: string, { personId, ...from }: AtBrowser) =>
    makeAct(
      {
        ...from,
        ...{ actorId: personId, actorKind: 'user', actorRole: 'none', reach: 'self' },
        ...{ organizationId: undefined, projectId: undefined, traceparent: undefined },
      },
      action,
      ids.next(),
    );
