import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppPage, statusOf, unprovenOf, withHeader } from '../lib/capabilities/app-pages.ts';
import { capabilityRows } from '../lib/capabilities/index.ts';
import { statusHeader } from '../lib/capabilities/status.ts';
import { readResults } from '../lib/results.ts';
import { repositoryPaths, root } from '../lib/tree.ts';
import { reportPath } from '../lib/vitest.ts';

/**
 * Writes the headers of pages about apps: the status that their rows have, and the commit whose tests showed it. It reads the reports of
 * both halves, and writes nothing on a page of which one test did not run or did not pass.
 *
 *   npm test && npm exec --no -- node tools/dev/production.ts && node tools/dev/verify-app-pages.ts
 */
const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const [commit = '', date = ''] = git('log', '-1', '--abbrev=12', '--format=%h %cs').split(' ');
const results = { unit: readResults(reportPath('unit')), production: readResults(reportPath('production')) };

let failed = 0;
for (const path of repositoryPaths().filter(isAppPage)) {
  const text = readFileSync(join(root, path), 'utf8');
  const { capabilities } = statusHeader(text);
  const unproven = unprovenOf(capabilities, capabilityRows, results);
  if (capabilities.length === 0) unproven.push('its header names no capabilities');
  failed += unproven.length;
  for (const line of unproven) process.stdout.write(`✗ ${path}: ${line}\n`);
  if (unproven.length > 0) continue;
  const status = statusOf(capabilities, capabilityRows);
  writeFileSync(join(root, path), withHeader(text, { status, commit, date }));
  process.stdout.write(`✓ ${path}: ${status}, verified against ${commit} of ${date}\n`);
}
process.exitCode = failed === 0 ? 0 : 1;
