import { defineInternalRoute, nodeLogsStore } from '@gpuaas/contract/internal';
import { terminalInternalRoutes } from '@gpuaas/contract/terminal';
import { Type } from 'typebox';
import type { StoreLogs } from '../../domains/logs/index.ts';
import type { TerminalInternal } from '../../domains/terminal/index.ts';
import { type InternalHandler, internalHandler } from '../../edge/internal/handlers.ts';
import { makeIdentityHandlers } from '../../edge/internal/identity.ts';
import { type InternalListener, openInternalListener } from '../../edge/internal/listener.ts';
import type { Common } from '../../kernel/process/process.ts';
import type { Certificates } from '../../ports/certificates/port.ts';

export const internalConfig = Type.Object({
  internalHost: Type.String({ default: '127.0.0.1', description: 'The address that our own processes call.' }),
  internalPort: Type.Optional(
    Type.Integer({
      ...{ minimum: 0, maximum: 65_535 },
      description:
        'The port that our own processes call, with certificates on both sides, e.g. 8447; 0 takes a free one. Without it no gateway can call.',
    }),
  ),
  internalNames: Type.String({
    default: '127.0.0.1,localhost',
    description: 'What our own processes call the api: names and addresses for its certificate, with commas between.',
  }),
});

/** The handlers of the routes that terminal gateways call. */
const terminalHandlers = (terminal: TerminalInternal): readonly InternalHandler[] => {
  const { attach, arrive, record, home, watch, ended, ...jump } = terminalInternalRoutes;
  const gateway = { callers: ['terminal-gateway'] } as const;
  return [
    internalHandler(defineInternalRoute({ ...attach, ...gateway }), terminal.attach),
    internalHandler(defineInternalRoute({ ...arrive, ...gateway }), terminal.arrive),
    internalHandler(defineInternalRoute({ ...record, ...gateway }), terminal.record),
    internalHandler(defineInternalRoute({ ...home, ...gateway }), terminal.home),
    internalHandler(defineInternalRoute({ ...watch, ...gateway }), terminal.watch),
    internalHandler(defineInternalRoute({ ...ended, ...gateway }), terminal.ended),
    internalHandler(defineInternalRoute({ ...jump.jump_keys, ...gateway }), terminal.jump_keys),
    internalHandler(defineInternalRoute({ ...jump.jump_admit, ...gateway }), terminal.jump_admit),
    internalHandler(defineInternalRoute({ ...jump.jump_open, ...gateway }), terminal.jump_open),
  ];
};

/** Opens the listener for our own processes. */
export async function openInternalDoor(
  parts: Omit<Common<unknown>, 'config'>,
  settings: {
    readonly host: string;
    readonly port: number;
    readonly names: readonly string[];
    readonly certificates: Certificates;
    readonly terminal: TerminalInternal;
    readonly storeLogs: StoreLogs;
    readonly appIngress: readonly InternalHandler[];
  },
): Promise<InternalListener> {
  const { host, port, names, certificates } = settings;
  return parts.scope.keep(
    'internal-listener',
    await openInternalListener({
      ...{ ...parts, host, port, names, certificates },
      handlers: [
        ...makeIdentityHandlers({ certificates }),
        ...terminalHandlers(settings.terminal),
        internalHandler(nodeLogsStore, settings.storeLogs),
        ...settings.appIngress,
      ],
    }),
  );
}
