import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { runProgram } from '../lib/program.ts';
import { repository, root } from '../lib/tree.ts';

/**
 * Each alert has been seen firing, and seen silent, by the program that evaluates it in production. promtool runs the files
 * in deploy/alerts/tests; a file that asks nothing about an alert would pass as well, so this looks at what they ask.
 */
interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert?: string }[] }[];
}
interface Tests {
  readonly tests: readonly {
    readonly alert_rule_test?: readonly {
      readonly alertname: string;
      readonly exp_alerts?: readonly unknown[] | null;
    }[];
  }[];
}
const { paths, text } = repository();
const files = paths
  .filter((path) => /^deploy\/alerts\/[^/]+\.yml$/.test(path))
  .map((path) => ({ path, test: path.replace(/^deploy\/alerts\/(.*)\.yml$/, 'deploy/alerts/tests/$1.test') }));
const alerts = files.flatMap(({ path, test }) =>
  (parse(text(path)) as Rules).groups
    .flatMap(({ rules }) => rules)
    .flatMap(({ alert }) => (alert === undefined ? [] : [{ alert, test }])),
);

describe('an alert', () => {
  it.each(alerts)('$alert is asked about while it fires and while it does not', ({ alert, test }) => {
    const asked = (parse(text(test)) as Tests).tests
      .flatMap(({ alert_rule_test = [] }) => alert_rule_test)
      .filter(({ alertname }) => alertname === alert)
      .map(({ exp_alerts }) => (exp_alerts ?? []).length > 0);
    // Where the words hold a number that nobody computes by hand, the test counts what fires.
    const counted = text(test).includes(`count(ALERTS{alertname="${alert}", alertstate="firing"})`);
    expect([...asked, counted]).toContain(true);
    expect(asked).toContain(false);
  });

  it.each(files)('of $path fires when promtool is told that it has to', async ({ test }) => {
    const { code, output } = await runProgram('promtool', ['test', 'rules', join(root, test)]);
    expect(code, output).toBe(0);
    expect(output).toContain('SUCCESS');
  });
});
