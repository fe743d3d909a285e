import type { Gpuaas } from '@gpuaas/sdk';
import type { Run } from '../command.ts';
import { exitCodes } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { findSku, lengthOf, regionOf } from '../launch-arguments.ts';
import { keysForLaunch } from '../resolve.ts';
import { showOne } from '../show/output.ts';
import { plain } from '../show/value.ts';

type Member = Parameters<Gpuaas['allocationGroups']['create']>[0]['members'][number];

/** Several allocations at once: all of them or none. */
export const create: Run = async (session) => {
  const api = await session.api();
  const seconds = lengthOf(session, 'for');
  const image = session.text('image');
  const keys = await keysForLaunch(session);
  const members: Member[] = [];
  for (const [index, text] of session.list('member').entries()) {
    const { item, gpus } = await findSku(api, text);
    members.push({
      name: `${session.arg(0)}-${index + 1}`,
      sku: item.sku,
      gpus,
      region: await regionOf(session, item, gpus),
      ...(image !== undefined && { image }),
      ...(seconds !== undefined && { max_duration_seconds: seconds }),
      ...(keys.ids.length > 0 && { ssh_key_ids: keys.ids }),
    });
  }
  for (const { name, sku, gpus, region } of members)
    session.say(`  ${plain(name ?? '')}   ${gpus} × ${sku}   region ${region}`);
  session.say(`  Keys   ${plain(keys.said)}`);
  await confirm(session, `Launch these ${members.length} together?`);
  const made = await api.allocationGroups.create(
    { name: session.arg(0), members },
    { project: await session.project() },
  );
  showOne(session, made, ['id', 'name', 'status', 'members', 'created_at']);
  return exitCodes.ok;
};
