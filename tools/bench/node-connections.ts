import { type NodeTask, nodeTransport } from '@gpuaas/contract/node';
import { enrolAgent, type TestAgent } from '../../server/src/testing/node-client.ts';

/** Many nodes in one process, with as little behind each as a node can have: a certificate, a key and a connection. */
export type ConnectionsOrder =
  | {
      readonly kind: 'connect';
      readonly port: number;
      readonly roots: string;
      readonly tokens: readonly string[];
    }
  | { readonly kind: 'collect' };
export interface Collected {
  readonly connected: number;
  readonly failures: number;
  readonly firstFailure: string | undefined;
  /** When each task came, by the clock of the machine, in milliseconds. */
  readonly arrivals: readonly (readonly [taskId: string, atMs: number])[];
}

const atOnce = 8;
const heartbeatMs = 15_000;

export function makeConnections(): (order: ConnectionsOrder) => Promise<Collected> {
  const agents: TestAgent[] = [];
  let arrivals: [string, number][] = [];
  let [failures, firstFailure]: [number, string | undefined] = [0, undefined];
  const fail = (error: unknown) => {
    failures += 1;
    firstFailure ??= String(error);
  };
  const nowMs = () => performance.timeOrigin + performance.now();

  const obey = async (agent: TestAgent) => {
    for (;;) {
      const reply = await agent.wait();
      if (reply.status === 204) continue;
      if (reply.status !== 200) throw new Error(`${nodeTransport.wait.path} answered ${reply.status}`);
      const task = reply.body as NodeTask;
      arrivals.push([task.task_id, nowMs()]);
      const end =
        task.task_type === 'diag.health_probe'
          ? { output: { checks: {}, healthy: true } }
          : { outcome: 'failed' as const, failure: { code: 'not_supported', message: 'There is no host here.' } };
      agent.post(task, agent.result(task, end)).catch(fail);
    }
  };
  const report = async (agent: TestAgent) => {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, heartbeatMs));
      await agent.heartbeat();
    }
  };
  const connect = async (port: number, roots: string, tokens: readonly string[]) => {
    const left = [...tokens];
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (let token = left.shift(); token !== undefined; token = left.shift()) {
          const { agent } = await enrolAgent({ port, roots }, token);
          await agent.heartbeat();
          agents.push(agent);
          obey(agent).catch(fail);
          report(agent).catch(fail);
        }
      }),
    );
  };
  return async (order) => {
    if (order.kind === 'connect') await connect(order.port, order.roots, order.tokens);
    const collected = { connected: agents.length, failures, firstFailure, arrivals };
    arrivals = [];
    return collected;
  };
}
