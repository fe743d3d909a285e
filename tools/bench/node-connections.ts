import { createPrivateKey } from 'node:crypto';
import { type NodeTask, nodeTransport } from '@gpuaas/contract/node';
import { type Client, makeClient } from '../../agent/src/transport/client.ts';
import { agentOf, heartbeatOf, type TestAgent } from '../../server/src/testing/node-client.ts';

/**
 * Many nodes in one process, with as little behind each as a node can have: a certificate, a key, and the connection of a
 * real agent.
 */
export type ConnectionsOrder =
  | {
      readonly kind: 'connect';
      readonly port: number;
      readonly roots: string;
      readonly key: string;
      readonly resultKey: string;
      readonly hosts: readonly { readonly nodeId: string; readonly certificate: string }[];
    }
  | { readonly kind: 'collect' }
  /** Everybody hangs up in the same moment and comes back as agents do. Answered when all were heard again. */
  | { readonly kind: 'storm' };
export interface Collected {
  readonly connected: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
  /** When each task came, by the clock of the machine, in milliseconds. */
  readonly arrivals: readonly (readonly [taskId: string, atMs: number])[];
}
interface Member {
  readonly agent: TestAgent;
  client: Client;
  /** While the line is broken on purpose, trouble is no failure. */
  isStormy: boolean;
}

/** Greetings cost both sides some milliseconds. */
const connectEveryMs = 10;
const heartbeatMs = 15_000;
const heartbeatLimitMs = 10_000;
const waitLimitMs = 90_000;
const resultLimitMs = 10_000;
/** As an agent that lost its line: soon, and not all in the same moment. */
const comeBackMs = 5_000;

export function makeConnections(): (order: ConnectionsOrder) => Promise<Collected> {
  const members: Member[] = [];
  let arrivals: [string, number][] = [];
  let [failures, firstFailure]: [number, string | undefined] = [0, undefined];
  let connectAs: (agent: TestAgent) => Client;
  const fail = (error: unknown) => {
    failures += 1;
    firstFailure ??= String(error);
  };
  const nowMs = () => performance.timeOrigin + performance.now();
  const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  const say = async (member: Member, path: string, body: object, limitMs: number) => {
    const { status } = await member.client.call({ method: 'POST', path: member.agent.path(path), body, limitMs });
    if (status >= 300) throw new Error(`${path} answered ${status}`);
  };
  const beat = (member: Member) => say(member, 'heartbeat', heartbeatOf(), heartbeatLimitMs);
  const comeBack = async (member: Member, error: unknown) => {
    if (!member.isStormy) fail(error);
    await sleep(spread(comeBackMs));
  };
  const obey = async (member: Member) => {
    const { agent } = member;
    for (;;) {
      try {
        const order = { method: 'GET', path: agent.path('tasks/wait'), limitMs: waitLimitMs } as const;
        const { status, body } = await member.client.call(order);
        if (status === 204) continue;
        if (status !== 200) throw new Error(`${nodeTransport.wait.path} answered ${status}`);
        const task = body as NodeTask;
        arrivals.push([task.task_id, nowMs()]);
        const result = agent.result(task, { output: { checks: {}, healthy: true } });
        say(member, `tasks/${task.task_id}/result`, result, resultLimitMs).catch(fail);
      } catch (error) {
        await comeBack(member, error);
      }
    }
  };
  const report = async (member: Member) => {
    await sleep(spread(heartbeatMs));
    for (;;) {
      await beat(member).catch((error: unknown) => comeBack(member, error));
      await sleep(heartbeatMs);
    }
  };
  const connect = async ({ port, roots, key, resultKey, hosts }: Extract<ConnectionsOrder, { kind: 'connect' }>) => {
    const url = new URL(`https://127.0.0.1:${port}`);
    connectAs = (identity) => makeClient({ url, trust: roots, peerId: undefined, identity });
    const signing = createPrivateKey(resultKey);
    await Promise.all(
      hosts.map(async (host, at) => {
        // Reports are written once a second; waiting for each in turn would connect one node a second.
        await sleep(at * connectEveryMs);
        const agent = agentOf({ port, roots }, { ...host, key }, signing);
        const member = { agent, client: connectAs(agent), isStormy: false };
        members.push(member);
        await beat(member).catch(fail);
        obey(member).catch(fail);
        report(member).catch(fail);
      }),
    );
  };
  const storm = async () => {
    for (const member of members) {
      member.isStormy = true;
      member.client.close();
      member.client = connectAs(member.agent);
    }
    await Promise.all(
      members.map(async (member) => {
        await sleep(spread(comeBackMs));
        while (!(await beat(member).then(...isHeard))) await sleep(spread(comeBackMs));
        member.isStormy = false;
      }),
    );
  };
  return async (order) => {
    if (order.kind === 'connect') await connect(order);
    if (order.kind === 'storm') await storm();
    const collected = { connected: members.length, failures, firstFailure, arrivals };
    arrivals = [];
    return collected;
  };
}

/** Evenly, and the same in every run. */
let turn = 0;
const spread = (ms: number): number => {
  turn += 7_919;
  return turn % ms;
};
const isHeard = [() => true, () => false] as const;
