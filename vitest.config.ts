import { defineConfig } from 'vitest/config';

const everywhere = ['agent/**', 'cli/**', 'contract/**', 'sdk/typescript/**', 'server/**', 'tools/**', 'web/**'];
const never = ['**/node_modules/**', '**/dist/**', 'tools/laws/canaries/**'];

/**
 * What also runs on the oldest PostgreSQL that is promised to work. With every build: every statement of every domain as that
 * PostgreSQL describes it, the migrations up and down, the ports, and the programs that set an installation up. `npm run prove`
 * adds every other database test (`GPUAAS_OLDEST=all`).
 */
const databaseTests =
  process.env['GPUAAS_OLDEST'] === 'all' ? 'server/src/**/*.db.test.ts' : 'server/src/{bin,ports}/**/*.db.test.ts';
const onOldest = [
  databaseTests,
  'tools/laws/{schema-migrations,tenant-predicates}.test.ts',
  'tools/laws/{promises,rows}/*.test.ts',
];

/**
 * Three projects. `unit` is what everybody runs: pure tests, and tests against the embedded adapters. `production` holds
 * the suites that need the real servers of a production profile, and is asked for by name. `oldest` runs a part of `unit`
 * once more, on the oldest PostgreSQL; `unit` itself runs on the newest.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    // Long enough for a machine that is busy with something else: what hangs fails, what is slow does not.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    teardownTimeout: 30_000,
    coverage: {
      provider: 'v8',
      include: ['agent/src/**/*.ts', 'cli/src/**/*.ts', 'contract/src/**/*.ts', 'server/src/**/*.ts'],
      exclude: ['**/*.test.ts', '**/conformance.ts', '**/testing.ts', 'server/src/testing/**'],
      reporter: ['text-summary', 'json-summary', 'lcov'],
      reportsDirectory: 'coverage',
    },
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: everywhere.map((folder) => `${folder}/*.test.ts`),
          exclude: [...never, '**/*.production.test.ts'],
          setupFiles: ['server/src/testing/refusals-seen.ts'],
          globalSetup: ['server/src/testing/postgres-setup.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'production',
          include: everywhere.map((folder) => `${folder}/*.production.test.ts`),
          exclude: never,
          globalSetup: ['server/src/testing/postgres-setup.ts'],
          testTimeout: 60_000,
          // On a new machine the servers are built first, and Temporal's takes minutes.
          hookTimeout: 15 * 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'oldest',
          include: onOldest,
          exclude: [...never, '**/*.production.test.ts'],
          globalSetup: ['server/src/testing/oldest-postgres-setup.ts'],
        },
      },
    ],
  },
});
