import type { Machine, MachineTable, Transition } from '@gpuaas/contract';
import type { Sql, WriteTx } from './act.ts';
import { Fault } from './fault.ts';

type StatesOf = MachineTable['states'];

/** A row that a machine governs: where it is, and how often it has moved. */
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly version: number;
}

/** Why a transition is not possible: the state of the row, and the possible transitions. */
export function notFrom(machine: MachineTable, state: string): Fault<'illegal_transition'> {
  const possible = Object.keys(machine.states[state] ?? {});
  const instead = possible.length > 0 ? ` Possible now: ${possible.join(', ')}.` : '';
  return new Fault('illegal_transition', `It is ${state}, which does not allow this.${instead}`, { state, possible });
}

/** Where a transition may begin, and the one state that it leads to from all of these. */
export function stepOf<S extends StatesOf>(
  machine: Machine<S>,
  transition: Transition<S>,
): { readonly from: readonly (keyof S & string)[]; readonly to: keyof S & string } {
  const from = Object.keys(machine.states).filter((state) => machine.may(transition, state));
  const [to, another] = new Set(from.map((state) => machine.next(state, transition)));
  if (to === undefined || another !== undefined) throw new Error(`${transition} does not lead to one state`);
  return { from, to };
}

/**
 * Applies one transition: locks the row, checks the table, checks the version the caller saw, writes state and version.
 * A domain makes one of these per machine and changes state through nothing else; the database refuses the rest.
 */
export function makeAdvance<S extends StatesOf>(
  machine: Machine<S>,
  statements: {
    /** By id; answers `state` and `version`, and locks the row until the transaction ends. */
    readonly lock: Sql;
    /** Id, new state, new version, and then whatever else is to be written with them. */
    readonly move: Sql;
  },
) {
  return async (
    tx: WriteTx,
    id: string,
    transition: Transition<S>,
    seenVersion?: number,
    also: readonly unknown[] = [],
  ): Promise<Moved | undefined | Fault<'illegal_transition' | 'version_conflict'>> => {
    const [row] = await tx.rows<{ state: string; version: bigint }>(statements.lock, [id]);
    if (!row) return undefined;
    const version = Number(row.version);
    if (seenVersion !== undefined && seenVersion !== version) {
      return new Fault(
        'version_conflict',
        `It was changed in the meantime: you saw version ${seenVersion}, it is at ${version}.`,
        {
          version,
        },
      );
    }
    const to = machine.next(row.state, transition);
    if (to === undefined) return notFrom(machine, row.state);
    await tx.run(statements.move, [id, to, version + 1, ...also]);
    return { from: row.state, to, version: version + 1 };
  };
}
