import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UsageProof } from '@gpuaas/sdk';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rehearse, type Script } from '../testing.ts';

const id = '01a1dea2-0000-7000-8000-000000000001';
const part = (more: Partial<UsageProof>): UsageProof => ({
  ...{ format: 'gpuaas-usage-proof-1', organization_id: id, line_id: id, allocation_id: id, day: '2026-04-10' },
  ...{ ordered_gpus: 1, stop_at: null, before: { exact: '0', charged_minor: '0' }, attestations: [] },
  ...{ windows: [], evidence: [], links: [], next_cursor: null },
  ...more,
});
const path = `GET /api/v1/organizations/${id}/billing/ledger/${id}/proof`;
const world = (answers: unknown): Script => ({
  'GET /api/v1/me': { id, organizations: [{ id, name: 'Lab', slug: 'lab', role: 'owner' }], default_project_id: id },
  [path]: answers,
});
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-proof-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('gpuaas billing prove', () => {
  it('fetches every part, keeps them in a file, and the file is checked without a server', async () => {
    const file = join(folder, 'proof.json');
    const answers = [part({ next_cursor: 'more' }), part({})];
    const proved = await rehearse(['billing', 'prove', id, '--save', file, '-o', 'json'], world(answers));
    expect(proved.code, proved.err).toBe(0);
    expect(proved.asked.filter(({ request }) => request.startsWith(path))).toHaveLength(2);
    expect(JSON.parse(proved.out)).toMatchObject({ holds: true, windows: 0, problems: [] });
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual(answers);
    const checked = await rehearse(['billing', 'check-proof', file, '-o', 'json'], {});
    expect({ code: checked.code, asked: checked.asked }).toEqual({ code: 0, asked: [] });
  });

  it('ends with 1 and says what does not fit', async () => {
    const link = {
      number: '1',
      hash_before: '',
      balance_minor: '0',
      held_minor: '0',
      entries: [],
      hash: '0'.repeat(64),
    };
    const { code, err } = await rehearse(['billing', 'prove', id], world(part({ links: [link] })));
    expect(code).toBe(1);
    expect(err).toContain('The proof does not hold. Link 1 of the chain does not fit its entries.');
  });

  it('refuses a file that is missing or that is not a proof', async () => {
    const file = join(folder, 'other.json');
    await writeFile(file, '[{"format":"another"}]');
    for (const [name, says] of [
      [file, 'is not a proof'],
      [join(folder, 'nowhere.json'), 'There is no file'],
    ] as const) {
      const { code, err } = await rehearse(['billing', 'check-proof', name], {});
      expect({ code, says: err.includes(says) }).toEqual({ code: 2, says: true });
    }
  });
});
