import { byText } from '../json.ts';
import { readRunbooks } from '../runbooks.ts';
import { table } from '../table.ts';

/** The runbooks by category. */
export function emitRunbookInventory(root: string): string {
  const runbooks = readRunbooks(root);
  const sections = [...Map.groupBy(runbooks, ({ category }) => category)].sort(([a], [b]) => byText(a, b));
  return `# Runbooks by category

What to do about each alert, finding and kind of incident. \`gpuaas ops runbook list\` has the same list, and
[runbooks.catalog.json](../runbooks/runbooks.catalog.json) is for programs; [how they are used](../runbooks/README.md).

${sections
  .map(
    ([category, of]) =>
      `## ${category}\n\n${table(
        ['runbook', 'severity', 'owner', 'signals', 'what it means'],
        of.map(({ id, title, severity, owner, signals, summary }) => [
          `[${title}](../runbooks/${id}.md)`,
          severity,
          owner,
          signals.map((signal) => `\`${signal}\``).join(', '),
          summary.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1'),
        ]),
      )}\n`,
  )
  .join('\n')}`;
}
