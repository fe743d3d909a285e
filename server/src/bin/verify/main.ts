import { runVerify } from './run.ts';

process.exitCode = await runVerify(process.argv.slice(2), process.env, {
  say: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
});
