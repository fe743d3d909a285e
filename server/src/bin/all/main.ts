import { runAll } from './run.ts';

await runAll(process.argv.slice(2), process.env);
