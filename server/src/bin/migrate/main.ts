import { runMigrate } from './run.ts';

await runMigrate(process.env, process.argv.slice(2));
