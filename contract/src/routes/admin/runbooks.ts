import { type Static, Type } from 'typebox';
import { defineRoute } from '../../route.ts';

const strict = { additionalProperties: false } as const;
const operators = { kind: 'none', why: 'The same pages for every operator of the platform.' } as const;

export const Runbook = Type.Object(
  {
    id: Type.String({ description: 'Stable, for programs and links: `node-lost`.' }),
    title: Type.String(),
    category: Type.String({ description: 'What it is about: `events`, `nodes`, `billing`.' }),
    severity: Type.Enum(['critical', 'warning', 'info']),
    owner: Type.String({ description: 'The domain of the product that owns it.' }),
    signals: Type.Array(Type.String(), {
      description:
        'What leads here: alerts of Prometheus, findings of the health of the platform, sources of alerts of nodes, kinds of incidents. One that ends in * stands for all that begin so.',
    }),
    summary: Type.String({ description: 'What it means, in a sentence.' }),
    page: Type.String({ description: 'Where this installation serves it: `/docs/runbooks/node-lost`.' }),
  },
  { $id: 'Runbook', ...strict },
);
export type Runbook = Static<typeof Runbook>;

export const RunbookPage = Type.Object(
  { ...Runbook.properties, text: Type.String({ description: 'The whole page, as Markdown.' }) },
  { $id: 'RunbookPage', ...strict },
);
export type RunbookPage = Static<typeof RunbookPage>;

export const runbookList = defineRoute({
  id: 'runbook_list',
  method: 'GET',
  path: '/api/v1/admin/runbooks',
  tag: 'AdminOps',
  summary: 'The runbooks: what to do about each alert and each kind of incident',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: operators,
  lane: 'admin',
  errors: [],
  query: Type.Object(
    {
      signal: Type.Optional(Type.String({ maxLength: 128, description: 'Only those that this signal leads to.' })),
      category: Type.Optional(Type.String({ maxLength: 64, description: 'Only of this category.' })),
      q: Type.Optional(
        Type.String({ maxLength: 128, description: 'Part of the title, of a signal, or of what it means.' }),
      ),
    },
    strict,
  ),
  response: Type.Object({ data: Type.Array(Runbook) }, strict),
});

export const runbookGet = defineRoute({
  id: 'runbook_get',
  method: 'GET',
  path: '/api/v1/admin/runbooks/{runbook_id}',
  tag: 'AdminOps',
  summary: 'One runbook with its text, by its id or by a signal that leads to it',
  auth: { kind: 'admin', scope: 'fleet:read' },
  tenancy: operators,
  lane: 'admin',
  errors: ['runbook_not_found'],
  params: Type.Object({ runbook_id: Type.String({ minLength: 1, maxLength: 128 }) }, strict),
  response: RunbookPage,
});
