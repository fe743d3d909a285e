import { errors, personas, type Verdict, verdictOf } from '@gpuaas/contract';
import type { Contract } from './contract.ts';
import { table } from './table.ts';

const sign = (verdict: Verdict): string => (verdict === 'allowed' ? 'yes' : String(errors[verdict].status));

/** Who may do what, operation by operation. A test tries every cell of this table against the running api. */
export function emitAuthorisation({ routes }: Contract): string {
  const head = ['operation', 'scope', 'about', ...personas];
  const rows = routes.map((route) => [
    `\`${route.method} ${route.path}\``,
    'scope' in route.auth ? route.auth.scope : route.auth.kind,
    route.tenancy.kind,
    ...personas.map((persona) => sign(verdictOf(route, persona))),
  ]);
  return `---
status: shipped
capabilities: GAP-06
---

# Who may do what

Emitted from the contract by \`npm run gen\`; every cell is tried against the running api by
[server/test/routes/authorisation.test.ts](../server/test/routes/authorisation.test.ts). Tenant roles are those of a
member of the organization that the request is about; a stranger is signed in and belongs to another organization. An
object of another tenant and one that does not exist get the same 404, to the byte.

\`yes\` means allowed; a number is the status of the refusal.

${table(head, rows)}
`;
}
