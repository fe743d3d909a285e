import { Halt, type Step, type StepContext, type Wait } from '../../../kernel/saga.ts';
import { MaasRefused } from '../../../ports/maas/port.ts';
import { announceHost, holdings, inviteHost, revokeNode } from '../../nodes/index.ts';
import { deployMs, enrolMs, tokenMinutes } from '../facts.ts';
import { whyNotNow } from '../rules.ts';
import { answerOf, atWork, awaitPhase, intend, type MaasSagaParts, type OfJob, Outcome, say, siteOf } from './parts.ts';
import { type JobAtWork, keepEnrolment, keepNode, linkMachine, markTaken, readJobAtWork } from './store.ts';

type Do = Step<OfJob, unknown, Outcome>['do'];
/** The name under which MAAS keeps the node of a machine. */
export const nodeNote = 'gpuaas_node';
const comment = ({ id, reason }: JobAtWork): string => `gpuaas job ${id}: ${reason}`;

/** A machine that MAAS has never looked at, or could not, is looked at. One that is ready is left as it is. */
export const commission =
  (parts: MaasSagaParts, always = false): Do =>
  async (context) => {
    const found = await atWork(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return say('MAAS does not show the machine', machine);
    if (machine.status === 'commissioning' || machine.status === 'testing') return {};
    if (machine.status === 'ready' && (!always || job.phase === 'commissioning')) return {};
    await intend(parts, context.act, job, 'commissioning');
    return answerOf('MAAS does not commission it', await site.commission(job.system_id));
  };

/** Takes the machine. That it may be ours is written down first. */
export const allocate =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await atWork(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return say('MAAS does not show the machine', machine);
    // An earlier attempt may have taken it without hearing the answer.
    const isOurs = machine.status === 'allocated' && job.taken && machine.owner === job.username;
    if (machine.status !== 'ready' && !isOurs) {
      return job.phase === 'deploying' ? {} : { problem: `It is ${machine.status.replaceAll('_', ' ')}, not ready.` };
    }
    await intend(parts, context.act, job, 'allocating', async (tx) => ({ taken: await markTaken(tx, job.id) }));
    const taken = isOurs ? machine : await site.allocate(job.system_id, comment(job));
    if (taken instanceof MaasRefused) return say('MAAS does not allocate it', taken);
    return answerOf('MAAS takes no note', await site.note(job.system_id, { [nodeNote]: job.node_id ?? '' }));
  };

/** The node that waits for the host. */
export const announce =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await atWork(parts, context);
    if (found instanceof Halt) return found;
    const { job } = found;
    const id = job.node_id ?? parts.ids.next();
    let isNew = true;
    await intend(parts, context.act, job, 'announcing', async (tx) => {
      const host = { id, name: job.node_name ?? '', region: job.region, sku: job.sku ?? '' };
      isNew = await announceHost(tx, host);
      if (isNew) {
        await keepNode(tx, job.id, id);
        await linkMachine(tx, job, id);
      }
      return isNew ? { node_id: id } : {};
    });
    return isNew ? {} : { problem: `Another node is called ${job.node_name}, or its SKU is gone.` };
  };

/** Deploys the machine with a document of its own. A deployment that runs already is not given a second token. */
export const deploy =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await atWork(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return say('MAAS does not show the machine', machine);
    if (job.phase === 'deploying' && (machine.status === 'deploying' || machine.status === 'deployed')) return {};
    let userData = '';
    await intend(parts, context.act, job, 'deploying', async (tx) => {
      const invited = await inviteHost(tx, parts, {
        nodeId: job.node_id ?? '',
        purpose: job.kind === 'reimage' ? 'reimage' : 'enrol',
        ttlMinutes: tokenMinutes,
        door: { url: job.door_url, fingerprint: job.door_fingerprint ?? undefined },
        downloads: job.downloads,
      });
      userData = invited.cloudInit;
      await keepEnrolment(tx, job.id, invited.enrolmentId);
      return { enrolment: invited.enrolmentId };
    });
    const order = { osystem: job.osystem, series: job.series, userData, comment: comment(job) };
    return answerOf('MAAS does not deploy it', await site.deploy(job.system_id, order));
  };

/** Nothing that the host has opens anything any more. */
export const cutOff =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await atWork(parts, context);
    if (found instanceof Halt) return found;
    const { job } = found;
    // An attempt before this one may have cut it off already, which the rule would not understand.
    const isFirst = job.phase !== 'cutting_off';
    let why: string | undefined;
    await intend(parts, context.act, job, 'cutting_off', async (tx) => {
      why = isFirst ? await whyNotNow(tx, job, holdings) : undefined;
      if (why !== undefined) return { refused: why };
      if (job.node_id === null) return {};
      return { certificates: await revokeNode(tx, job.node_id, `the host is erased: ${job.reason}`) };
    });
    return why === undefined ? {} : { problem: why };
  };

/**
 * Has the disks erased. A machine that is free although this job did not give it back was given back by another hand, and nobody
 * knows whether it was erased.
 */
export const erase =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await atWork(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return say('MAAS does not show the machine', machine);
    const isUnderWay = ['ready', 'releasing', 'disk_erasing'].includes(machine.status);
    if (isUnderWay && job.phase === 'erasing') return {};
    if (isUnderWay) return { problem: 'MAAS has given it back already: nobody knows whether it was erased.' };
    await intend(parts, context.act, job, 'erasing');
    const order = { erase: job.erase, comment: comment(job) };
    return answerOf('MAAS does not release it', await site.release(job.system_id, order));
  };

/** Sleeps until the watcher has seen what the phase waits for. */
export const until = (
  parts: MaasSagaParts,
  phase: 'awaiting_ready' | 'awaiting_deployed' | 'awaiting_enrolled' | 'awaiting_on' | 'awaiting_off',
  timeoutMs: number,
  why: string,
): Wait<OfJob, unknown, typeof Outcome> => ({
  ask: (context, token) => awaitPhase(parts, context, token, phase),
  answer: Outcome,
  timeoutMs,
  undo: { none: why },
});

export const untilDeployed = (parts: MaasSagaParts) =>
  until(parts, 'awaiting_deployed', deployMs, 'It only waits; the machine is given back by another undo.');
export const untilEnrolled = (parts: MaasSagaParts) =>
  until(parts, 'awaiting_enrolled', enrolMs, 'It only waits; the machine is given back by another undo.');

/** States in which a machine that was taken may hold something of its deployment. */
const written: ReadonlySet<string> = new Set(['deploying', 'deployed', 'failed_deployment', 'broken']);

/**
 * Gives a machine back that this job took, erased if anything was written. One that belongs to another node, or to another name, is
 * left alone. What MAAS refuses is tried again, and an operator sees it: no machine stays deployed without a node.
 */
export async function giveBack(parts: MaasSagaParts, { act, params }: StepContext<OfJob, unknown>): Promise<void> {
  const job = await parts.db.read(act, (tx) => readJobAtWork(tx, params.jobId));
  if (!job?.taken) return;
  const site = siteOf(parts, job);
  const machine = await site.machine(job.system_id);
  if (machine instanceof MaasRefused) {
    if (machine.kind === 'absent') return;
    throw new Error(`MAAS does not show the machine: ${machine.message}`);
  }
  const note = machine.notes[nodeNote];
  const isOurs = machine.owner === job.username && (note === undefined || note === '' || note === job.node_id);
  if (!isOurs || (machine.status !== 'allocated' && !written.has(machine.status))) return;
  const mode = written.has(machine.status) ? job.erase : 'none';
  const answer = await site.release(job.system_id, { erase: mode, comment: comment(job) });
  if (answer instanceof MaasRefused) throw new Error(`MAAS does not release it: ${answer.message}`);
}
