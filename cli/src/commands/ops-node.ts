import type { Gpuaas } from '@gpuaas/sdk';
import { confirm } from '../ask.ts';
import type { Run, Session } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { listing, needed, oneOf, over, readPairs, showing } from '../listing.ts';
import { resolveNode } from '../resolve.ts';
import { formatOf, showOne } from '../show/output.ts';

const columns = ['id', 'name', 'state', 'schedulable', 'sku', 'region', 'slots', 'last_report_at'];
const fields = [
  ...columns,
  'gpus_total',
  'address',
  'agent_version',
  'labels',
  'state_reason',
  'cordon_reason',
  'drain_deadline_at',
  'conditions',
  'certificate',
];
const states = [
  'bootstrap_issued',
  'enrolling',
  'active',
  'offline',
  'quarantined',
  'draining',
  'retired',
  'removing',
  'deleted',
] as const;

export const list = listing(
  (api, session) =>
    api.adminNodes.list({
      state: oneOf(session, 'state', states),
      region: session.text('region'),
      sku: session.text('sku'),
      schedulable: oneOf(session, 'schedulable', ['true', 'false'] as const),
    }),
  columns,
  'There are no nodes. gpuaas ops node create makes a place for one.',
);
export const get = showing(async (api, session) => api.adminNodes.get({ node_id: await resolveNode(session) }), fields);

/** The line for the host is the answer; the token in it works once. */
const showOffer = (session: Session, offer: Awaited<ReturnType<Gpuaas['adminNodes']['create']>>): void => {
  if (formatOf(session) !== 'table') {
    showOne(session, offer, []);
    return;
  }
  session.around.stdout.write(`${session.is('cloud-init') ? offer.cloud_init : offer.install_command}\n`);
  session.say(`Run it on ${offer.node.name} until ${offer.expires_at}; it works once.`);
};
export const create: Run = async (session) => {
  const api = await session.api();
  const labels = readPairs(session.list('label'), 'label');
  const gpus = session.text('gpus');
  const address = session.text('address');
  showOffer(
    session,
    await api.adminNodes.create({
      name: session.arg(0),
      sku: needed(session, 'sku'),
      region: needed(session, 'region'),
      ...(gpus !== undefined && { gpus_total: Number(gpus) }),
      ...(address !== undefined && { address }),
      ...(Object.keys(labels).length > 0 && { labels }),
    }),
  );
  return exitCodes.ok;
};
export const enrol: Run = async (session) => {
  const api = await session.api();
  const purpose = session.is('recover') ? ('recover' as const) : ('enrol' as const);
  showOffer(session, await api.adminNodes.enrolmentToken({ node_id: await resolveNode(session), purpose }));
  return exitCodes.ok;
};

interface Acting {
  /** Somebody else will want to know why. */
  readonly because?: true;
  readonly asks?: string;
}
type Acts = 'publish' | 'cordon' | 'uncordon' | 'resume' | 'quarantine' | 'clear' | 'readmit' | 'retire' | 'remove';
const act = (verb: Acts, { because, asks }: Acting = {}): Run =>
  showing(async (api, session) => {
    const node_id = await resolveNode(session);
    const reason = because ? needed(session, 'reason') : session.text('reason');
    if (asks !== undefined) await confirm(session, `${asks} ${session.arg(0)}?`);
    // Where a reason is needed, it is there by now.
    return api.adminNodes[verb]({ node_id, ...(reason !== undefined && { reason }) } as {
      node_id: string;
      reason: string;
    });
  }, columns);

export const publish = act('publish');
export const cordon = act('cordon', { because: true });
export const uncordon = act('uncordon');
export const resume = act('resume');
export const quarantine = act('quarantine', { because: true, asks: 'Quarantine' });
export const clear = act('clear', { because: true });
export const readmit = act('readmit', { because: true });
export const retire = act('retire', { because: true, asks: 'Retire' });
export const remove = act('remove', { because: true, asks: 'Remove' });
export const drain = showing(async (api, session) => {
  const node_id = await resolveNode(session);
  const [reason, notice] = [needed(session, 'reason'), session.text('notice-minutes')];
  if (notice !== undefined && !/^\d+$/.test(notice)) throw usageFailure('--notice-minutes is a number of minutes.');
  await confirm(session, `Drain ${session.arg(0)}? Everything on it is released after its notice.`);
  return api.adminNodes.drain({ node_id, reason, ...(notice !== undefined && { notice_minutes: Number(notice) }) });
}, columns);

const slotColumns = [
  'slot_index',
  'id',
  'state',
  'health_state',
  'gpu_model',
  'numa_node',
  'pci_address',
  'allocation_id',
];
export const slots = listing(
  async function* (api, session) {
    yield* (await api.adminNodes.resourceSlotList({ node_id: await resolveNode(session) })).data;
  },
  slotColumns,
  'It has no slots yet. gpuaas ops slots approve makes them from what was discovered.',
);
export const approve = listing(
  async function* (api, session) {
    yield* (await api.adminNodes.slotsApprove({ node_id: await resolveNode(session) })).slots;
  },
  slotColumns,
  'Nothing was discovered to approve.',
);
const slotAct = (verb: 'slotEnable' | 'slotDisable' | 'slotQuarantine' | 'slotClear'): Run =>
  showing(async (api, session) => {
    const node_id = await resolveNode(session);
    const { data } = await api.adminNodes.resourceSlotList({ node_id });
    const slot = data.find(({ id, slot_index }) => id === session.arg(1) || String(slot_index) === session.arg(1));
    if (!slot) throw usageFailure(`It has no slot ${session.arg(1)}.`, `gpuaas ops slots list ${session.arg(0)}`);
    return api.adminNodes[verb]({ node_id, slot_id: slot.id, reason: needed(session, 'reason') });
  }, slotColumns);
export const slotEnable = slotAct('slotEnable');
export const slotDisable = slotAct('slotDisable');
export const slotQuarantine = slotAct('slotQuarantine');
export const slotClear = slotAct('slotClear');

export const tasks = listing(
  (api, session) => over(resolveNode(session), (node_id) => api.adminNodes.taskList({ node_id })),
  ['id', 'task_type', 'state', 'failure_code', 'allocation_id', 'issued_at', 'finished_at', 'correlation_id'],
  'It was asked for nothing yet.',
);
