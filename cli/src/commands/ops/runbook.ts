import type { Run } from '../../command.ts';
import { exitCodes } from '../../failure.ts';
import { formatOf, showOne } from '../../show/output.ts';
import { plain } from '../../show/value.ts';

/** The page as it was written: Markdown reads well in a terminal. */
export const show: Run = async (session) => {
  const runbook = await (await session.api()).adminOps.runbookGet({ runbook_id: session.arg(0) });
  if (formatOf(session) !== 'table') {
    showOne(session, runbook, ['id', 'title', 'category', 'severity', 'owner', 'signals', 'page']);
    return exitCodes.ok;
  }
  const lines = runbook.text.trimEnd().split('\n').map(plain);
  const { category, severity, owner, signals } = runbook;
  session.say(`${category}, ${severity}, of the domain ${owner}; for ${signals.join(', ')}`);
  session.around.stdout.write(`${lines.join('\n')}\n`);
  return exitCodes.ok;
};
