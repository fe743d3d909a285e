import { systemIds } from '../../kernel/id.ts';
import { asSystem, type Reply, type Tenant, type World } from '../../testing/world.ts';
import { putAllocation } from '../allocations/testing.ts';

export const copyOne = { copy_id: 'copy-one-1', peer_url: 'wss://10.0.0.1:8446' };
export const copyTwo = { copy_id: 'copy-two-2', peer_url: 'wss://10.0.0.2:8446' };
const call = { correlationId: 'a test' };

/** What tests of terminals do: machines of people, tokens, gateways that ask, nodes that arrive. */
export interface TerminalScene {
  machineOf(subject: string, state?: 'provisioning' | 'active'): Promise<string>;
  nodeOf(allocationId: string): Promise<string>;
  idOf(subject: string): Promise<string>;
  mint(as: string, allocationId: string, wish?: object, key?: string): Promise<Reply>;
  attach(token: string, allocationId: string): Promise<unknown>;
  /** Mints, attaches, and brings the shell of the node: an open session. */
  open(as: string, allocationId: string): Promise<string>;
  arrive(sessionId: string, allocationId: string, copy?: typeof copyOne): Promise<unknown>;
  certificateOf(nodeId: string): Promise<string>;
  removeMember(subject: string): Promise<void>;
  action(as: string, allocationId: string): Promise<unknown>;
  sessions(as: string, allocationId: string): Promise<Reply>;
  end(as: string, sessionId: string): Promise<Reply>;
}

export function openTerminalScene(world: World, home: Tenant): TerminalScene {
  const one = async (text: string, values: unknown[]) => (await world.root.query(text, values)).rows[0];
  const idOf = async (subject: string): Promise<string> =>
    (await one('select id from users where oidc_subject = $1', [subject])).id;
  const nodeOf = async (id: string): Promise<string> =>
    (await one('select node_id from allocations where id = $1', [id])).node_id;
  const write = (method: string, path: string, as: string, body?: object, key: string = systemIds.next()) =>
    world.call(method, path, { as, key, ...(body && { body }) });
  const scene: TerminalScene = {
    idOf,
    nodeOf,
    async machineOf(subject, state = 'active') {
      const id = await putAllocation(world.root, home, state);
      await asSystem(world.root, 'update allocations set requested_by = $2, version = version + 1 where id = $1', [
        id,
        await idOf(subject),
      ]);
      return id;
    },
    mint: (as, allocationId, wish = {}, key) =>
      write(
        'POST',
        `/api/v1/allocations/${allocationId}/terminal-token`,
        as,
        { mode: 'open', columns: 80, rows: 24, ...wish },
        key,
      ),
    attach: (token, allocationId) =>
      world.terminal.attach({ token, allocation_id: allocationId, address: '192.0.2.9', ...copyOne }, call),
    async open(as, allocationId) {
      const minted = await scene.mint(as, allocationId);
      if (minted.status !== 201) throw new Error(`no token: ${minted.text}`);
      const { token, session_id: sessionId } = minted.body;
      await scene.attach(token, allocationId);
      await scene.arrive(sessionId, allocationId);
      return sessionId;
    },
    async arrive(sessionId, allocationId, copy = copyOne) {
      const nodeId = await nodeOf(allocationId);
      const serial = await scene.certificateOf(nodeId);
      return world.terminal.arrive(
        { session_id: sessionId, node_id: nodeId, certificate_serial: serial, ...copy, from: 0, to: 0 },
        call,
      );
    },
    async certificateOf(nodeId) {
      const serial = nodeId.replaceAll('-', '');
      await asSystem(
        world.root,
        `insert into node_certificates (serial, node_id, not_before, not_after)
         values ($1, $2, now(), now() + interval '1 day') on conflict do nothing`,
        [serial, nodeId],
      );
      return serial;
    },
    async removeMember(subject) {
      const path = `/api/v1/organizations/${home.organizationId}/members/${await idOf(subject)}`;
      const removed = await write('DELETE', path, home.token);
      if (removed.status !== 200) throw new Error(removed.text);
    },
    async action(as, allocationId) {
      const { body } = await world.call('GET', `/api/v1/allocations/${allocationId}`, { as });
      return body.actions.find(({ action }: { action: string }) => action === 'open_terminal');
    },
    sessions: (as, allocationId) => world.call('GET', `/api/v1/allocations/${allocationId}/terminal-sessions`, { as }),
    end: (as, sessionId) => write('DELETE', `/api/v1/terminal-sessions/${sessionId}`, as),
  };
  return scene;
}
