import type { TestProject } from 'vitest/node';
import { openTestServer } from './postgres.ts';

/** Starts the run's one database server and tells every test file where it is. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await openTestServer();
  project.provide('postgresUrl', server.url);
  return () => server.close();
}
