import { sshAlias, sshPort, type TerminalInternalInput, type TerminalInternalOutput } from '@gpuaas/contract/terminal';
import { type ReadTx, systemViewer } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type AttachParts, askForShell } from '../attach.ts';
import { jumpSize } from '../facts.ts';
import { openSession, whyNot } from '../mint-routes.ts';
import { findTarget } from '../rights-store.ts';
import { factsOf } from '../show.ts';
import { isKnownKey, listCandidates } from './store.ts';

type Output<R extends 'jump_keys' | 'jump_admit' | 'jump_open'> = Promise<TerminalInternalOutput<R> | Fault>;
interface Call {
  readonly correlationId: string;
}

const id = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const aliasPrefix = sshAlias('');

/** What gateways ask as a jump host. A key or a certificate of a person is the sign-in here, so rights are looked up for each connection anew. */
export function makeJump(parts: AttachParts) {
  const { db } = parts;
  const refusals = parts.metrics.counter(
    'gpuaas_jump_refusals_total',
    'Connections through the jump host that the api refused, by code.',
    ['code'],
  );
  const refuse = <F extends Fault>(fault: F): F => {
    refusals.inc({ code: fault.code });
    return fault;
  };
  const absent = () => refuse(new Fault('terminal_unsupported', 'This installation runs no SSH jump host.'));

  async function open(input: TerminalInternalInput<'jump_open'>, call: Call): Output<'jump_open'> {
    if (!parts.jump) return absent();
    const found = await db.read(systemViewer('terminal', call), (tx) => find(tx, input));
    if (found instanceof Fault) return refuse(found);
    const { id: allocationId, organization_id: organizationId, project_id: projectId } = found;
    const act = parts.begin('terminal_session.jump', { ...call, organizationId, projectId });
    const written = await db.write(act, async (tx) => {
      // The rights of this moment, in the transaction that opens the session.
      const who = await find(tx, { ...input, target: allocationId });
      if (who instanceof Fault) return tx.abandon(refuse(who));
      const target = await findTarget(tx, allocationId);
      const refused = target ? whyNot(target, parts.gateway !== undefined) : unknown(input.target);
      if (refused || !target) return tx.abandon(refuse(refused ?? unknown(input.target)));
      const opener = { actorId: who.user_id, organizationId, projectId };
      const opening = {
        kind: 'ssh' as const,
        ...jumpSize,
        sshKeyId: who.ssh_key_id,
        sshCertificateId: who.ssh_certificate_id,
      };
      const row = await openSession(tx, parts, opener, target, opening);
      if (row instanceof Fault) return tx.abandon(refuse(row));
      const taskId = await askForShell(tx, parts, row, target, jumpSize, call.correlationId);
      const { address, copy_id } = input;
      return tx.commit<TerminalInternalOutput<'jump_open'>>(
        {
          ...{ attachment_id: parts.ids.next(), session: factsOf(row), role: 'writer', takes_over: false },
          ...{ minted_at: parts.clock.now().toISOString(), home: null },
        },
        {
          target: { type: 'terminal_session', id: row.id },
          about: who.user_id,
          change: {
            ...{ allocation_id: allocationId, user_id: who.user_id, ssh_key_id: who.ssh_key_id, kind: row.kind },
            ssh_certificate_id: who.ssh_certificate_id,
            ...{ copy_id, task_id: taskId, address },
          },
          events: 'none',
        },
      );
    });
    return written instanceof Fault ? written : written.value;
  }

  return {
    async jump_keys(): Output<'jump_keys'> {
      if (!parts.jump || !parts.platformKeys) return absent();
      return { private_key: (await parts.platformKeys.current('jump_host')).privateKey };
    },
    async jump_admit(input: TerminalInternalInput<'jump_admit'>, call: Call): Output<'jump_admit'> {
      return { known: await db.read(systemViewer('terminal', call), (tx) => isKnownKey(tx, input.fingerprint)) };
    },
    jump_open: open,
  };
}

const unknown = (target: string) =>
  new Fault('allocation_not_found', `No running allocation that you may enter is called ${target}.`);

/** The one allocation that is meant, and the person of the key who may enter it. */
async function find(tx: ReadTx, input: Pick<TerminalInternalInput<'jump_open'>, 'fingerprint' | 'target' | 'port'>) {
  const { fingerprint, port } = input;
  const target = input.target.toLowerCase();
  if (port !== sshPort) {
    return new Fault(
      'terminal_port_refused',
      `The jump host reaches port ${sshPort} alone. For another port add -L to the connection to the machine.`,
      { port, lowest: sshPort, highest: sshPort },
    );
  }
  const named = target.startsWith(aliasPrefix) ? target.slice(aliasPrefix.length) : target;
  const rows = await listCandidates(tx, { fingerprint, id: id.test(named) ? named : undefined, name: target });
  const [first] = rows;
  if (!first) return unknown(target);
  if (rows.some((row) => row.id !== first.id)) {
    return new Fault('validation_error', `Several allocations are called ${target}: use the id.`, { field: 'target' });
  }
  return first;
}
