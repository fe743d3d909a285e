import { type NodeSample, NodeTelemetryAnswer, nodeTransport } from '@gpuaas/contract/node';
import { Compile } from 'typebox/compile';
import { backoffMs, type Chance, jittered } from '../chance.ts';
import { type Clock, sleepWell } from '../clock.ts';
import type { Disk } from '../disk.ts';
import type { Host } from '../host/port.ts';
import { inTime } from '../in-time.ts';
import type { ServerTime } from '../server-time.ts';
import type { Client } from '../transport/client.ts';
import { openSampleJournal } from './journal.ts';
import type { Log } from './log.ts';
import { makeHeatWatch } from './thermal.ts';

/** Measures the host at an even pace, keeps what was measured, and hands it in until the control plane has it. */
export interface Telemetry {
  run(signal: AbortSignal): Promise<void>;
  /** GPUs that heat slows down, by their place. */
  readonly hot: readonly number[];
  readonly waiting: number;
  readonly lost: number;
}

const answers = Compile(NodeTelemetryAnswer);
const limitMs = 20_000;
const spread = 0.1;
const retry = { firstMs: 1_000, maxMs: 60_000 };
/** The samples are not as declared: sent again they would be refused again. */
const malformed = [400, 413, 422];

export async function openTelemetry(parts: {
  readonly nodeId: string;
  readonly host: Pick<Host, 'samples'>;
  readonly client: () => Client;
  readonly time: Pick<ServerTime, 'now'>;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly disk: Disk;
  readonly dir: string;
  readonly everyMs: number;
}): Promise<Telemetry> {
  const { host, clock, chance, log } = parts;
  const journal = await openSampleJournal(parts);
  const heat = makeHeatWatch();
  const path = nodeTransport.telemetry.path.replace('{id}', parts.nodeId);

  const measure = async (): Promise<void> => {
    const at = parts.time.now().toISOString();
    const samples = (await inTime(host.samples())).map((sample): NodeSample => ({ at, ...sample }));
    heat.see(samples.find(({ source }) => source === 'host'));
    if (samples.length > 0) await journal.append(samples);
  };
  const deliver = async (signal: AbortSignal): Promise<void> => {
    for (let batch = await journal.next(); batch && !signal.aborted; batch = await journal.next()) {
      const body = { samples: batch.items };
      const answer = await parts.client().call({ method: 'POST', path, body, limitMs, signal });
      if (malformed.includes(answer.status)) {
        log.error({ samples: batch.items.length, status: answer.status }, 'the control plane will not take samples');
      } else if (answer.status !== 200 || !answers.Check(answer.body)) {
        throw new Error(`telemetry got ${answer.status}`);
      }
      await batch.done();
    }
  };
  return {
    get hot() {
      return heat.hot;
    },
    get waiting() {
      return journal.waiting;
    },
    get lost() {
      return journal.lost;
    },
    async run(signal) {
      const measuring = async () => {
        while (!signal.aborted) {
          await measure().catch((error: unknown) => log.warn({ err: error }, 'the host could not be measured'));
          await sleepWell(clock, jittered(parts.everyMs, spread, chance), signal);
        }
      };
      const delivering = async () => {
        let failures = 0;
        while (!signal.aborted) {
          try {
            await deliver(signal);
            failures = 0;
          } catch (error) {
            if (signal.aborted) return;
            failures += 1;
            log.warn({ failures, err: error }, 'samples could not be handed in; they are kept');
          }
          await sleepWell(clock, failures > 0 ? backoffMs(retry, failures, chance) : parts.everyMs, signal);
        }
      };
      await Promise.all([measuring(), delivering()]);
    },
  };
}
