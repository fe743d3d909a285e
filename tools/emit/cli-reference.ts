import { type CommandSpec, everyFlag, type FlagSpec } from '../../cli/src/command.ts';
import { groups } from '../../cli/src/commands.ts';
import { exitMeanings } from '../../cli/src/failure.ts';
import { flagLines, usageOf } from '../../cli/src/help.ts';

/** The reference page of the command line, from the same table as its help. */
export const emitCliReference = (): string => `# Command line

Emitted from the table of commands by \`npm run gen\`; changes are lost. The [tutorial](../tutorials/first-gpu.md) shows how
they go together.

## Every command

${flagTable(everyFlag)}
A flag comes before the environment, and that before what a profile keeps. An allocation is named by its id, its name, or
\`@last\`: the one that was launched last from this machine. Lengths of time are written \`90s\`, \`30m\`, \`3h\`, \`2d\`.

| exit code | meaning |
|---|---|
${exitMeanings.map(([code, meaning]) => `| ${code} | ${meaning} |\n`).join('')}
${groups.map(({ title, commands }) => `## ${title}\n\n${commands.map(sectionOf).join('\n')}`).join('\n')}`;

function sectionOf(command: CommandSpec): string {
  const { name, summary, description, args = [], flags = {}, examples } = command;
  const described = args.map(({ name: arg, meaning }) => `- \`${arg}\`: ${meaning}\n`).join('');
  return `### gpuaas ${name}

${description ?? `${summary}.`}

\`\`\`
${usageOf(command)}
\`\`\`

${described === '' ? '' : `${described}\n`}${Object.keys(flags).length === 0 ? '' : `${flagTable(flags)}\n`}\`\`\`
${examples.join('\n')}
\`\`\`
`;
}

const flagTable = (flags: Readonly<Record<string, FlagSpec>>): string =>
  `| option | meaning |\n|---|---|\n${flagLines(flags)
    .map(([left, right]) => `| \`${left.replaceAll('|', '\\|')}\` | ${right.replaceAll('|', '\\|')} |\n`)
    .join('')}`;
