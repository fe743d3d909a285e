import { SimulatedNode } from '@gpuaas/contract';
import { Type } from 'typebox';
import { Check } from 'typebox/value';
import type { SimulatedFleet } from '../../domains/simulator/index.ts';
import { Outage } from '../../kernel/fault.ts';

/** The desk is on this machine: a longer wait means that it is broken. */
const deskTimeoutMs = 10_000;
const Picture = Type.Object({ speed: Type.Number(), nodes: Type.Array(SimulatedNode) });
const Answer = Type.Object({ node: Type.Union([SimulatedNode, Type.Null()]) });

/**
 * A fleet that lives in another process of the same machine, or in this one: the api cannot tell. The address carries a
 * secret, so that nobody else on the machine can give orders.
 */
export function connectFleet(address: string): SimulatedFleet {
  const call = async (body?: object): Promise<unknown> => {
    try {
      const response = await fetch(address, {
        ...(body && { method: 'POST', body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(deskTimeoutMs),
      });
      if (!response.ok) throw new Error(`it answered ${response.status}`);
      return await response.json();
    } catch (error) {
      throw new Outage('The simulated fleet does not answer.', { cause: error });
    }
  };
  return {
    async look() {
      const answer = await call();
      if (!Check(Picture, answer)) throw new Error('The simulated fleet answers in another way than it should.');
      return answer;
    },
    async order(order) {
      const answer = await call(order);
      if (!Check(Answer, answer)) throw new Error('The simulated fleet answers in another way than it should.');
      return answer.node ?? undefined;
    },
    async setSpeed(speed) {
      await call({ kind: 'set_speed', speed });
    },
  };
}
