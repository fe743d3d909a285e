import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { resolveAllocation } from '../resolve.ts';
import { formatOf } from '../show/output.ts';
import { jsonOf, plain, showTime, showValue } from '../show/value.ts';

/** Events as they happen, until it is stopped. */
export const tail: Run = async (session) => {
  const api = await session.api();
  const project = await session.project();
  const [types, after, about] = [session.text('types'), session.text('after'), session.text('about')];
  const input = {
    follow: !session.is('no-follow'),
    ...(types !== undefined && { types }),
    ...(after !== undefined && { after }),
    ...(about !== undefined && { about: await resolveAllocation(session, about) }),
  };
  for await (const { id, data } of api.events.stream(input, { project })) {
    const line =
      formatOf(session) === 'table'
        ? `${showTime(data.occurred_at)}  ${plain(data.event_type)}  ${showValue(data.payload)}`
        : jsonOf({ ...data, position: id });
    session.around.stdout.write(`${line}\n`);
  }
  return exitCodes.ok;
};
