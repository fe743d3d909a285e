import { globSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readFacts } from '../bench/machine.ts';
import { cellsOf, type Mode } from '../chaos/cells.ts';
import { type Mutated, mutate, targets } from '../chaos/mutation.ts';
import { root } from '../lib/tree.ts';
import { runTests } from '../lib/vitest.ts';
import { holds, isNoticed, isProven, type Proof, type Proven, pageOf } from './proof-page.ts';

/**
 * `npm run prove`: what every test run does a tenth of, in full, and the page that says so. The counts can be lowered to
 * see that it works; the page then has the lower ones, and says that they are.
 */
const help = `Usage: npm run prove -- [options]

Runs the full counts and writes docs/proof.md. Takes about two hours on two cores.

Options:
  --races N        races of release, forced release, expiry and loss (10000)
  --placements N   contended placements (100000)
  --forgeries N    forged, edited, expired, foreign and replayed tasks (100000)
  --webhooks N     webhooks that were tampered with (100000)
  --seeds N        seeds of thirty days of rentals that are charged, 43,200 windows of a minute each (20)
  --history N      allocations of a year; a short history has one year and a long one ten (20000)
  --streams N      event streams that are open for thirty seconds and close (2000)
  --oldest WHICH   database tests on the oldest PostgreSQL: all, or those of every test run: some (all)
  --kills WHICH    all, or those of every test run: some (all)
  --mutants LIST   some of the targets of mutation testing: ${targets.map(({ name }) => name).join(', ')} (all)
  --only LIST      some of races, kills, forgeries, webhooks, billing, history, streams, oldest, mutants (all)
  --out FILE       where the page goes (docs/proof.md)
`;
const whole = {
  ...{ races: 10_000, placements: 100_000, forgeries: 100_000, webhooks: 100_000, seeds: 20, history: 20_000 },
  streams: 2_000,
};
const parts = ['races', 'kills', 'forgeries', 'webhooks', 'billing', 'history', 'streams', 'oldest', 'mutants'];
const billingDays = 30;
const killsOf: readonly { readonly mode: Mode; readonly file: string; readonly how: string }[] = [
  { mode: 'usual', file: 'kill-matrix', how: '' },
  { mode: 'through sagas', file: 'kill-matrix-through-sagas', how: ', with every transition sent through a saga' },
];
const limitMs = 4 * 3_600_000;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h', default: false },
    races: { type: 'string', default: String(whole.races) },
    placements: { type: 'string', default: String(whole.placements) },
    forgeries: { type: 'string', default: String(whole.forgeries) },
    webhooks: { type: 'string', default: String(whole.webhooks) },
    seeds: { type: 'string', default: String(whole.seeds) },
    history: { type: 'string', default: String(whole.history) },
    streams: { type: 'string', default: String(whole.streams) },
    oldest: { type: 'string', default: 'all' },
    kills: { type: 'string', default: 'all' },
    mutants: { type: 'string', default: targets.map(({ name }) => name).join(',') },
    only: { type: 'string', default: parts.join(',') },
    out: { type: 'string', default: 'docs/proof.md' },
  },
});

/** The list itself is in vitest.config.ts. */
const databaseTests = (which: string): string[] =>
  globSync(`server/src/${which === 'all' ? '' : '{bin,ports}/'}**/*.db.test.ts`, { cwd: root });

function proofsOf(): Proof[] {
  const only = values.only.split(',');
  const races = {
    files: ['server/src/domains/allocations/races.db.test.ts'],
    env: { GPUAAS_RACES: values.races, GPUAAS_PLACEMENTS: values.placements },
  };
  const isAll = values.kills === 'all';
  return [
    ...(only.includes('races')
      ? [
          {
            claim: 'Release, forced release, expiry and loss of one allocation at once: exactly one wins',
            ...{ unit: 'races', whole: whole.races, count: Number(values.races), ...races },
          },
          {
            claim: 'Many who want the last GPUs: as many as there are get one, and no slot is booked twice',
            ...{ unit: 'placements', whole: whole.placements, count: Number(values.placements), ...races },
          },
        ]
      : []),
    ...(only.includes('kills')
      ? killsOf.map(({ mode, file, how }) => ({
          claim: `api, relay, worker, agent and PostgreSQL killed before and after each step${how}: all ends well, invariants hold`,
          ...{ unit: 'kills', whole: cellsOf(mode, 'all').length },
          count: cellsOf(mode, isAll ? 'all' : 'some').length,
          files: [`server/test/chaos/${file}.production.test.ts`],
          env: { GPUAAS_CHAOS: isAll ? 'all' : 'some' } as Record<string, string>,
        }))
      : []),
    ...(only.includes('forgeries')
      ? [
          {
            claim: 'Forged, edited, expired, foreign and replayed tasks: none is executed',
            ...{ unit: 'tasks', whole: whole.forgeries, count: Number(values.forgeries) },
            files: ['agent/src/tasks/forgeries.test.ts'],
            env: { GPUAAS_FORGERIES: values.forgeries },
          },
        ]
      : []),
    ...(only.includes('webhooks')
      ? [
          {
            claim: 'Webhooks of payments that were tampered with: none is taken, and an event credits once',
            ...{ unit: 'webhooks', whole: whole.webhooks, count: Number(values.webhooks) },
            files: ['server/src/domains/payments/webhooks.fuzz.db.test.ts'],
            env: { GPUAAS_WEBHOOKS: values.webhooks },
          },
        ]
      : []),
    ...(only.includes('billing')
      ? [
          {
            claim: `${billingDays} days of random rentals, payments, killed workers and stepped clocks: the balance is that of an independent oracle, to the minor unit`,
            ...{ unit: 'seeds', whole: whole.seeds, count: Number(values.seeds) },
            files: ['server/test/money/thirty-days.db.test.ts'],
            env: { GPUAAS_BILLING_SEEDS: values.seeds, GPUAAS_BILLING_DAYS: String(billingDays) },
          },
        ]
      : []),
    ...(only.includes('history')
      ? [
          {
            claim: 'Every statement of a GET route reads as many rows of a long history as of a short one',
            ...{ unit: 'allocations', whole: whole.history, count: Number(values.history) },
            files: ['tools/laws/history/plans.test.ts'],
            env: { GPUAAS_HISTORY_ALLOCATIONS: values.history },
          },
        ]
      : []),
    ...(only.includes('streams')
      ? [
          {
            claim: 'Event streams that were open for thirty seconds and close: their memory and their seats come back',
            ...{ unit: 'streams', whole: whole.streams, count: Number(values.streams) },
            files: ['server/test/hostile/streams.test.ts'],
            env: { GPUAAS_STREAMS: values.streams },
          },
        ]
      : []),
    ...(only.includes('oldest')
      ? [
          {
            claim: 'What is tested on a database, and every statement, on the oldest PostgreSQL that is promised',
            ...{
              unit: 'files of tests',
              whole: databaseTests('all').length,
              count: databaseTests(values.oldest).length,
            },
            ...{ project: 'oldest' as const, files: [], env: { GPUAAS_OLDEST: values.oldest } },
          },
        ]
      : []),
  ];
}

/** Proofs that one file holds are run together. */
async function prove(proofs: readonly Proof[]): Promise<Proven[]> {
  const proven: Proven[] = [];
  for (const proof of proofs) {
    const same = proven.find(({ files }) => files === proof.files);
    if (same) {
      proven.push({ ...proof, seconds: same.seconds, passed: same.passed, failures: same.failures });
      continue;
    }
    process.stdout.write(`${proof.count} ${proof.unit} ...\n`);
    const began = performance.now();
    const isProduction = proof.files.some((file) => file.includes('.production.'));
    const project = proof.project ?? (isProduction ? 'production' : 'unit');
    const { passed, failures, report } = await runTests(project, proof.files, limitMs, proof.env);
    const seconds = Math.round((performance.now() - began) / 1_000);
    if (failures.length > 0) process.stdout.write(`${failures.join('\n')}\n${report}\n`);
    process.stdout.write(`  ${isProven({ passed, failures }) ? 'holds' : 'DOES NOT HOLD'}, ${seconds} s\n`);
    proven.push({ ...proof, seconds, passed, failures });
  }
  return proven;
}

/** Faults are planted in one target after the other, and its tests have to notice them. */
async function plantFaults(): Promise<Mutated[]> {
  const names = values.only.split(',').includes('mutants') ? values.mutants.split(',') : [];
  const done: Mutated[] = [];
  for (const target of targets.filter(({ name }) => names.includes(name))) {
    process.stdout.write(`faults in ${target.name} ...\n`);
    const mutated = await mutate(target).catch((error: unknown) => asUnnoticed(target.name, error));
    const verdict = isNoticed(mutated) ? 'holds' : 'DOES NOT HOLD';
    process.stdout.write(`  ${verdict}, ${mutated.killed} of ${mutated.mutants} noticed\n`);
    process.stdout.write(mutated.survivors.map((one) => `    ${one}\n`).join(''));
    done.push(mutated);
  }
  return done;
}
/** What was proven before is not lost when the faults of one target cannot be planted: that target does not hold. */
const asUnnoticed = (name: string, error: unknown): Mutated => {
  process.stdout.write(`  ${String(error)}\n`);
  return { name, killed: 0, mutants: 0, survivors: [], seconds: 0 };
};

if (values.help) process.stdout.write(help);
else {
  const before = readFacts();
  const proven = await prove(proofsOf());
  const mutated = await plantFaults();
  const proofs = { proven, mutated, isAll: parts.every((part) => values.only.split(',').includes(part)) };
  writeFileSync(resolve(root, values.out), pageOf(proofs, before, readFacts()));
  process.stdout.write(`\n${values.out}\n`);
  if (!holds(proofs)) process.exitCode = 1;
}
