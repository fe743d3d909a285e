import { STATUS_CODES } from 'node:http';
import {
  type EventKind,
  type Policy,
  platformRoles,
  policies,
  policyLevels,
  type Route,
  selfScopes,
  tenantRoles,
} from '@gpuaas/contract';
import type { TSchema } from 'typebox';
import { consumersOf } from './contract/asyncapi.ts';
import { streamOf } from './contract/check-contract.ts';
import type { Contract } from './contract.ts';
import { byText } from './json.ts';
import { allErrors } from './mount-errors.ts';
import { table } from './table.ts';

/** Reference pages for people, from the same tables that the programs work with. */

const code = (text: string): string => `\`${text}\``;

/** Every refusal has an anchor of its own, because the `type` of a problem leads here. */
export function emitErrors({ errors, routes }: Contract): string {
  const byStatus = Map.groupBy(Object.entries(errors), ([, { status }]) => status);
  const sections = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, kinds]) => {
      const entries = kinds.map(([name, { meaning, whoActs, retryable }]) => {
        const speakers = routes.filter((route) => allErrors(route).some((each) => each === name)).map(({ id }) => id);
        return `### ${name}

${meaning}

- Who acts: ${whoActs}.
- The same request again: ${retryable ? 'may succeed later' : 'is refused again until something is changed'}.
- Answered by: ${speakersOf(speakers, routes.length)}.
`;
      });
      return `## ${status} ${STATUS_CODES[status]}\n\n${entries.join('\n')}`;
    });
  return `# Errors

Emitted from [errors.ts](../../contract/src/errors.ts) by \`npm run gen\`. Every refusal is \`application/problem+json\`: \`code\` is
one of these and is what programs branch on, \`message\` is about the very request, \`correlation_id\` finds it in logs, traces,
audit and events, and \`type\` leads to its place on this page. A code is never renamed and never changes its status.

${sections.join('\n')}`;
}

/** Names where they help, a number where there are too many. */
function speakersOf(ids: readonly string[], all: number): string {
  if (ids.length === 0) return 'no operation yet, or before one is reached';
  if (ids.length > all / 2) return 'most operations';
  return ids.length > 12 ? `${ids.length} operations` : ids.toSorted(byText).map(code).join(', ');
}

export function emitEventReference(contract: Contract): string {
  const byStream = Map.groupBy(contract.events, ({ type }) => streamOf(contract, type) ?? 'OTHER');
  const sections = [...byStream].map(([stream, events]) => {
    const days = contract.streams[stream]?.maxAgeDays;
    const entries = events.toSorted((a, b) => byText(a.type, b.type)).map(showEvent);
    return `## ${stream}\n\nKept on the bus for ${days} days.\n\n${entries.join('\n')}`;
  });
  return `# Events

Emitted from the catalog by \`npm run gen\`; programs read [asyncapi.json](../../api/asyncapi.json). An event is written in the
transaction of the change that it tells of. Events of one key reach each consumer in the order of their commits, at least
once: tell repetitions by \`event_id\`. Ignore members that you do not know; a change that would break you is a new version
beside the old one.

Those of a project are streamed by \`GET /api/v1/events/stream\`; \`gpuaas events tail\` shows them in a terminal.

${table(
  ['in every envelope', 'what'],
  [
    ['`event_id`', 'the same in every repetition'],
    ['`event_type`, `version`', 'which of the events below, and which version of its payload'],
    ['`occurred_at`', 'when the change was committed'],
    ['`correlation_id`', 'of the request, or the step, that made the change'],
    ['`organization_id`, `project_id`, `actor_id`', 'whose it is and who did it, where there is one'],
    ['`payload`', 'the fields below'],
  ],
)}

${sections.join('\n')}`;
}

function showEvent(event: EventKind): string {
  const listeners = consumersOf(event);
  const fields = Object.entries((event.payload as { properties?: Record<string, TSchema> }).properties ?? {});
  const required = (event.payload as { required?: readonly string[] }).required ?? [];
  const rows = fields.map(([name, schema]) => [
    code(name),
    typeOf(schema),
    required.includes(name) ? '' : 'optional',
    'description' in schema ? String(schema.description) : '',
  ]);
  return `### ${event.type}

${event.summary} Version ${event.version}; from ${[event.producer, ...(event.alsoFrom ?? [])].join(' and ')}${listeners.length > 0 ? `, heard by ${listeners.join(', ')}` : ''}.

${rows.length > 0 ? `${table(['field', 'type', '', 'meaning'], rows)}\n` : 'Nothing besides the envelope.\n'}`;
}

/** A schema in a word. */
function typeOf(schema: TSchema): string {
  const {
    type,
    format,
    enum: choices,
    anyOf,
    const: only,
    items,
  } = schema as {
    type?: string;
    format?: string;
    enum?: readonly unknown[];
    anyOf?: readonly TSchema[];
    const?: unknown;
    items?: TSchema;
  };
  if (only !== undefined) return code(String(only));
  if (choices) return choices.map((choice) => code(String(choice))).join(', ');
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (type === 'array') return items ? `list of ${typeOf(items)}` : 'list';
  return format ?? type ?? 'anything';
}

export function emitPolicies(): string {
  const families = Map.groupBy(policies as readonly Policy[], ({ key }) => key.split('.')[0] ?? key);
  const sections = [...families]
    .sort(([a], [b]) => byText(a, b))
    .map(([family, own]) => {
      const rows = own
        .toSorted((a, b) => byText(a.key, b.key))
        .map((policy) => [code(policy.key), policy.description, defaultOf(policy), boundsOf(policy)]);
      return `## ${family}\n\n${table(['policy', 'what', 'default', 'bounds'], rows)}\n`;
    });
  return `# Policies

Emitted from [policies.ts](../../contract/src/policies.ts) by \`npm run gen\`. A policy is a number or a choice that operators
change while everything runs: [how](../guides/change-a-limit.md). It is looked for at these levels, and the first that is set
counts: ${policyLevels.join(', ')}; then the default. A global value that is set as hard goes before all of them.

${sections.join('\n')}`;
}
function defaultOf(policy: Policy): string {
  const value = policy.type === 'integer' ? policy.default.toLocaleString('en-US') : String(policy.default);
  return `${value}${policy.unit === undefined ? '' : ` ${policy.unit}`}`;
}
function boundsOf(policy: Policy): string {
  switch (policy.type) {
    case 'integer':
      return `${policy.minimum.toLocaleString('en-US')} to ${policy.maximum.toLocaleString('en-US')}`;
    case 'boolean':
      return 'true, false';
    case 'choice':
      return policy.choices.join(', ');
  }
}

export function emitScopes({ scopes, routes }: Contract): string {
  const holders = (roles: Readonly<Record<string, readonly string[]>>, scope: string) =>
    Object.entries(roles).flatMap(([role, held]) => (held.includes(scope) ? [role] : []));
  const rows = Object.entries(scopes).map(([scope, meaning]) => [
    code(scope),
    meaning,
    [
      ...((selfScopes as readonly string[]).includes(scope) ? ['anyone, about themselves'] : []),
      ...holders(tenantRoles, scope),
      ...holders(platformRoles, scope),
    ].join(', '),
    String(routes.filter((route) => scopeOf(route) === scope).length),
  ]);
  const forMachines = routes.filter(({ auth }) => auth.kind === 'user' && auth.serviceAccounts === 'allowed');
  const machineScopes = [...new Set(forMachines.flatMap((route) => scopeOf(route) ?? []))].sort(byText);
  return `# Scopes and roles

Emitted from [scopes.ts](../../contract/src/scopes.ts) by \`npm run gen\`. A role is a set of scopes; a token may narrow what its
owner may do, and never widens it. [Who may do what](../authorisation.md) has every operation with every role.

${table(['scope', 'lets one', 'held by', 'operations'], rows)}

## Service accounts

Machines may call ${forMachines.length} of ${routes.length} operations, and need one of these scopes for it: ${machineScopes.map(code).join(', ')}.

## Roles in an organization

${table(
  ['role', 'scopes'],
  Object.entries(tenantRoles).map(([role, held]) => [role, held.map(code).join(', ')]),
)}

## Roles on the platform

${table(
  ['role', 'scopes'],
  Object.entries(platformRoles).map(([role, held]) => [role, held.map(code).join(', ') || 'none yet']),
)}
`;
}
const scopeOf = ({ auth }: Route): string | undefined => ('scope' in auth ? auth.scope : undefined);
