import { type CommandSpec, everyFlag, type FlagSpec } from '../../../cli/src/command.ts';
import { groups } from '../../../cli/src/commands.ts';
import { exitMeanings } from '../../../cli/src/failure.ts';
import { flagLines, usageOf } from '../../../cli/src/help.ts';

/** The reference page of the command line, from the same table as its help. */
export const emitCliReference = (): string => `# Command line

Emitted from the table of commands by \`npm run gen\`; changes are lost. The [tutorial](../tutorials/first-gpu.md) shows how
they go together.

## Every command

${flagTable(everyFlag)}
An allocation is named by its id, its name, or when it was launched from this machine: \`@last\`, \`@2\` for the one before.
Lengths of time are written \`90s\`, \`30m\`, \`3h\`, \`2d\`. A table is for people: in scripts use \`-o json\`, \`--json FIELD,…\`,
\`--jq\` (jq itself comes with the program) or \`-o name\`. Answers go to standard output, everything else to standard error.

## What is in force

A flag comes before the environment, that before the project file, and that before what the profile keeps.
\`gpuaas config list\` shows every setting with where it comes from.

| setting | flag | environment | project file | profile |
|---|---|---|---|---|
| profile | \`--profile\` | \`GPUAAS_PROFILE\` | \`profile\` | \`gpuaas profile use\` |
| installation | \`--base-url\` | \`GPUAAS_BASE_URL\` | | \`gpuaas login\` |
| project | \`--project\` | \`GPUAAS_PROJECT\` | \`project\` | \`gpuaas project use\` |
| region | \`--region\` | \`GPUAAS_REGION\` | \`region\` | \`gpuaas config set region\` |
| output | \`--output\` | \`GPUAAS_OUTPUT\` | \`output\` | |
| sign-in | | \`GPUAAS_TOKEN\` | | \`gpuaas login\` |

The project file is \`.gpuaas.toml\` in the folder where a command is typed, or above it. It can choose among what you have;
it names no installation, answers no question and switches nothing on, because it may come with a foreign repository.

\`\`\`toml
profile = "work"
project = "vision"
region = "eu-1"

[defaults.launch]        # flags of a command that take a value
for = "3h"
idle-stop = "30m"
ssh-key = ["laptop", "desk"]
\`\`\`

## How it ends

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
