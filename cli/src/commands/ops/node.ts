import type { NodeEnrolmentOffer } from '@gpuaas/sdk';
import type { CommandSpec, Run, Session } from '../../command.ts';
import { exitCodes } from '../../failure.ts';
import { readInput } from '../../input/read-input.ts';
import { resolveNode } from '../../resolve.ts';
import { formatOf, showOne } from '../../show/output.ts';
import { plain } from '../../show/value.ts';

/** The output is the enrolment command; its token works once. */
function showOffer(session: Session, offer: NodeEnrolmentOffer): void {
  if (formatOf(session) !== 'table') {
    showOne(session, offer, []);
    return;
  }
  session.around.stdout.write(`${session.is('cloud-init') ? offer.cloud_init : offer.install_command}\n`);
  const { agent_package: found } = offer;
  session.say(`Run it on ${plain(offer.node.name)} until ${offer.expires_at}; it works once.`);
  if (found) session.say(`It installs agent ${found.version} (${found.architectures.join(', ')}).`);
  else if (offer.purpose === 'enrol') {
    session.say('It installs no agent: none was uploaded. gpuaas ops release add uploads a package.');
  }
}

export const create =
  (command: CommandSpec): Run =>
  async (session) => {
    const { adminNodes } = await session.api();
    const { cloud_init: _shown, ...input } = await readInput(command, 'node_create', session);
    showOffer(session, await adminNodes.create(input as Parameters<typeof adminNodes.create>[0]));
    return exitCodes.ok;
  };

export const enrol: Run = async (session) => {
  const api = await session.api();
  const purpose = session.is('recover') ? ('recover' as const) : ('enrol' as const);
  showOffer(session, await api.adminNodes.enrolmentToken({ node_id: await resolveNode(session), purpose }));
  return exitCodes.ok;
};
