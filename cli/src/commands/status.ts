import type { Allocation, Project } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes, Failure } from '../failure.ts';
import { formatOf, showOne } from '../show/output.ts';
import { stopCause } from '../show/sentence.ts';
import { tableOf } from '../show/table.ts';
import { plain, showDuration, showMoney, showValue } from '../show/value.ts';
import { nameOf } from './whoami.ts';

const soonMs = 30 * 60_000;

/** One screen: person, installation, running allocations, cost, and what needs attention. */
export const status: Run = async (session) => {
  const api = await session.api();
  const [me, profile] = [await api.me.get(), await session.profile()];
  const { project, none } = await findProject(session);
  const running: Allocation[] = [];
  if (project) {
    for await (const each of api.allocations.list({ limit: 200 }, { project: project.id })) {
      if (each.ended_at === null) running.push(each);
    }
  }
  const perHour = new Map<string, bigint>();
  for (const { price, state } of running) {
    if (state !== 'active') continue;
    const { amount_minor, currency } = price.per_hour;
    perHour.set(currency, (perHour.get(currency) ?? 0n) + BigInt(amount_minor));
  }
  const prices = [...perHour].map(([currency, amount]) => ({ amount_minor: String(amount), currency }));
  const warnings = running.flatMap((each) => warningsOf(each, session.now()));
  if (formatOf(session) !== 'table') {
    showOne(
      session,
      { who: me, base_url: profile.baseUrl, project: project ?? null, running, per_hour: prices, warnings },
      ['who.posix.username', 'project.name', 'per_hour'],
    );
    return exitCodes.ok;
  }
  const { stdout } = session.around;
  stdout.write(`${nameOf(me)} at ${profile.baseUrl}\n`);
  stdout.write(`project  ${project ? `${plain(project.name)} (${project.slug})` : none}\n`);
  const waiting = running.filter(waits).length;
  stdout.write(
    `running  ${running.length - waiting}${prices.length > 0 ? `, ${prices.map(showMoney).join(' + ')}/h` : ''}` +
      `${waiting > 0 ? `; ${waiting} queued` : ''}\n`,
  );
  if (running.length > 0) {
    stdout.write('\n');
    stdout.write(tableOf(running.map((each) => rowOf(each, session.now()))));
  } else {
    stdout.write('\nNothing is running. npx gpuaas sku list shows what is available, npx gpuaas launch starts it.\n');
  }
  for (const warning of warnings) stdout.write(`\n! ${warning}`);
  if (warnings.length > 0) stdout.write('\n');
  return exitCodes.ok;
};

/** Queued requests are listed, but do not run and cost nothing. */
const waits = ({ state, placement_status }: Allocation): boolean =>
  state === 'requested' && placement_status === 'queued';

function rowOf(each: Allocation, now: number): string[] {
  const { name, sku, gpu_count, region, expires_at, id } = each;
  const ends =
    expires_at === null
      ? 'until released'
      : `ends in ${showDuration(Math.max(0, Date.parse(expires_at) - now) / 1_000)}`;
  const state = waits(each) ? 'queued' : each.state;
  return [name, state, `${sku} × ${gpu_count}`, region, ends, id].map((value) => showValue(value));
}

/** A person without a project, as operators often are, still sees who they are. */
async function findProject(session: Session): Promise<{ project?: Project; none: string }> {
  try {
    const project = await (await session.api()).projects.get({ project_id: await session.project() });
    return { project, none: '' };
  } catch (error) {
    if (error instanceof Failure && error.exitCode === exitCodes.usage) return { none: `none. ${error.next ?? ''}` };
    throw error;
  }
}

function warningsOf({ id, name, state, expires_at, failure, concerns, stop }: Allocation, now: number): string[] {
  const who = plain(name);
  const left = expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at) - now;
  return [
    ...concerns.map(
      ({ message, deadline_at }) =>
        `${who}: ${plain(message)}${deadline_at === null ? '' : ` Deadline ${deadline_at}.`}`,
    ),
    ...(stop ? [`${who}: ${stopCause(stop)}`] : []),
    ...(failure ? [`${who} ${state}: ${plain(failure.reason)} (gpuaas why ${id})`] : []),
    ...(left < soonMs && left > 0
      ? [`${who} ends in ${showDuration(left / 1_000)} (gpuaas alloc extend ${id} --for 1h)`]
      : []),
  ];
}
