import { type Gate, runAlone, verdictOf } from '../lib/gate.ts';
import { runProgram } from '../lib/program.ts';
import { repository } from '../lib/tree.ts';

/** The alert rules are read by the program that will evaluate them, and fire in their own tests when they should. */
export const alerts: Gate = {
  name: 'alert rules',
  remedy: 'promtool says which rule; it comes with the Debian package prometheus.',
  fast: false,
  check: async () => {
    const rules = repository().paths.filter((path) => /^deploy\/alerts\/[^/]+\.ya?ml$/.test(path));
    const tests = repository().paths.filter((path) => /^deploy\/alerts\/tests\/[^/]+\.test$/.test(path));
    if (rules.length === 0) return { findings: ['deploy/alerts holds no rules'] };
    if (tests.length === 0)
      return { findings: ['deploy/alerts/tests holds no tests: has any alert been seen firing?'] };
    const read = await runProgram('promtool', ['check', 'rules', '--lint=all', '--lint-fatal', ...rules]);
    if (read.code !== 0) return verdictOf(read);
    const tried = await runProgram('promtool', ['test', 'rules', ...tests]);
    return verdictOf(tried, `${rules.length} files, ${tests.length} files of tests`);
  },
};

if (import.meta.main) await runAlone(alerts);
