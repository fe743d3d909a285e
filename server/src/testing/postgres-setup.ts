import type { TestProject } from 'vitest/node';
import { openTestServer } from './postgres.ts';
import { openDesk } from './postgres-desk.ts';

/** The server of `npm start`, which is the newest version that is promised to work. */
export const setup = (project: TestProject): Promise<() => Promise<void>> => openDesk(project, openTestServer);
