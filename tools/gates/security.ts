import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readList } from '../laws/ratchet.ts';
import { type Gate, runAlone } from '../lib/gate.ts';
import { runTool } from '../lib/program.ts';
import { repository, root } from '../lib/tree.ts';
import { canaries } from './security/canaries.ts';

const settings = 'tools/gates/security/rules.json';

export interface SecurityFinding {
  readonly rule: string;
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

/** What oxlint printed as JSON. It names a rule as `plugin(rule)`. */
export function readFindings(output: string): SecurityFinding[] {
  const from = output.indexOf('{');
  if (from === -1) throw new Error(`oxlint did not answer with a report: ${output.trim().slice(0, 500)}`);
  const { diagnostics } = JSON.parse(output.slice(from)) as {
    readonly diagnostics: readonly {
      readonly code?: string;
      readonly filename: string;
      readonly message: string;
      readonly labels: readonly { readonly span: { readonly line: number } }[];
    }[];
  };
  return diagnostics.map(({ code = '', filename, message, labels }) => ({
    rule: code.replace(/^([^(]+)\((.+)\)$/, '$1/$2'),
    path: filename,
    line: labels[0]?.span.line ?? 0,
    message,
  }));
}

async function analyse(paths: readonly string[]): Promise<SecurityFinding[]> {
  const { output } = await runTool('oxlint', ['-c', settings, '--disable-nested-config', '-f', 'json', ...paths]);
  return readFindings(output);
}

/** The rules of the settings, with the name of their plugin. */
export function rulesIn(text: string): string[] {
  const { rules } = JSON.parse(text) as { readonly rules: Readonly<Record<string, string>> };
  return Object.keys(rules).map((name) => (name.includes('/') ? name : `eslint/${name}`));
}

/** Findings that no line excuses, and lines that excuse nothing. */
export function judgeFindings(findings: readonly SecurityFinding[], excused: ReadonlyMap<string, string>): string[] {
  const keyOf = ({ rule, path }: SecurityFinding) => `${rule} ${path}`;
  const found = new Set(findings.map(keyOf));
  return [
    ...findings
      .filter((each) => !excused.has(keyOf(each)))
      .map(({ rule, path, line, message }) => `${path}:${line}: ${message} (${rule})`),
    ...[...excused.keys()]
      .filter((key) => !found.has(key))
      .map((key) => `tools/laws/exceptions/security-findings.txt: ${key} is not found any more; take its line away`),
  ];
}

/** Lets every rule read a line that breaks it. */
export async function blindRules(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'security-'));
  try {
    const names = Object.keys(canaries);
    for (const [at, text] of Object.values(canaries).entries()) {
      writeFileSync(join(folder, `canary-${at}.ts`), `${text}\n`);
    }
    const findings = await analyse([folder]);
    const isSeen = (name: string) =>
      findings.some(({ rule, path }) => rule === name && path.endsWith(`canary-${names.indexOf(name)}.ts`));
    return rulesIn(readFileSync(join(root, settings), 'utf8'))
      .filter((name) => !isSeen(name))
      .map((name) => `the rule ${name} does not report its line in tools/gates/security/canaries.ts`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const product = /^(?:agent|cli|contract|server|web|sdk\/typescript)\/src\/.*\.tsx?$/;
const ofTests = /\.test\.tsx?$|(?:^|\/)(?:testing|conformance)(?:\/|[\w-]*\.ts$)/;

/** What of the product is read: all of its code, and none of its tests. */
export const readPaths = (paths: readonly string[]): string[] =>
  paths.filter((path) => product.test(path) && !ofTests.test(path));

/** Code that an attacker could use: evaluated text, shells, markup, weak cryptography, expressions that never end. */
export const security: Gate = {
  name: 'static security analysis',
  remedy: 'Mend the line. A finding that is safe goes on tools/laws/exceptions/security-findings.txt with its reason.',
  fast: true,
  check: async () => {
    const paths = readPaths(repository().paths);
    if (paths.length === 0) return { findings: ['no file of the product was found'] };
    const blind = await blindRules();
    const findings = judgeFindings(await analyse(paths), readList('security-findings', 2));
    return { findings: [...blind, ...findings], note: `${paths.length} files` };
  },
};

if (import.meta.main) await runAlone(security);
