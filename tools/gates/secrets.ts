import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';
import { repositoryPaths } from '../lib/tree.ts';

const binary = /\.(?:png|jpg|ico|woff2|gz|tar)$/;

/** Keys, tokens and passwords in anything that would be committed. */
export const secrets: Gate = {
  name: 'secrets',
  remedy: 'Take the secret out and withdraw it where it was issued: it has been on a disk.',
  fast: false,
  check: async () => {
    const paths = repositoryPaths().filter((path) => !binary.test(path));
    if (paths.length === 0) return { findings: ['git lists no files, so nothing was looked at'] };
    const ran = await runTool('secretlint', ['--no-glob', '--maskSecrets', ...paths]);
    return verdictOf(ran, `${paths.length} files`);
  },
};

if (import.meta.main) await runAlone(secrets);
