import { isWrite, laneOf, type Route, stepUpOf } from '@gpuaas/contract';
import { consumersOf } from './contract/asyncapi.ts';
import { streamOf } from './contract/check-contract.ts';
import type { Contract } from './contract.ts';
import { byText } from './json.ts';

/**
 * One line for each thing. These files exist for the reviewer: a permission that widens or a consumer that appears is
 * one changed line here, however the code that caused it is arranged.
 */
export const emitRoutes = (contract: Contract): string =>
  align(
    ['METHOD', 'PATH', 'ACCESS', 'TENANCY', 'LANE', 'IDEMPOTENCY', 'AUDIT'],
    contract.routes
      .toSorted((a, b) => byText(a.path, b.path) || byText(a.method, b.method))
      .map((route) => [
        route.method,
        route.path,
        `${access(route)}${stepUpOf(route) ? ' step-up' : ''}`,
        tenancy(route),
        laneOf(route),
        isWrite(route) ? (route.idempotency === 'key' ? 'key' : 'natural') : '-',
        isWrite(route) ? route.audit : '-',
      ]),
  );

export const emitEvents = (contract: Contract): string =>
  align(
    ['EVENT', 'VERSION', 'STREAM', 'PRODUCER', '', 'CONSUMERS'],
    contract.events
      .toSorted((a, b) => byText(a.type, b.type) || byText(a.version, b.version))
      .map((event) => [
        event.type,
        event.version,
        streamOf(contract, event.type) ?? '-',
        event.producer,
        '->',
        consumersOf(event).toSorted(byText).join(', ') || '-',
      ]),
  );

/** `user+sa` is a route that service accounts may call too; `user-pat` one that personal access tokens may not. */
function access({ auth }: Route): string {
  switch (auth.kind) {
    case 'user':
      return `user${auth.serviceAccounts === 'allowed' ? '+sa' : ''}${auth.personalTokens ? '-pat' : ''} ${auth.scope}`;
    case 'admin':
      return `admin ${auth.scope}`;
    default:
      return auth.kind;
  }
}

const tenancy = ({ tenancy }: Route): string =>
  'param' in tenancy ? `${tenancy.kind} {${tenancy.param}}` : tenancy.kind;

function align(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const table = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  return table
    .map(
      (row) =>
        `${row
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd()}\n`,
    )
    .join('');
}
