import { Type } from 'typebox';

const strict = { additionalProperties: false } as const;

/** The name of the user at the jump host. It means nothing: the key says who it is. */
export const jumpUsername = 'jump';
/** The port of a machine that its sshd listens on, as an SSH client names it. Machines are reached by no other port. */
export const sshPort = 22;
/** The name under which the host keys of an allocation are kept; the jump host takes it as a name of the allocation, too. */
export const sshAlias = (allocationId: string): string => `gpuaas-${allocationId}`;
/** The line of a key in a known_hosts file. */
export const knownHostsLine = (host: string, port: number, key: string): string =>
  `${port === sshPort ? host : `[${host}]:${port}`} ${key}`;

const Fingerprint = Type.String({ pattern: '^SHA256:[A-Za-z0-9+/]{43}$' });
const Address = Type.String({ maxLength: 64, description: 'Of the client, as the gateway sees it.' });

/** The key of the jump host, which all gateway copies show. */
export const TerminalJumpKeys = Type.Object(
  { private_key: Type.String({ description: 'In the format of OpenSSH.' }) },
  { $id: 'TerminalJumpKeys', ...strict },
);
export const TerminalJumpAdmission = Type.Object(
  { fingerprint: Fingerprint, address: Address },
  { $id: 'TerminalJumpAdmission', ...strict },
);
export const TerminalJumpAdmitted = Type.Object(
  { known: Type.Boolean({ description: 'A person who may sign in has this key.' }) },
  { $id: 'TerminalJumpAdmitted', ...strict },
);
/** A client that has proven to hold this key wants to reach a machine. */
export const TerminalJump = Type.Object(
  {
    fingerprint: Fingerprint,
    address: Address,
    target: Type.String({ minLength: 1, maxLength: 255, description: 'The id or the name of an allocation.' }),
    port: Type.Integer({ minimum: 0, maximum: 4_294_967_295 }),
  },
  strict,
);
