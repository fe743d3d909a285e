import { runMigrate } from './run.ts';

await runMigrate(process.env);
