import { describe, expect, it } from 'vitest';
import { type Database, systemViewer } from '../../../kernel/act.ts';
import { systemIds } from '../../../kernel/id.ts';
import { makeLog } from '../../../kernel/telemetry/log.ts';
import { makeMetrics } from '../../../kernel/telemetry/metrics.ts';
import { makeRefusals } from './refusals.ts';

const viewer = systemViewer('somebody', { correlationId: 'c' });
const refused = {
  target: { type: 'route', id: 'organization_list' },
  change: { code: 'insufficient_permissions' },
};

function setUp(write: Database['write']) {
  const metrics = makeMetrics('test', '0');
  const lines: string[] = [];
  const refusals = makeRefusals({
    database: { read: () => Promise.reject(new Error('unused')), write },
    ids: systemIds,
    log: makeLog('test', 'debug', { write: (line) => void lines.push(line) }),
    metrics,
  });
  return { refusals, metrics, lines, note: () => refusals.note(viewer, 'authz.deny', refused) };
}

describe('refusals', () => {
  it('are written down one after the other, in the name of the caller', async () => {
    const written: { action: string; actorId: string; receipt: unknown }[] = [];
    let atOnce = 0;
    const { refusals, note } = setUp((async (
      act: { action: string; actorId: string },
      work: (tx: unknown) => Promise<unknown>,
    ) => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      await work({
        commit: (_: unknown, receipt: unknown) => written.push({ action: act.action, actorId: act.actorId, receipt }),
      });
      atOnce -= 1;
    }) as never);
    note();
    note();
    await refusals.close();
    expect(written).toHaveLength(2);
    expect(written[0]).toEqual({
      action: 'authz.deny',
      actorId: 'somebody',
      receipt: {
        target: { type: 'route', id: 'organization_list' },
        change: { code: 'insufficient_permissions' },
        result: 'failure',
        events: 'none',
      },
    });
  });

  it('are dropped and counted when too many wait', async () => {
    const gate = Promise.withResolvers<never>();
    const { refusals, note, metrics } = setUp(() => gate.promise);
    for (let n = 0; n < 600; n += 1) note();
    expect(await metrics.scrape()).toContain('gpuaas_audit_refusals_dropped_total{process="test"} 100');
    gate.reject(new Error('away'));
    await refusals.close();
  });

  it('go on after one that could not be written, whether it failed at once or later', async () => {
    let tries = 0;
    const { refusals, note, lines } = setUp(() => {
      tries += 1;
      if (tries === 1) throw new Error('at once');
      return Promise.reject(new Error('later'));
    });
    note();
    note();
    note();
    await refusals.close();
    expect(tries).toBe(3);
    expect(lines.map((line) => JSON.parse(line).err.message)).toEqual(['at once', 'later', 'later']);
  });
});
