import { type Host, HostFailure } from './port.ts';

/**
 * A machine that this build cannot work on. The agent on it enrols, reports and answers, and every order that would
 * change or inspect the machine is refused by name, so that nobody takes silence for success.
 */
export function makeUnpreparedHost(): Host {
  const refuse = async (): Promise<never> => {
    throw new HostFailure('not_supported', 'This build of the agent cannot work on this machine.');
  };
  const since = new Date().toISOString();
  return {
    kind: 'linux',
    topology: refuse,
    health: refuse,
    provisionSlice: refuse,
    releaseSlice: refuse,
    provisionUser: refuse,
    revokeUser: refuse,
    installKeys: refuse,
    attest: refuse,
    restart: refuse,
    reimage: refuse,
    endRuntime: refuse,
    openShell: refuse,
    runtimes: async () => [],
    utilization: async () => undefined,
    conditions: async () => [
      {
        type: 'HostSupported',
        status: 'False',
        reason: 'NotInThisBuild',
        message: 'This build of the agent cannot work on this machine.',
        since,
      },
    ],
    close: async () => undefined,
  };
}
