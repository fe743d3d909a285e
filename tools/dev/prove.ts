import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Facts, readFacts } from '../bench/machine.ts';
import { cellsOf, type Mode } from '../chaos/cells.ts';
import { type Mutated, mutate, mutationFloor, targets } from '../chaos/mutation.ts';
import { root } from '../lib/tree.ts';
import { runTests } from '../lib/vitest.ts';

/**
 * `npm run prove`: what every test run does a tenth of, in full, and the page that says so. The counts can be lowered to
 * see that it works; the page then has the lower ones, and says that they are.
 */
interface Proof {
  readonly claim: string;
  readonly unit: string;
  readonly whole: number;
  readonly count: number;
  readonly files: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
interface Proven extends Proof {
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly string[];
}

const help = `Usage: npm run prove -- [options]

Runs the full counts and writes docs/proof.md. Takes about two hours on two cores.

Options:
  --races N        races of release, forced release, expiry and loss (10000)
  --placements N   contended placements (100000)
  --forgeries N    forged, edited, expired, foreign and replayed tasks (100000)
  --webhooks N     webhooks that were tampered with (100000)
  --seeds N        seeds of thirty days of rentals that are charged, 43,200 windows of a minute each (20)
  --history N      allocations of a short history; a long one has ten times as many (20000)
  --kills WHICH    all, or those of every test run: some (all)
  --mutants LIST   some of the targets of mutation testing: ${targets.map(({ name }) => name).join(', ')} (all)
  --only LIST      some of races, kills, forgeries, webhooks, billing, history, mutants (all)
  --out FILE       where the page goes (docs/proof.md)
`;
const whole = {
  ...{ races: 10_000, placements: 100_000, forgeries: 100_000, webhooks: 100_000, seeds: 20, history: 20_000 },
};
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
    kills: { type: 'string', default: 'all' },
    mutants: { type: 'string', default: targets.map(({ name }) => name).join(',') },
    only: { type: 'string', default: 'races,kills,forgeries,webhooks,billing,history,mutants' },
    out: { type: 'string', default: 'docs/proof.md' },
  },
});

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
    const project = proof.files.some((file) => file.includes('.production.')) ? 'production' : 'unit';
    const { passed, failures, report } = await runTests(project, proof.files, limitMs, proof.env);
    const seconds = Math.round((performance.now() - began) / 1_000);
    if (failures.length > 0) process.stdout.write(`${failures.join('\n')}\n${report}\n`);
    process.stdout.write(`  ${failures.length === 0 ? 'holds' : 'DOES NOT HOLD'}, ${seconds} s\n`);
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
    const mutated = await mutate(target);
    const verdict = isNoticed(mutated) ? 'holds' : 'DOES NOT HOLD';
    process.stdout.write(`  ${verdict}, ${mutated.killed} of ${mutated.mutants} noticed\n`);
    process.stdout.write(mutated.survivors.map((one) => `    ${one}\n`).join(''));
    done.push(mutated);
  }
  return done;
}
const shareOf = ({ killed, mutants }: Mutated) => (killed / Math.max(1, mutants)) * 100;
const isNoticed = (mutated: Mutated) => shareOf(mutated) >= mutationFloor;

const faultsOf = (mutated: readonly Mutated[]): string => `## Planted faults

Small faults are planted one at a time (a condition turned round, a block emptied, a bound moved by one), and the tests of
that code run. At least ${mutationFloor} % have to be noticed. Words are left alone.

| in | planted | noticed | | took |
|---|---|---|---|---|
${mutated
  .map(
    (one) =>
      `| ${targets.find(({ name }) => name === one.name)?.what} | ${one.mutants} | ${shareOf(one).toFixed(1)} % | ${isNoticed(one) ? 'holds' : '**does not hold**'} | ${one.seconds} s |`,
  )
  .join('\n')}
`;

function pageOf(proven: readonly Proven[], mutated: readonly Mutated[], before: Facts, after: Facts): string {
  const rows = proven.map(
    ({ claim, unit, count, whole: full, seconds, failures }) =>
      `| ${claim} | ${count} ${unit}${count < full ? ` of ${full}` : ''} | ${failures.length === 0 ? 'holds' : '**does not hold**'} | ${seconds} s |`,
  );
  const isWhole = proven.every(({ count, whole: full }) => count >= full) && mutated.length === targets.length;
  return `---
status: ${isWhole ? 'shipped' : 'partial'}
capabilities: GAP-07, GAP-17, SEC-03
---

# Proof

\`npm run prove\` wrote this page. ${isWhole ? 'All counts are whole.' : 'Counts that are lower than the whole ones say so.'}

| what | how often | | took |
|---|---|---|---|
${rows.join('\n')}

Proofs of one file are run together, and the time stands beside each of them.
${mutated.length > 0 ? `\n${faultsOf(mutated)}` : ''}
${before.at}, commit ${before.commit}${before.modified ? ' with changes' : ''}; ${before.cores} cores (${before.cpu}), ${before.memoryGib} GiB,
kernel ${before.kernel}, node ${before.node}; load ${before.load} before and ${after.load} after.
`;
}

if (values.help) process.stdout.write(help);
else {
  const before = readFacts();
  const proven = await prove(proofsOf());
  const mutated = await plantFaults();
  writeFileSync(resolve(root, values.out), pageOf(proven, mutated, before, readFacts()));
  process.stdout.write(`\n${values.out}\n`);
  const holds = proven.every(({ failures }) => failures.length === 0) && mutated.every(isNoticed);
  if (!holds) process.exitCode = 1;
}
