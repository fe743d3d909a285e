import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runProgram } from '../lib/program.ts';
import { repository } from '../lib/tree.ts';

/** The alert rules are read by the program that will evaluate them. */
export const alerts: Gate = {
  name: 'alert rules',
  remedy: 'promtool says which rule; it comes with the Debian package prometheus.',
  fast: false,
  check: async () => {
    const files = repository().paths.filter((path) => /^deploy\/alerts\/.*\.ya?ml$/.test(path));
    if (files.length === 0) return { findings: ['deploy/alerts holds no rules'] };
    return verdictOf(
      await runProgram('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', ...files]),
      `${files.length} files`,
    );
  },
};

if (import.meta.main) await runAlone(alerts);
