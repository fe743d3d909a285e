import {
  type TerminalInternalInput,
  type TerminalInternalOutput,
  type TerminalInternalRoute,
  terminalInternalRoutes,
  terminalLimits,
} from '@gpuaas/contract/terminal';
import type { TSchema } from 'typebox';
import type { Clock } from '../../kernel/clock.ts';
import type { InternalAnswer, InternalClient } from '../internal/client.ts';
import { nowMs } from './later.ts';
import type { GatewayMetrics } from './metrics.ts';

/** The questions of a gateway. The api decides; a gateway knows nothing by itself. */
export interface TerminalApi {
  ask<R extends TerminalInternalRoute>(
    question: R,
    body: TerminalInternalInput<R>,
    signal?: AbortSignal,
  ): Promise<InternalAnswer<TerminalInternalOutput<R>>>;
}

/** The same client for whichever route; the types of question and answer are those of the map of routes. */
type AnyAsk = (
  route: { readonly path: string; readonly carries: TSchema; readonly answers: TSchema },
  body: object,
  options: { readonly withinMs: number; readonly signal?: AbortSignal },
) => Promise<InternalAnswer<unknown>>;

const answerWithinMs = 10_000;

export function makeTerminalApi(parts: {
  readonly client: Pick<InternalClient, 'ask'>;
  readonly metrics: GatewayMetrics;
  readonly clock: Clock;
}): TerminalApi {
  const ask = parts.client.ask as AnyAsk;
  return {
    async ask(question, body, signal) {
      const waitsMs = 'wait_seconds' in body ? terminalLimits.waitSeconds * 1_000 : 0;
      const beganMs = nowMs(parts.clock);
      const count = (isOk: boolean) =>
        parts.metrics.apiAnswered((nowMs(parts.clock) - beganMs) / 1_000, question, isOk || signal?.aborted === true);
      try {
        const within = { withinMs: answerWithinMs + waitsMs, ...(signal && { signal }) };
        const answer = await ask(terminalInternalRoutes[question], body, within);
        count(true);
        return answer as InternalAnswer<TerminalInternalOutput<typeof question>>;
      } catch (error) {
        count(false);
        throw error;
      }
    },
  };
}
