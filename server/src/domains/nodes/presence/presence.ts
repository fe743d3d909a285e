import { type BeginAct, type Database, type ReadTx, systemViewer } from '../../../kernel/act.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Ids } from '../../../kernel/id.ts';
import type { Reconciler } from '../../../kernel/process/reconciler.ts';
import type { Log } from '../../../kernel/telemetry/log.ts';
import { secondMs } from '../../../kernel/units.ts';
import { sweepBatch } from '../facts.ts';
import type { Newcomer } from '../sagas/onboard.ts';
import { Listening } from './listening.ts';
import { makeWelcome } from './newcomers.ts';
import { listChanged, listNewcomers, listUnheard, type Seen, type Unheard } from './presence-store.ts';
import { quarantineUnheard, settlePresence } from './settle.ts';

/** Said every few seconds by each process that hears nodes. */
export const pulseChannel = 'gpuaas_node_pulse';
/** Said when a node was heard for the first time, or again. */
export const newcomersChannel = 'gpuaas_node_newcomers';

/**
 * Presence of nodes. A node that reports for the first time is onboarded by a saga (`sagas/onboard.ts`), which is
 * started here from the tables, even if its event was lost. A node is lost when it was silent for too long while we
 * were listening: time in which this process did not run, no api received reports, or reports could not be written does
 * not count. So after an outage of our own every node has a whole period to reconnect.
 */
export function makePresence(parts: {
  readonly db: Database;
  readonly begin: BeginAct;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly log: Log;
  readonly lostAfterSeconds: () => number;
  /** How long after its enrolment a node has to be heard, while we listen. */
  readonly heardWithinSeconds: () => number;
  /** Begins to take a node in that was heard for the first time. The same run again is the same beginning. */
  readonly onNewcomer: (run: string, newcomer: Newcomer) => Promise<void>;
  readonly onMoved?: (transition: 'lose' | 'return') => void;
  /** Called at each round: nodes last heard before the first time are silent, nodes heard after the second are not. */
  readonly onLooked?: (silentBefore: Date | undefined, heardAfter: Date) => Promise<void>;
}): Reconciler & { pulse(): void } {
  const { clock, log } = parts;
  const listening = new Listening(clock);
  const look = <T>(work: (tx: ReadTx) => Promise<T>) =>
    parts.db.read(systemViewer('nodes', { correlationId: parts.ids.next() }), work);
  const welcome = makeWelcome({
    log,
    onNewcomer: parts.onNewcomer,
    listAfter: (nodeId) => look((tx) => listNewcomers(tx, nodeId)),
  });

  async function quarantineEach(nodes: readonly Unheard[]): Promise<void> {
    for (const node of nodes) {
      try {
        await quarantineUnheard(parts, node);
      } catch (error) {
        log.warn({ err: error, node: node.id }, 'a node that was never heard could not be put aside');
      }
    }
  }
  async function settleEach(nodes: readonly Seen[], silentBefore: Date | undefined): Promise<void> {
    for (const node of nodes) {
      try {
        const transition = await settlePresence(parts, node, silentBefore);
        if (transition) parts.onMoved?.(transition);
      } catch (error) {
        // One that cannot be settled must not keep the others from it.
        log.warn({ err: error, node: node.id }, 'the state of a node could not be settled');
      }
    }
  }

  return {
    name: 'node-presence',
    pulse: () => listening.pulse(),
    async round() {
      listening.beginRound();
      const lostAfterMs = parts.lostAfterSeconds() * secondMs;
      const silentBefore = listening.timeBefore(lostAfterMs);
      const heardAfter = new Date(clock.now().getTime() - lostAfterMs);
      const enrolledBefore = listening.timeBefore(parts.heardWithinSeconds() * secondMs);
      const [newcomers, changed, unheard] = await look((tx) =>
        Promise.all([
          listNewcomers(tx, undefined),
          listChanged(tx, heardAfter, silentBefore),
          enrolledBefore ? listUnheard(tx, enrolledBefore) : [],
        ]),
      );
      await welcome(newcomers);
      await quarantineEach(unheard);
      await settleEach(changed, silentBefore);
      await parts.onLooked?.(silentBefore, heardAfter);
      return changed.length === sweepBatch ? 'more' : 'idle';
    },
  };
}
