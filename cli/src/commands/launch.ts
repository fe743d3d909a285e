import type { AllocationPlan, Gpuaas } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { type ExitCode, exitCodes, Failure } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { readMoney } from '../input/money.ts';
import { readPairs } from '../input/read-input.ts';
import { findSku, lengthOf, regionOf } from '../launch-arguments.ts';
import { keysForLaunch, rememberLast } from '../resolve.ts';
import { formatOf, showOne } from '../show/output.ts';
import { makeRail } from '../show/rail.ts';
import { attemptLines, changeOf, priceLine, simulatedLine, sshLine } from '../show/sentence.ts';
import { plain, showDuration, showMoney } from '../show/value.ts';
import { allocationFields } from '../table/alloc-fields.ts';
import { watchAllocation } from '../watch.ts';

/** From a request to a running allocation: plan with price, confirmation, and progress until it is active. */
export const launch: Run = (session) => start(session, !session.is('detach'));
export const create: Run = (session) => start(session, false);

async function start(session: Session, waits: boolean): Promise<ExitCode> {
  const api = await session.api();
  const project = await session.project();
  const keys = await keysForLaunch(session);
  const body = await readLaunch(session, api, keys.ids);
  const { queue, quote_id: _, ...planned } = body;
  const plan = await api.allocations.plan(planned, { project });
  sayPlan(session, body, plan, keys.said);
  if (!plan.feasible && queue === undefined) throw refusedBy(plan);
  await confirm(session, plan.feasible ? 'Launch?' : 'Join the queue?');
  const began = session.now();
  const made = await api.allocations.create(body, { project });
  await rememberLast(session, made.id);
  session.say(`  ${made.id}  ${plain(made.name)}`);
  if (!waits) {
    finish(session, made);
    return exitCodes.ok;
  }
  const rail = makeRail(session, began);
  try {
    const done = await watchAllocation(session, made.id, { until: 'active', ...rail });
    rail.end();
    const { receipt } = done;
    for (const line of attemptLines(done)) session.say(`  ${line}`);
    if (receipt) session.say(`  ✓ active  ${receipt.gpus} GPU, driver ${plain(receipt.driver_version)}`);
    const ssh = sshLine(done);
    if (done.simulated) session.say(`  ${simulatedLine}`);
    else if (ssh) session.say(`  ${ssh}`);
    finish(session, done);
    return exitCodes.ok;
  } catch (error) {
    rail.end();
    throw error;
  }
}

/** In a pipe the output is the id, so that a script can use it. */
function finish(session: Session, allocation: { readonly id: string }): void {
  if (formatOf(session) === 'table') {
    if (session.around.stdout.isTTY !== true) session.around.stdout.write(`${allocation.id}\n`);
  } else {
    showOne(session, allocation, allocationFields);
  }
}

type LaunchBody = Parameters<Gpuaas['allocations']['create']>[0];

async function readLaunch(session: Session, api: Gpuaas, keys: readonly string[]): Promise<LaunchBody> {
  const { item, gpus } = await findSku(api, session.arg(0), session.text('count'));
  const seconds = lengthOf(session, 'for');
  const idle = lengthOf(session, 'idle-stop');
  const queue = lengthOf(session, 'queue');
  const tags = readPairs(session.list('tag'), '--tag');
  const [name, image, quoteId] = [session.text('name'), session.text('image'), session.text('quote')];
  const spend = session.text('max-spend');
  return {
    sku: item.sku,
    gpus,
    region: await regionOf(session, item, gpus),
    ...(name !== undefined && { name }),
    ...(image !== undefined && { image }),
    ...(seconds !== undefined && { max_duration_seconds: seconds }),
    ...(spend !== undefined && {
      max_spend: await readMoney(spend, '--max-spend', async () => item.prices?.[0]?.unit_price.currency),
    }),
    ...(quoteId !== undefined && { quote_id: quoteId }),
    ...(idle !== undefined && { idle: { action: 'release' as const, minutes: Math.ceil(idle / 60) } }),
    ...(queue !== undefined && { queue: { max_wait_seconds: queue } }),
    ...(keys.length > 0 && { ssh_key_ids: keys }),
    ...(Object.keys(tags).length > 0 && { tags }),
  };
}

function sayPlan(session: Session, body: LaunchBody, plan: AllocationPlan, keys: string): void {
  const { profile, price, projected, feasible, message } = plan;
  const size = profile ? `   ${profile.vcpus} CPUs, ${Math.round(profile.memory_mib / 1024)} GiB` : '';
  session.say(
    `  Plan   ${body.gpus} × ${body.sku}   region ${body.region}${size}${body.image ? `   image ${body.image}` : ''}`,
  );
  session.say(`  Price  ${priceLine(price, body.max_duration_seconds, projected)}`);
  const stops = [
    ...(body.max_duration_seconds === undefined ? [] : [`after ${showDuration(body.max_duration_seconds)}`]),
    ...(body.max_spend ? [`before it costs more than ${showMoney(body.max_spend)}`] : []),
    ...(body.idle ? [`after ${body.idle.minutes} min without use`] : []),
  ];
  session.say(`  Stops  ${stops.length > 0 ? stops.join(', or ') : 'when you release it'}`);
  session.say(`  Keys   ${plain(keys)}`);
  if (!feasible) session.say(`  Now    ${plain(message)}`);
}

const refusedBy = ({ message, decision }: AllocationPlan): Failure =>
  new Failure(exitCodes.capacity, plain(message), {
    next:
      decision.would_fit.length > 0
        ? `It would fit ${decision.would_fit.map(changeOf).join(', or ')}.`
        : 'Wait for capacity with --queue 2h, or choose another SKU with gpuaas sku list.',
  });
