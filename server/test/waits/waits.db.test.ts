import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { machines, policies, type TimedState, type Wait, waits } from '@gpuaas/contract';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { dayMs, hourMs, minuteMs, secondMs } from '../../src/kernel/units.ts';
import { endings } from './endings.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
beforeEach(async () => {
  stage = await openStage();
});
afterEach(() => stage.close());

const unitMs: Readonly<Record<string, number>> = {
  ...{ seconds: secondMs, minutes: minuteMs, hours: hourMs, days: dayMs },
};
function deadlineMs(key: string): number {
  const policy = policies.find((each) => each.key === key);
  const unit = policy?.type === 'integer' ? unitMs[policy.unit] : undefined;
  if (policy?.type !== 'integer' || unit === undefined) throw new Error(`${key} is no length of time`);
  return policy.default * unit;
}
function rowOf(name: TimedState) {
  const [machine = '', state = ''] = name.split('.');
  const wait = (waits as Readonly<Record<string, Readonly<Record<string, Wait>>>>)[machine]?.[state];
  const table = machines.find((each) => each.name === machine);
  if (wait?.until !== 'deadline' || !table) throw new Error(`${name} is no state that time ends`);
  return { state, wait, next: table.states[state]?.[wait.then] };
}
/** What is stored where the row says so: in the row of the object, or in the last one about it. */
async function reasonOf(id: string, where: string): Promise<unknown> {
  const [table, column] = where.split('.');
  const text =
    table === 'allocation_timeline'
      ? `select ${column} ->> 'reason' as reason from allocation_timeline where allocation_id = $1 order by id desc limit 1`
      : table === 'audit_logs'
        ? `select ${column} ->> 'ended_by' as reason from audit_logs where target_id = $1 order by id desc limit 1`
        : `select ${column} as reason from ${table} where id = $1`;
  return (await stage.yard.root.query(text, [id])).rows[0]?.reason;
}

describe('what waits ends by itself, with a stored reason', () => {
  it.each(Object.keys(endings) as TimedState[])('%s', async (name) => {
    const { state, wait, next } = rowOf(name);
    const { table, put } = endings[name];
    const { id, round } = await put(stage);
    const stateNow = async () =>
      (await stage.yard.root.query(`select state from ${table} where id = $1`, [id])).rows[0].state;
    expect(await stateNow()).toBe(state);
    // Not before its time.
    stage.pass(deadlineMs(wait.policy) / 2);
    await round();
    expect(await stateNow()).toBe(state);
    const reasonBefore = await reasonOf(id, wait.reason);
    stage.pass(deadlineMs(wait.policy));
    await round();
    expect(await stateNow()).toBe(next);
    // The ending wrote it: nothing of the sort was there before.
    const reason = await reasonOf(id, wait.reason);
    expect(reason).toEqual(expect.any(String));
    expect(reason).not.toBe('');
    expect(reason).not.toEqual(reasonBefore);
  });

  it('is ended by code whose name is called in a program under bin', () => {
    const folder = join(import.meta.dirname, '../../src/bin');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
    const started = files.map((path) => readFileSync(join(folder, path), 'utf8')).join('\n');
    // These are started by a function beside them.
    const opener: Readonly<Record<string, string>> = {
      ...{ makeQueue: 'openQueue', makeChecks: 'openPaymentWork', makeInvoicing: 'openInvoicing' },
    };
    const makers = Object.values(endings).flatMap(({ by }) => by.map(({ name }) => opener[name] ?? name));
    expect([...new Set(makers)].filter((name) => !started.includes(`${name}(`))).toEqual([]);
  });
});
