import { processes } from '../../../server/src/bin/processes.ts';
import { variable } from '../../../server/src/kernel/process/config.ts';
import { consumersOf } from '../contract/asyncapi.ts';
import { streamOf } from '../contract/check-contract.ts';
import type { Contract } from '../contract.ts';
import { byText } from '../json.ts';
import { table } from '../table.ts';

const code = (text: string): string => `\`${text}\``;
const codes = (texts: readonly string[]): string => texts.toSorted(byText).map(code).join(', ');

interface Field {
  readonly description?: string;
  readonly default?: unknown;
}

/** Where a process listens: each setting that is a port, with what comes there. */
const portsOf = (properties: object): string[][] =>
  Object.entries(properties as Record<string, Field>)
    .filter(([name]) => /(?:^p|P)ort$/.test(name))
    .map(([name, { description = '', default: value }]) => [
      code(variable(name)),
      value === undefined ? 'none' : String(value),
      description,
    ]);

/** Who carries which stream to whom: the arrows of the bus, one for each pair. */
function diagram(contract: Contract): string {
  const arrows = contract.events.flatMap((event) => {
    const stream = streamOf(contract, event.type) ?? 'OTHER';
    const into = [event.producer, ...(event.alsoFrom ?? [])].map((name) => `  ${name} --> ${stream}[(${stream})]`);
    return [...into, ...consumersOf(event).map((name) => `  ${stream}[(${stream})] --> ${name}`)];
  });
  return ['```mermaid', 'flowchart LR', ...[...new Set(arrows)].sort(byText), '```'].join('\n');
}

export function emitProcesses(contract: Contract): string {
  const sections = processes.map(({ spec, login, keys }) => {
    const subscribes = contract.events
      .filter((event) => consumersOf(event).includes(spec.name))
      .map(({ type }) => type);
    const publishes = contract.events
      .filter(({ producer, alsoFrom }) => [producer, ...(alsoFrom ?? [])].includes(spec.name))
      .map(({ type }) => type);
    const ports = portsOf(spec.config.properties);
    return `## ${spec.name}

${spec.summary} Started by [main.ts](../../server/src/bin/${spec.name}/main.ts).

- Asks for: ${spec.needs.length === 0 ? 'nothing' : codes(spec.needs.map(String))}.
- Database role: ${login === undefined ? 'none' : code(login)}. Sealing keys: ${keys.length === 0 ? 'none' : codes(keys)}.
- Subscribes to: ${subscribes.length === 0 ? 'nothing' : codes(subscribes)}.
- Publishes: ${publishes.length === 0 ? 'nothing' : codes(publishes)}.

${ports.length === 0 ? 'It listens on its health port alone.' : table(['port', 'default', 'what comes there'], ports)}
`;
  });
  return `# Processes

What runs, what each process listens on, and which events it publishes and subscribes to. The reasons are in the [architecture](../architecture.md), every setting
in the [configuration](../reference/configuration.md), every event in [events](../reference/events.md). Each process also serves \`/healthz\`, \`/readyz\` and
\`/metrics\` on its health port.

${diagram(contract)}

${sections.join('\n')}`;
}
