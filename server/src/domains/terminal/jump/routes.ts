import { jumpHostGet } from '@gpuaas/contract';
import { jumpUsername, knownHostsLine } from '@gpuaas/contract/terminal';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { TerminalParts } from '../parts.ts';

const on = handlers<Pick<TerminalParts, 'jump'>>();

const get = on(jumpHostGet, async ({ jump }) => {
  if (!jump) return new Fault('terminal_unsupported', 'This installation runs no SSH jump host.');
  const { host, port, key } = jump;
  return {
    ...{ host, port, username: jumpUsername, host_keys: [key.publicKey] },
    known_hosts: [knownHostsLine(host, port, key.publicKey)],
  };
});

export const jumpRoutes = (parts: Pick<TerminalParts, 'jump'>): Mounted[] => [get(parts)];
