import { jumpHostGet } from '@gpuaas/contract';
import { jumpUsername, knownHostsLine } from '@gpuaas/contract/terminal';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { TerminalParts } from '../parts.ts';

type Parts = Pick<TerminalParts, 'jump' | 'platformKeys'>;
const on = handlers<Parts>();

const get = on(jumpHostGet, async ({ jump, platformKeys }) => {
  if (!jump || !platformKeys) return new Fault('terminal_unsupported', 'This installation runs no SSH jump host.');
  const { host, port } = jump;
  const keys = await platformKeys.known('jump_host');
  return {
    ...{ host, port, username: jumpUsername, host_keys: keys },
    known_hosts: keys.map((key) => knownHostsLine(host, port, key)),
  };
});

export const jumpRoutes = (parts: Parts): Mounted[] => [get(parts)];
