import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Gate, runAlone } from '../lib/gate.ts';
import { runScript } from '../lib/program.ts';
import { root } from '../lib/tree.ts';

const folder = 'tools/gates/contract';

/** Every program in the folder, whether or not anyone remembered to list it. */
const programs = (): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((name) => `${folder}/${name}`)
    .sort();

/** Nothing that a client relies on is taken away. The tools that compare are part of the lockfile, so none is skipped. */
export const contract: Gate = {
  name: 'contract promises',
  remedy: 'Add beside instead of changing; what must break waits for a release, which moves api/baseline.',
  fast: false,
  check: async () => {
    const found = programs();
    if (found.length === 0) return { findings: [`${folder} holds no gate`] };
    const findings: string[] = [];
    for (const path of found) {
      const ran = await runScript(path, []);
      if (ran.code !== 0) findings.push(`${path} ended with ${ran.code}\n${ran.output.trim()}`);
    }
    return { findings, note: `${found.length} checks` };
  },
};

if (import.meta.main) await runAlone(contract);
