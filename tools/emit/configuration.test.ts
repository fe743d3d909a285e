import { readFileSync } from 'node:fs';
import { Type } from 'typebox';
import { expect, it } from 'vitest';
import { processes } from '../../server/src/bin/processes.ts';
import { Secret } from '../../server/src/kernel/process/config.ts';
import { emitConfiguration, settingRows } from './configuration.ts';
import { root } from './outputs.ts';

it('a setting is shown by its variable, with what it takes; a secret says that it is one', () => {
  const rows = settingRows(
    Type.Object({
      poolSize: Type.Integer({ default: 10, minimum: 2, maximum: 200, description: 'How many.' }),
      busUrl: Type.Optional(Secret({ pattern: '^nats://|^tls://', description: 'Where the bus is.' })),
      issuer: Type.String({ description: 'Who signs.' }),
    }),
  );
  expect(rows).toEqual([
    ['`GPUAAS_POOL_SIZE`', 'How many.', '`10`', '2 to 200', ''],
    ['`GPUAAS_BUS_URL`', 'Where the bus is.', '', '`^nats://|^tls://`', 'secret'],
    ['`GPUAAS_ISSUER`', 'Who signs.', 'needed', '', ''],
  ]);
});

it('the committed page is what the schemas say, and names every process', () => {
  const page = readFileSync(`${root}docs/reference/configuration.md`, 'utf8');
  expect(page).toBe(emitConfiguration());
  for (const { spec } of processes) expect(page).toContain(`\n## ${spec.name}\n`);
});

it('every setting says what it is', () => {
  const silent = emitConfiguration()
    .split('\n')
    .filter((row) => /^\| `GPUAAS_[A-Z_]+` \| +\|/.test(row));
  expect(silent).toEqual([]);
});
