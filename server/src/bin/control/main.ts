import { runControl } from './run.ts';

await runControl(process.argv.slice(2), process.env, {
  say: (text) => process.stdout.write(text),
  complain: (text) => process.stderr.write(text),
  load: (name) => import(`../${name}/main.ts`),
});
