import type { EventStream } from '@gpuaas/sdk';
import type { Run, Session } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { resolveAllocation } from '../resolve.ts';
import { formatOf } from '../show/output.ts';
import { jsonOf, plain, showTime, showValue } from '../show/value.ts';

/** A cursor before every kept event. */
const beginning = '0-0-0';

/** Live events until interrupted: of the project, or of all tenants. */
export const tail: Run = async (session) => {
  const api = await session.api();
  const project = await session.project();
  const about = session.text('about');
  const of = about === undefined ? {} : { about: await resolveAllocation(session, about) };
  return show(session, api.events.stream({ ...asked(session), ...of }, { project }));
};

export const tailAll: Run = async (session) => {
  const about = session.text('about');
  const input = { ...asked(session), ...(about !== undefined && { about }) };
  return show(session, (await session.api()).adminOps.eventStream(input));
};

function asked(session: Session) {
  const follow = !session.is('no-follow');
  const types = session.text('types');
  const after = session.text('after') ?? (follow ? undefined : beginning);
  return {
    follow,
    ...(types !== undefined && { types }),
    ...(after !== undefined && { after }),
  };
}

/** The events of one allocation so far, and with --follow the new ones. */
export const ofAllocation: Run = async (session) => {
  const api = await session.api();
  const about = await resolveAllocation(session);
  const { project_id: project } = await api.allocations.get({ allocation_id: about });
  return show(session, api.events.stream({ about, follow: session.is('follow'), after: beginning }, { project }));
};

async function show(session: Session, events: EventStream) {
  for await (const { id, data } of events) {
    const line =
      formatOf(session) === 'table'
        ? `${showTime(data.occurred_at)}  ${plain(data.event_type)}  ${showValue(data.payload)}`
        : jsonOf({ ...data, position: id });
    session.around.stdout.write(`${line}\n`);
  }
  return exitCodes.ok;
}
