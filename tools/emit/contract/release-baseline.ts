import { moveBaseline } from './baseline.ts';

/** Part of cutting a release, and the only way in which api/baseline changes. */
const outcome = moveBaseline();
if ('refused' in outcome) {
  process.stderr.write(`api/baseline was not moved.\n${outcome.refused}\n`);
  process.exitCode = 1;
} else {
  for (const name of outcome.moved) process.stdout.write(`moved api/baseline/${name}\n`);
  process.stdout.write(
    outcome.moved.length === 0
      ? 'api/baseline already equals the current promises.\n'
      : 'These are the promises that the gates hold from now on. Commit them together with the release.\n',
  );
}
