import { policies } from '@gpuaas/contract';
import type { Contract } from '../contract.ts';
import { byText } from '../json.ts';
import { table } from '../table.ts';

/** What we promise to programs, counted and linked. */
export function emitSurface(contract: Contract): string {
  const { routes, events, errors, scopes, streams, machines } = contract;
  const byTag = [...Map.groupBy(routes, ({ tag }) => tag)].sort(([a], [b]) => byText(a, b));
  const tags = byTag.map(([tag, of]) => [
    tag,
    String(of.length),
    String(of.filter(({ method }) => method !== 'GET').length),
    of.some(({ auth }) => auth.kind === 'admin') ? 'operators' : 'tenants',
  ]);
  const subjects = Object.entries(streams).map(([name, { subjects: of, maxAgeDays }]) => [
    `\`${name}\``,
    `\`${of}\``,
    `${maxAgeDays} days`,
    String(events.filter(({ type }) => type.startsWith(of.replace('>', ''))).length),
  ]);
  return `# The contract in numbers

What programs may rely on. All of it is data in [contract/src](../../contract/src); the files for programs are emitted from it, a gate compares them with
the last release, and a change that breaks a program fails the build ([adding an endpoint](../guides/adding-an-endpoint.md)).

${table(
  ['what', 'how many', 'for programs', 'for people'],
  [
    [
      'operations',
      String(routes.length),
      '[openapi.json](../../api/openapi.json)',
      '[who may do what](../authorisation.md)',
    ],
    ['events', String(events.length), '[asyncapi.json](../../api/asyncapi.json)', '[events](../reference/events.md)'],
    [
      'errors',
      String(Object.keys(errors).length),
      '[openapi.json](../../api/openapi.json)',
      '[errors](../reference/errors.md)',
    ],
    [
      'scopes',
      String(Object.keys(scopes).length),
      '[openapi.json](../../api/openapi.json)',
      '[scopes and roles](../reference/scopes.md)',
    ],
    ['policies', String(policies.length), '`GET /api/v1/admin/policies`', '[policies](../reference/policies.md)'],
    [
      'state machines',
      String(machines.length),
      '[node-protocol.json](../../api/node-protocol.json) has those of tasks',
      '[drawn below](#state-machines)',
    ],
  ],
)}

## Operations by subject

${table(['subject', 'operations', 'that change something', 'for'], tags)}

## Streams of events

${table(['stream', 'subjects', 'kept on the bus', 'events'], subjects)}

## State machines

Each is a table in [contract/src/machines](../../contract/src/machines), drawn on a page of its own; the database refuses every edge that is not in it.

${table(
  ['machine', 'states', 'begins', 'ends'],
  machines
    .toSorted((a, b) => byText(a.name, b.name))
    .map(({ name, states, initial, terminal }) => [
      `[${name.replaceAll('_', ' ')}](../../api/machines/${name}.md)`,
      String(Object.keys(states).length),
      `\`${initial}\``,
      terminal.map((state) => `\`${state}\``).join(', ') || 'never',
    ]),
)}
`;
}
