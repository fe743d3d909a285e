import { choices } from '@gpuaas/sdk/choices';
import type { Run } from '../command.ts';
import { exitCodes, usageFailure } from '../failure.ts';
import { confirm } from '../input/ask.ts';
import { showOne } from '../show/output.ts';

const effects = choices.admin_app_version_revoke.effect;
const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;

/** Says whom it affects before it asks. */
export const revoke: Run = async (session) => {
  const [id, reason, given] = [session.arg(0), session.text('reason'), session.text('effect')];
  const effect = effects.find((each) => each === given);
  if (reason === undefined || effect === undefined) throw usageFailure('Give --reason and --effect.');
  const api = await session.api();
  const { instances, organizations, projects } = await api.adminApps.versionAffected({ app_version_id: id });
  const whose = `of ${count(projects, 'project')} and ${count(organizations, 'organization')}`;
  session.say(
    instances === 0
      ? 'No instance runs it.'
      : `${count(instances, 'instance')} ${whose} ${instances === 1 ? 'runs' : 'run'} it${effect === 'stop' ? ' and will be stopped' : ''}.`,
  );
  await confirm(session, `Revoke the trust in ${id} for good?`);
  const { version, affected } = await api.adminApps.versionRevoke({ app_version_id: id, reason, effect });
  showOne(session, { ...version, affected: affected.length }, [
    'id',
    'app_reference',
    'version',
    'trust_state',
    'affected',
  ]);
  return exitCodes.ok;
};
