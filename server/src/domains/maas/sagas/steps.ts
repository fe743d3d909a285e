import { Halt, type Step, type StepContext, type Wait } from '../../../kernel/saga.ts';
import { MaasRefused } from '../../../ports/maas/port.ts';
import { announceHost, holdings, inviteHost, revokeNode } from '../../nodes/index.ts';
import { deployMs, enrolMs, tokenMinutes } from '../facts.ts';
import { startProblem } from '../preconditions.ts';
import {
  awaitPhase,
  type MaasSagaParts,
  type OfJob,
  Outcome,
  outcomeOf,
  readRunningJob,
  recordPhase,
  refusal,
  siteOf,
} from './parts.ts';
import { type JobOfSite, linkMachine, markTaken, readJobOfSite, setEnrolment, setNode } from './store.ts';

type Do = Step<OfJob, unknown, Outcome>['do'];
/** The note in MAAS that holds the id of the node. */
export const nodeNote = 'gpuaas_node';
const comment = ({ id, reason }: JobOfSite): string => `gpuaas job ${id}: ${reason}`;

/** Commissions a machine that is new or failed its commissioning. One that is ready is left as it is, unless `always`. */
export const commission =
  (parts: MaasSagaParts, always = false): Do =>
  async (context) => {
    const found = await readRunningJob(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return refusal('MAAS does not show the machine', machine);
    if (machine.status === 'commissioning' || machine.status === 'testing') return {};
    if (machine.status === 'ready' && (!always || job.phase === 'commissioning')) return {};
    await recordPhase(parts, context.act, job, 'commissioning');
    return outcomeOf('MAAS does not commission it', await site.commission(job.system_id));
  };

/** Allocates the machine in MAAS. The job is marked first, so that a failed job releases the machine. */
export const allocate =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await readRunningJob(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return refusal('MAAS does not show the machine', machine);
    // An earlier attempt may have allocated it and lost the answer.
    const isOurs = machine.status === 'allocated' && job.taken && machine.owner === job.username;
    if (machine.status !== 'ready' && !isOurs) {
      return job.phase === 'deploying' ? {} : { problem: `It is ${machine.status.replaceAll('_', ' ')}, not ready.` };
    }
    await recordPhase(parts, context.act, job, 'allocating', async (tx) => ({ taken: await markTaken(tx, job.id) }));
    const taken = isOurs ? machine : await site.allocate(job.system_id, comment(job));
    if (taken instanceof MaasRefused) return refusal('MAAS does not allocate it', taken);
    return outcomeOf('MAAS takes no note', await site.note(job.system_id, { [nodeNote]: job.node_id ?? '' }));
  };

/** Creates the node that the host will enrol as. */
export const announce =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await readRunningJob(parts, context);
    if (found instanceof Halt) return found;
    const { job } = found;
    const id = job.node_id ?? parts.ids.next();
    let isNew = true;
    await recordPhase(parts, context.act, job, 'announcing', async (tx) => {
      const host = { id, name: job.node_name ?? '', region: job.region, sku: job.sku ?? '' };
      isNew = await announceHost(tx, host);
      if (isNew) {
        await setNode(tx, job.id, id);
        await linkMachine(tx, job, id);
      }
      return isNew ? { node_id: id } : {};
    });
    return isNew ? {} : { problem: `There is a node ${job.node_name} already, or its SKU was removed.` };
  };

/** Deploys the machine with its own cloud-init document. A deployment in progress gets no second token. */
export const deploy =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await readRunningJob(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return refusal('MAAS does not show the machine', machine);
    if (job.phase === 'deploying' && (machine.status === 'deploying' || machine.status === 'deployed')) return {};
    let userData = '';
    await recordPhase(parts, context.act, job, 'deploying', async (tx) => {
      const invited = await inviteHost(tx, parts, {
        nodeId: job.node_id ?? '',
        purpose: job.kind === 'reimage' ? 'reimage' : 'enrol',
        ttlMinutes: tokenMinutes,
        door: { url: job.door_url, fingerprint: job.door_fingerprint ?? undefined },
        downloads: job.downloads,
      });
      userData = invited.cloudInit;
      await setEnrolment(tx, job.id, invited.enrolmentId);
      return { enrolment: invited.enrolmentId };
    });
    const order = { osystem: job.osystem, series: job.series, userData, comment: comment(job) };
    return outcomeOf('MAAS does not deploy it', await site.deploy(job.system_id, order));
  };

/** Revokes the certificate and the key of the host. */
export const revokeHost =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await readRunningJob(parts, context);
    if (found instanceof Halt) return found;
    const { job } = found;
    // An earlier attempt may have revoked it already; the preconditions hold before that only.
    const isFirst = job.phase !== 'cutting_off';
    let why: string | undefined;
    await recordPhase(parts, context.act, job, 'cutting_off', async (tx) => {
      why = isFirst ? await startProblem(tx, job, holdings) : undefined;
      if (why !== undefined) return { refused: why };
      if (job.node_id === null) return {};
      return { certificates: await revokeNode(tx, job.node_id, `the host is erased: ${job.reason}`) };
    });
    return why === undefined ? {} : { problem: why };
  };

/**
 * Has MAAS erase the disks and release the machine. If it was released without this job, nobody knows whether it was erased, and
 * the job fails.
 */
export const erase =
  (parts: MaasSagaParts): Do =>
  async (context) => {
    const found = await readRunningJob(parts, context);
    if (found instanceof Halt) return found;
    const { job, site } = found;
    const machine = await site.machine(job.system_id);
    if (machine instanceof MaasRefused) return refusal('MAAS does not show the machine', machine);
    const isUnderWay = ['ready', 'releasing', 'disk_erasing'].includes(machine.status);
    if (isUnderWay && job.phase === 'erasing') return {};
    if (isUnderWay)
      return { problem: 'It was released in MAAS outside of this job: nobody knows whether it was erased.' };
    await recordPhase(parts, context.act, job, 'erasing');
    const order = { erase: job.erase, comment: comment(job) };
    return outcomeOf('MAAS does not release it', await site.release(job.system_id, order));
  };

/** Sleeps until the watcher has seen the machine in the state that the phase waits for. */
export const waitFor = (
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

export const waitForDeployment = (parts: MaasSagaParts) =>
  waitFor(parts, 'awaiting_deployed', deployMs, 'It only waits; another undo releases the machine.');
export const waitForEnrolment = (parts: MaasSagaParts) =>
  waitFor(parts, 'awaiting_enrolled', enrolMs, 'It only waits; another undo releases the machine.');

/** States in which the disks of an allocated machine may hold data of its deployment. */
const mayHoldData: ReadonlySet<string> = new Set(['deploying', 'deployed', 'failed_deployment', 'broken']);

/**
 * Releases a machine that this job allocated, erased if its disks may hold data. A machine of another node or of another user of MAAS
 * is left alone. A refusal of MAAS is retried and shown to operators: no machine stays deployed without a node.
 */
export async function releaseMachine(
  parts: MaasSagaParts,
  { act, params }: StepContext<OfJob, unknown>,
): Promise<void> {
  const job = await parts.db.read(act, (tx) => readJobOfSite(tx, params.jobId));
  if (!job?.taken) return;
  const site = siteOf(parts, job);
  const machine = await site.machine(job.system_id);
  if (machine instanceof MaasRefused) {
    if (machine.kind === 'absent') return;
    throw new Error(`MAAS does not show the machine: ${machine.message}`);
  }
  const note = machine.notes[nodeNote];
  const isOurs = machine.owner === job.username && (note === undefined || note === '' || note === job.node_id);
  if (!isOurs || (machine.status !== 'allocated' && !mayHoldData.has(machine.status))) return;
  const mode = mayHoldData.has(machine.status) ? job.erase : 'none';
  const answer = await site.release(job.system_id, { erase: mode, comment: comment(job) });
  if (answer instanceof MaasRefused) throw new Error(`MAAS does not release it: ${answer.message}`);
}
