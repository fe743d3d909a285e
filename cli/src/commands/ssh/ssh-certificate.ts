import type { Run } from '../../command.ts';
import { exitCodes } from '../../failure.ts';
import { resolveAllocation } from '../../resolve.ts';
import { refreshCertificate } from '../../ssh/certificate.ts';

/** Gets a certificate for an allocation, if the one on disk does not work long enough, and says where it is. */
export const sshCertificate: Run = async (session) => {
  const { key, certificate } = await refreshCertificate(session, await resolveAllocation(session));
  session.around.stdout.write(`${key}\n${certificate}\n`);
  return exitCodes.ok;
};
