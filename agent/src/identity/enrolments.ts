import type { NodeEnrolled } from '@gpuaas/contract/node';
import { backoffMs, type Chance } from '../chance.ts';
import type { Clock } from '../clock.ts';
import type { WholeSettings } from '../settings.ts';
import type { AgentState } from '../state.ts';
import { beginJournal } from '../tasks/journal.ts';
import type { Signers } from '../tasks/signers.ts';
import type { Log } from '../telemetry/log.ts';
import { type Enrolment, EnrolmentFailure, enrol } from './enrol.ts';
import type { Identity } from './identity-files.ts';

/** How this node gets its identity: from its files, or from the control plane with an operator's token. */
export interface Enrolments {
  /** The identity to start with. Leases wait for it. */
  first(): Promise<Identity>;
  once(enrolment: Enrolment, as?: string): Promise<Identity>;
  /** Tries again while that may help. */
  patiently(enrolment: Enrolment, as?: string): Promise<Identity>;
  /** Keeps the time and the pace that an enrolment or a renewal brought. */
  learn(answer: NodeEnrolled, askedAtMs: number): Promise<void>;
}

const mostAttempts = 8;
const retry = { firstMs: 1_000, maxMs: 15_000 };

export function makeEnrolments(parts: {
  readonly settings: WholeSettings;
  readonly state: AgentState;
  readonly bootId: string;
  readonly clock: Clock;
  readonly elapsedMs: () => number;
  readonly chance: Chance;
  readonly log: Log;
}): Enrolments {
  const { settings, state, bootId, clock, elapsedMs, chance, log } = parts;
  const { files, signers, time, pace } = state;
  const learn = async (answer: NodeEnrolled, askedAtMs: number) => {
    await time.learn(answer.server_time, askedAtMs);
    await pace.learn(answer.heartbeat_seconds);
  };
  const once = async (enrolment: Enrolment, as?: string): Promise<Identity> => {
    const askedAtMs = elapsedMs();
    const { identity, answer } = await enrol({
      ...{ enrolment, url: settings.url, peerId: settings.peerId, files, signers },
      ...{ agentVersion: settings.agentVersion, bootId },
      ...(as !== undefined && { nodeId: as }),
    });
    await learn(answer, askedAtMs);
    log.info({ node_id: identity.nodeId }, 'enrolled');
    return identity;
  };
  const patiently = async (enrolment: Enrolment, as?: string): Promise<Identity> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(enrolment, as);
      } catch (error) {
        if (attempt === mostAttempts || (error instanceof EnrolmentFailure && !error.mayRetry)) throw error;
        log.warn({ attempt, err: error }, 'enrolment did not succeed yet');
        const asked = error instanceof EnrolmentFailure ? (error.retryAfterMs ?? 0) : 0;
        await clock.sleep(asked + backoffMs(retry, attempt, chance));
      }
    }
  };
  /** The control plane refuses an expired certificate; but this agent keeps the leases, and they have to end on time. */
  const keepExpired = (expired: Identity, error: unknown): Identity => {
    log.error({ err: error }, 'the node needs a new enrolment and the token did not help; leases are kept meanwhile');
    return expired;
  };
  const first = async (): Promise<Identity> => {
    // A damaged identity needs an operator's token; without one an operator has to look.
    let isNew = true;
    const there = await files.read().catch((error: unknown) => {
      if (!settings.enrolment) throw error;
      log.error({ err: error }, 'the identity is damaged and is replaced');
      isNew = false;
      return undefined;
    });
    // A node that trusts no task-signing key is of no use: a token that was given heals that too.
    const isGood = there !== undefined && there.validToMs > time.nowMs() && signers.isAnchored;
    if (there && (isGood || !settings.enrolment)) return there;
    if (!settings.enrolment) throw new Error('this host is not enrolled; give it an operator’s token');
    // Once: leases wait for this agent to start. The loop that renews goes on trying.
    if (there) return once(settings.enrolment, there.nodeId).catch((error: unknown) => keepExpired(there, error));
    const identity = await patiently(settings.enrolment);
    if (isNew) await beginJournal(state.disk, state.tasksDir, time.nowMs());
    return identity;
  };
  return { first, once, patiently, learn };
}

/** Takes the task-signing keys of an answer. Heartbeats repeat the list; a refused list is logged once. */
export function makeHearSigners({ signers, log }: { readonly signers: Signers; readonly log: Log }) {
  let refusedList = '';
  return async (answer: Pick<NodeEnrolled, 'signers' | 'signers_statement'>): Promise<void> => {
    if ((await signers.hear(answer.signers, answer.signers_statement)) !== 'refused') return;
    const list = JSON.stringify(answer.signers_statement ?? answer.signers);
    if (list === refusedList) return;
    refusedList = list;
    const advice = signers.isAnchored ? 'it changes nothing' : 'enrol this node again with an operator’s token';
    log.error(
      { keys: answer.signers.length },
      `no key that we know vouches for the list of task-signing keys: ${advice}`,
    );
  };
}
