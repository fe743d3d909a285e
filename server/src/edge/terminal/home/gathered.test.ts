import { expect, it } from 'vitest';
import { makeGathered } from './gathered.ts';

it('keeps the last of sizes that follow each other, and each that something was printed at', () => {
  const gathered = makeGathered();
  for (let columns = 1; columns <= 10_000; columns += 1) gathered.note([columns, 'r', `${columns}x24`]);
  gathered.add(10_001, 'o', Buffer.from('printed'));
  gathered.note([10_002, 'r', '80x24']);
  expect(gathered.take().events).toEqual([
    [10_000, 'r', '10000x24'],
    [10_001, 'o', 7],
    [10_002, 'r', '80x24'],
  ]);
});

it('counts events that have no bytes of their own as something that waits', () => {
  const gathered = makeGathered();
  expect(gathered.size).toBe(0);
  for (let count = 0; count < 1_000; count += 1) gathered.note([count, 'm', 'a marker']);
  expect(gathered.size).toBeGreaterThan(1_000);
  gathered.take();
  expect(gathered.size).toBe(0);
});
