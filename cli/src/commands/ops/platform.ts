import type { Run } from '../../command.ts';
import { exitCodes, Failure } from '../../failure.ts';
import { listing } from '../../listing.ts';
import { resolveOrganization } from '../../resolve.ts';
import { formatOf, showOne, showRows } from '../../show/output.ts';
import { plain, showValue } from '../../show/value.ts';

/** Every policy with its default and its settings; those that were set come first. */
export const policySettings = listing(
  async function* (api) {
    const { definitions, settings } = await api.adminPolicies.settingList();
    const isSet = new Set(settings.map(({ key }) => key));
    const ordered = [
      ...definitions.filter(({ key }) => isSet.has(key)),
      ...definitions.filter(({ key }) => !isSet.has(key)),
    ];
    for (const { key, unit = null, default: value } of ordered) {
      const own = settings.filter((setting) => setting.key === key);
      yield* own.map(({ level, subject_id, hard, ...rest }) => ({
        ...rest,
        unit,
        source: { level, subject_id, hard },
      }));
      if (!own.some(({ level }) => level === 'global')) yield { key, value, unit, source: { level: 'default' } };
    }
  },
  ['key', 'value', 'unit', 'source.level', 'source.subject_id', 'source.hard'],
  'No policies are set.',
);

/** What a policy means, its value here, the level that set it, and its bounds. */
export const policyExplain: Run = async (session) => {
  const key = session.arg(0);
  const { data } = await (await session.api()).policies.list({ project: await session.project() });
  const found = data.find((each) => each.key === key);
  if (!found) {
    throw new Failure(exitCodes.notFound, `There is no policy ${JSON.stringify(key)}.`, {
      next: 'gpuaas ops policy list shows the names.',
    });
  }
  if (formatOf(session) !== 'table') {
    showOne(session, found, ['key', 'value']);
    return exitCodes.ok;
  }
  const { definition, source, value } = found;
  const { description, unit, minimum, maximum, choices } = definition;
  const whose = source.subject_id ? ` of ${source.subject_id}` : '';
  const bounds = choices ? choices.join(', ') : `${showValue(minimum)} to ${showValue(maximum)}`;
  session.around.stdout.write(
    [
      `${plain(key)} is ${showValue(value)}${unit ? ` ${plain(unit)}` : ''} here.`,
      `  ${plain(description)}`,
      source.level === 'default'
        ? '  Not set: this is the default.'
        : `  It was set at the level ${source.level}${whose}${source.hard ? ', overriding every other level' : ''}.`,
      `  Allowed: ${bounds}; default: ${showValue(definition.default)}.`,
      '',
    ].join('\n'),
  );
  return exitCodes.ok;
};

/** A broken chain is a failure, for scripts that watch it. */
export const auditVerify: Run = async (session) => {
  const api = await session.api();
  const verdict =
    session.text('organization') === undefined
      ? await api.adminAudit.verify()
      : await api.audit.verify({ organization_id: await resolveOrganization(session) });
  showOne(session, verdict, ['chain', 'intact', 'rows', 'archived', 'erased', 'unsealed', 'head', 'broken']);
  return verdict.intact ? exitCodes.ok : exitCodes.failed;
};

/** Walks through all archives, oldest first. One that does not hold is a failure, for scripts that watch it. */
export const archiveVerify: Run = async (session) => {
  const api = await session.api();
  const columns = ['archive_id', 'subject', 'intact', 'rows', 'chains', 'broken'];
  const named = session.arg(0);
  if (named !== '') {
    const verdict = await api.adminOps.historyArchiveVerify({ archive_id: named });
    showOne(session, verdict, columns);
    return verdict.intact ? exitCodes.ok : exitCodes.failed;
  }
  const verdicts = [];
  for await (const { id, archived_at } of api.adminOps.historyArchiveList()) {
    if (archived_at) verdicts.push(await api.adminOps.historyArchiveVerify({ archive_id: id }));
  }
  showRows(session, verdicts, columns, 'Nothing was archived.');
  return verdicts.every(({ intact }) => intact) ? exitCodes.ok : exitCodes.failed;
};
