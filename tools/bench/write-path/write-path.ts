import { openInstallation } from '../installation.ts';
import { durableSettings } from '../machine.ts';
import type { Options } from '../options.ts';
import { interval, type Report, ratioOf, short } from '../report.ts';
import { interleaved, median, medianWithInterval, quantile } from '../statistics.ts';
import { openSides, type Sample, type Side, type Sides, sides } from './sides.ts';

/**
 * One write of the product, from the HTTP request to the durable commit: project row, audit row, event and stored reply.
 * Beside it, on the same server and tables, pgbench does the same one statement at a time (D1) and in one (D2).
 */
export async function measureWritePath(options: Options, report: Report): Promise<void> {
  const installation = await openInstallation();
  try {
    await measure(installation, options, report);
  } finally {
    await installation.close();
  }
}

async function measure(
  installation: Awaited<ReturnType<typeof openInstallation>>,
  options: Options,
  report: Report,
): Promise<void> {
  const { admin } = installation;
  const settings = await durableSettings(admin);
  report.say(
    `Postgres on both sides: ${Object.entries(settings)
      .map(([name, value]) => `${name}=${value}`)
      .join(', ')}`,
  );
  report.sample({ settings });
  const writing: Writing = { ...(await openSides(installation, options, report)), admin, options, report };
  const written = new Written(writing, (await writing.count()).projects);
  const saturation = await measureThroughput(writing, written);
  await measureLatency(writing, written, saturation);
  await measureReplays(writing, written);
  await written.check('at the end');
  const { rows: strays } = await admin.query<{ strays: number }>(
    `select (select count(*)::int from projects p where not exists (
         select from audit_logs a where a.target_id = p.id::text and a.action = 'project.create'))
       + (select count(*)::int from projects p where p.slug like 'r%' and not exists (
         select from outbox_events e where e.key = p.id::text)) as strays`,
  );
  if (strays[0]?.strays !== 0) report.violated(`${strays[0]?.strays} projects lack their audit row or event`);
}

/** What each part of the benchmark works with. */
interface Writing extends Sides {
  readonly admin: Awaited<ReturnType<typeof openInstallation>>['admin'];
  readonly options: Options;
  readonly report: Report;
}

/** How many writes were acknowledged; as many have to be there. */
class Written {
  readonly #writing: Writing;
  #expected: number;
  constructor(writing: Writing, expected: number) {
    this.#writing = writing;
    this.#expected = expected;
  }
  add(writes: number): void {
    this.#expected += writes;
  }
  async check(when: string): Promise<void> {
    for (const [kind, found] of Object.entries(await this.#writing.count())) {
      if (found !== this.#expected)
        this.#writing.report.violated(
          `${when}: ${this.#expected} writes were acknowledged, ${found} ${kind} are there`,
        );
    }
  }
}

/** Each side as fast as it can, for each number of clients. Answers the writes a second of each side. */
async function measureThroughput(writing: Writing, written: Written): Promise<ReadonlyMap<Side, number>> {
  const { options, report } = writing;
  const saturation = new Map<Side, number>();
  for (const clients of options.clients) {
    const samples: Record<Side, Sample[]> = { 'one api': [], 'two apis': [], D1: [], D2: [] };
    for (const [round, order] of interleaved(sides, options.pairs).entries()) {
      for (const side of order) {
        const sample = await writing.write(side, clients);
        samples[side].push(sample);
        written.add(sample.writes);
        report.sample({ benchmark: 'write-path', clients, round, side, ...sample });
      }
      await written.check(`${clients} clients, round ${round}`);
    }
    const rates = (side: Side) => samples[side].map(({ perSecond }) => perSecond);
    // Everything that runs for a write, the generator too: what decides when there is no core to spare.
    const costs = (side: Side) =>
      samples[side].map((sample) => sample.apiCpuMs + sample.postgresCpuMs + sample.generatorCpuMs);
    for (const side of sides) saturation.set(side, median(rates(side)));
    report.table({
      title: `Writes with ${clients} client${clients === 1 ? '' : 's'}, ${options.pairs} rounds of ${options.seconds} s`,
      columns: [
        'side',
        'writes/s',
        'of D1',
        'of D2',
        'by CPU, of D1',
        'of D2',
        'CPU ms/write: api',
        'Postgres',
        'generator, cores',
      ],
      rows: sides.map((side) => [
        side,
        short(median(rates(side))),
        interval(ratioOf(rates(side), rates('D1'))),
        interval(ratioOf(rates(side), rates('D2'))),
        interval(ratioOf(costs('D1'), costs(side))),
        interval(ratioOf(costs('D2'), costs(side))),
        short(median(samples[side].map(({ apiCpuMs }) => apiCpuMs))),
        short(median(samples[side].map(({ postgresCpuMs }) => postgresCpuMs))),
        short(median(samples[side].map((sample) => sample.generator))),
      ]),
    });
    if (clients === 32) {
      for (const side of ['one api', 'two apis'] as const) {
        report.verdict({
          claim: `${side}, 32 clients, of D2`,
          found: ratioOf(rates(side), rates('D2')),
          goal: { at: 'least', value: 0.5 },
        });
        report.verdict({
          claim: `${side}, 32 clients, of D1`,
          found: ratioOf(rates(side), rates('D1')),
          goal: { at: 'least', value: 1.2 },
        });
      }
    }
  }
  return saturation;
}

const roundsOf = (options: Options): number => Math.min(options.pairs, 5);

/** Requests are due at half of what the side can do, and wait for nobody. */
async function measureLatency(
  { admin, options, report, withPgbench, overHttp }: Writing,
  written: Written,
  saturation: ReadonlyMap<Side, number>,
): Promise<void> {
  const latency: Record<'two apis' | 'D2', number[][]> = { 'two apis': [], D2: [] };
  for (const order of interleaved(['two apis', 'D2'] as const, roundsOf(options))) {
    for (const side of order) {
      await admin.query('checkpoint');
      const rate = Math.max(1, Math.round((saturation.get(side) ?? 0) / 2));
      if (side === 'D2') {
        const done = await withPgbench(side, 32, rate);
        written.add(done.transactions);
        latency[side].push([...done.latenciesUs]);
      } else {
        const done = await overHttp(2, { clients: 32, rate });
        if (done.failed > 0) report.violated(`${side}: ${done.failed} requests failed, first ${done.firstFailure}`);
        written.add(done.created);
        latency[side].push([...done.latenciesUs]);
      }
      report.sample({ benchmark: 'write-path-latency', side, rate, latenciesUs: latency[side].at(-1) });
    }
  }
  const at = (side: 'two apis' | 'D2', share: number) => latency[side].map((values) => quantile(values, share) / 1_000);
  report.table({
    title: 'Latency in ms at half of the saturation, from the intended start (median of rounds)',
    columns: ['side', 'due/s', 'p50', 'p99'],
    rows: (['two apis', 'D2'] as const).map((side) => [
      side,
      short((saturation.get(side) ?? 0) / 2),
      short(median(at(side, 0.5))),
      short(median(at(side, 0.99))),
    ]),
  });
  report.verdict({
    claim: 'p99 at half load, of that of D2',
    found: ratioOf(at('two apis', 0.99), at('D2', 0.99)),
    goal: { at: 'most', value: 3 },
  });
  report.verdict({
    claim: 'p99 at half load',
    unit: 'ms',
    found: medianWithInterval(at('two apis', 0.99)),
    goal: { at: 'most', value: 25 },
  });
}

/** A replay after each write, one client: what a repeated request costs. */
async function measureReplays({ options, report, overHttp }: Writing, written: Written): Promise<void> {
  const replays: number[] = [];
  for (let round = 0; round < roundsOf(options); round += 1) {
    const done = await overHttp(1, { clients: 1, replay: true });
    if (done.failed > 0) report.violated(`replays: ${done.failed} failed, first ${done.firstFailure}`);
    if (done.replayed !== done.created) report.violated(`${done.created} writes and ${done.replayed} replays`);
    written.add(done.created);
    replays.push(median(done.replayLatenciesUs) / median(done.latenciesUs));
    report.sample({ benchmark: 'write-path-replay', round, ratio: replays.at(-1) });
  }
  report.verdict({
    claim: 'p50 of a replay, of that of a write',
    found: medianWithInterval(replays),
    goal: { at: 'most', value: 0.4 },
  });
}
