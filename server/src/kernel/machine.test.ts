import { defineMachine, edges, type MachineTable, machines, projectMachine } from '@gpuaas/contract';
import { describe, expect, it } from 'vitest';
import { sql } from './act.ts';
import { Fault } from './fault.ts';
import { makeAdvance, notFrom, stepOf } from './machine.ts';

/** Every cell of every table: what leads somewhere, and what must not. Nothing here names a machine of the product. */
const cells = machines.flatMap((machine) => {
  const transitions = [...new Set(edges(machine).map(({ transition }) => transition))];
  return Object.keys(machine.states).flatMap((state) =>
    transitions.map((transition) => ({
      machine,
      name: machine.name,
      state,
      transition,
      to: machine.states[state]?.[transition],
    })),
  );
});
const statements = { lock: sql('lock', 'lock'), move: sql('move', 'move') };

/** One row in memory, behind the two statements of an applier. */
function rowOf(state: string, version: number) {
  const row = { state, version: BigInt(version) };
  const tx = {
    rows: async () => (row.state === 'absent' ? [] : [{ ...row }]),
    run: async (_: unknown, [, to, next]: [string, string, number]) => {
      row.state = to;
      row.version = BigInt(next);
      return 1;
    },
  };
  // The applier uses two of a transaction's methods, and a transaction cannot be made outside of the kernel.
  return { row, tx: tx as never };
}
const advanceOf = (machine: MachineTable) => {
  const next = (from: string, transition: string) => machine.states[from]?.[transition];
  return makeAdvance(
    { ...machine, next, may: (transition: string, from: string) => next(from, transition) !== undefined } as never,
    statements,
  );
};

describe('every machine', () => {
  it.each(machines)('$name begins and ends in states of its own, and reaches all of them', (machine) => {
    expect(machine.states).toHaveProperty(machine.initial);
    const reached = new Set([machine.initial]);
    for (const state of reached) for (const to of Object.values(machine.states[state] ?? {})) reached.add(to);
    expect([...reached].sort()).toEqual(Object.keys(machine.states).sort());
    for (const end of machine.terminal) expect(machine.states[end]).toEqual({});
    const deadEnds = Object.keys(machine.states).filter(
      (state) => Object.keys(machine.states[state] ?? {}).length === 0,
    );
    expect(deadEnds.sort()).toEqual([...machine.terminal].sort());
  });

  it.each(cells)('$name: $transition in $state leads to $to', async ({ machine, state, transition, to }) => {
    const { row, tx } = rowOf(state, 4);
    const outcome = await advanceOf(machine)(tx, 'id', transition as never);
    if (to !== undefined) {
      expect(outcome).toEqual({ from: state, to, version: 5 });
      expect(row).toEqual({ state: to, version: 5n });
      return;
    }
    expect(outcome).toBeInstanceOf(Fault);
    expect(outcome).toMatchObject({
      code: 'illegal_transition',
      details: { state, possible: Object.keys(machine.states[state] ?? {}) },
    });
    expect((outcome as Fault).message).toContain(`It is ${state}`);
    expect(row).toEqual({ state, version: 4n });
  });
});

describe('a step', () => {
  const door = defineMachine({
    name: 'door',
    initial: 'open',
    terminal: ['bricked'],
    states: {
      open: { close: 'closed', brick: 'bricked', flip: 'closed' },
      closed: { brick: 'bricked', flip: 'open' },
      bricked: {},
    },
  });

  it('begins where the table has it, and leads to one state', () => {
    expect(stepOf(door, 'brick')).toEqual({ from: ['open', 'closed'], to: 'bricked' });
    expect(stepOf(door, 'close')).toEqual({ from: ['open'], to: 'closed' });
  });

  it('that leads to several states, or to none, is a mistake', () => {
    expect(() => stepOf(door, 'flip')).toThrow('flip does not lead to one state');
    expect(() => stepOf(door, 'melt' as 'flip')).toThrow('melt does not lead to one state');
  });

  it('that is refused says what can be done instead, if anything', () => {
    expect(notFrom(door, 'closed').message).toBe('It is closed, which does not allow this. Possible now: brick, flip.');
    expect(notFrom(door, 'bricked').message).toBe('It is bricked, which does not allow this.');
  });
});

describe('an applier', () => {
  const advance = makeAdvance(projectMachine, statements);

  it('locks the row that it was asked about, and writes what comes with the move', async () => {
    const asked: unknown[] = [];
    const tx = {
      rows: async (statement: unknown, values: unknown) => {
        asked.push([statement, values]);
        return [{ state: 'active', version: 4n }];
      },
      run: async (statement: unknown, values: unknown) => {
        asked.push([statement, values]);
        return 1;
      },
    };
    await advance(tx as never, 'one', 'archive', 4, ['why']);
    await advance(tx as never, 'two', 'archive');
    expect(asked).toEqual([
      [statements.lock, ['one']],
      [statements.move, ['one', 'archived', 5, 'why']],
      [statements.lock, ['two']],
      [statements.move, ['two', 'archived', 5]],
    ]);
  });

  it('answers nothing for a row that is not there', async () => {
    expect(await advance(rowOf('absent', 1).tx, 'id', 'archive')).toBeUndefined();
  });

  it('refuses when the caller saw another version, before it looks at the table', async () => {
    const { row, tx } = rowOf('deleted', 4);
    expect(await advance(tx, 'id', 'archive', 3)).toMatchObject({ code: 'version_conflict', details: { version: 4 } });
    expect(row.version).toBe(4n);
  });

  it('moves when the caller saw this version', async () => {
    expect(await advance(rowOf('active', 4).tx, 'id', 'archive', 4)).toEqual({
      from: 'active',
      to: 'archived',
      version: 5,
    });
  });

  it('refuses a row in a state that the table does not know', async () => {
    expect(await advance(rowOf('melted', 1).tx, 'id', 'archive')).toMatchObject({
      code: 'illegal_transition',
      details: { possible: [] },
    });
  });

  it('answers from the table alone whether something may happen', () => {
    expect(projectMachine.may('archive', 'active')).toBe(true);
    expect(projectMachine.may('archive', 'deleted')).toBe(false);
  });
});
