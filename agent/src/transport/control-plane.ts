import type { Identity, IdentityFiles } from '../identity/identity-files.ts';
import type { WholeSettings } from '../settings.ts';
import { type Client, makeClient } from './client.ts';

/** The control plane, as this node reaches it with the identity that it has now. */
export interface ControlPlane {
  readonly identity: Identity;
  readonly client: Client;
  /** Connects as another identity. Calls that are on their way end over the connection before. */
  become(next: Identity): Promise<void>;
}

export async function openControlPlane(parts: {
  readonly first: Identity;
  readonly files: IdentityFiles;
  readonly settings: Pick<WholeSettings, 'url' | 'peerId'>;
}): Promise<ControlPlane> {
  const { files, settings } = parts;
  const connect = async (as: Identity) => {
    const trust = await files.httpsTrust();
    if (trust === undefined) throw new Error('there is no HTTPS trust file; enrol again with a fingerprint');
    return makeClient({ url: settings.url, trust, peerId: settings.peerId, identity: as });
  };
  let identity = parts.first;
  let client = await connect(identity);
  return {
    get identity() {
      return identity;
    },
    get client() {
      return client;
    },
    async become(next) {
      const before = client;
      client = await connect(next);
      identity = next;
      before.retire();
    },
  };
}
