import type { MachineTable, Route } from '@gpuaas/contract';
import type { Contract } from '../contract.ts';

/**
 * What the types of the contract cannot refuse: two declarations that collide, or one that speaks of something another
 * does not have. Emitting starts here, so that no document is ever written from a contract that contradicts itself.
 */
export function checkContract(contract: Contract): void {
  const complaints = [
    ...repeated(contract.routes, (route) => route.id, 'route id'),
    ...repeated(contract.routes, (route) => `${route.method} ${route.path}`, 'route'),
    ...repeated(contract.events, (event) => `${event.type} ${event.version}`, 'event'),
    ...repeated(contract.machines, (machine) => machine.name, 'machine'),
    ...contract.routes.flatMap((route) => checkRoute(contract, route)),
    ...contract.events
      .filter((event) => streamOf(contract, event.type) === undefined)
      .map((event) => `Event ${event.type}: no stream keeps this family; its first word must be one of the streams'.`),
    ...contract.machines.flatMap(checkMachine),
  ];
  if (complaints.length > 0) throw new Error(`The contract contradicts itself:\n  ${complaints.join('\n  ')}`);
}

export function streamOf(contract: Pick<Contract, 'streams'>, type: string): string | undefined {
  const family = `${type.split('.')[0]}.>`;
  return Object.entries(contract.streams).find(([, { subjects }]) => subjects === family)?.[0];
}

export const pathParams = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map((match) => match[1] ?? '');

export const propertiesOf = (schema: object | undefined): Record<string, object> =>
  schema !== undefined && 'properties' in schema ? (schema.properties as Record<string, object>) : {};

function repeated<T>(things: readonly T[], nameOf: (thing: T) => string, what: string): string[] {
  const names = things.map(nameOf);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))].map(
    (name) => `The ${what} "${name}" is declared more than once.`,
  );
}

function checkRoute(contract: Contract, route: Route): string[] {
  const inPath = pathParams(route.path);
  const declared = Object.keys(propertiesOf(route.params));
  const complaints = [
    ...inPath.filter((name) => !declared.includes(name)).map((name) => `the path names {${name}}, params do not`),
    ...declared.filter((name) => !inPath.includes(name)).map((name) => `params name "${name}", the path does not`),
    ...route.errors.filter((code) => !(code in contract.errors)).map((code) => `no error is called ${code}`),
  ];
  if (route.path.includes(':')) complaints.push('path parameters are written {name}, not :name');
  if ('param' in route.tenancy && !inPath.includes(route.tenancy.param)) {
    complaints.push(`tenancy reads {${route.tenancy.param}}, which the path does not have`);
  }
  return complaints.map((complaint) => `Route ${route.id}: ${complaint}.`);
}

function checkMachine({ name, states, initial, terminal }: MachineTable): string[] {
  const reached = new Set([initial]);
  // A set grows while it is walked, and the walk sees what was added: this is the closure.
  for (const state of reached) for (const to of Object.values(states[state] ?? {})) reached.add(to);
  const complaints = [
    ...[...reached].filter((state) => !(state in states)).map((state) => `"${state}" is no declared state`),
    ...Object.keys(states)
      .filter((state) => !reached.has(state))
      .map((state) => `nothing leads to "${state}"`),
    ...terminal
      .filter((state) => Object.keys(states[state] ?? {}).length > 0)
      .map((state) => `"${state}" is terminal and yet has a way out`),
    ...Object.entries(states)
      .filter(([state, out]) => Object.keys(out).length === 0 && !terminal.includes(state))
      .map(([state]) => `"${state}" has no way out and is not called terminal`),
  ];
  return complaints.map((complaint) => `Machine ${name}: ${complaint}.`);
}
