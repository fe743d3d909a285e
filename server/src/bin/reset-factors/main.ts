import { runResetFactors } from './run.ts';

process.exitCode = await runResetFactors(process.argv.slice(2), process.env, {
  say: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
