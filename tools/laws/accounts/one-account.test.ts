import { describe, expect, it } from 'vitest';
import { makeTree, repository } from '../../lib/tree.ts';
import { showFindings } from '../law.ts';
import { oneAccount } from './one-account.ts';

/** The repository with one file changed: what the law has to report. */
const files = [
  'tools/lib/packages/control/image.ts',
  'deploy/systemd/gpuaas@.service',
  'deploy/control-plane/debian/postinst',
  'deploy/helm/gpuaas/templates/_names.tpl',
  'deploy/compose/compose.yaml',
  'docs/guides/run-on-your-own-servers.md',
  'docs/guides/run-with-compose.md',
  'server/src/edge/internal/process-identity.ts',
];
const texts = Object.fromEntries(files.map((path) => [path, repository().text(path)]));
const changed = (path: string, from: string | RegExp, to: string) => {
  const text = texts[path]?.replace(from, to) ?? '';
  expect(text).not.toBe(texts[path]);
  return showFindings(oneAccount.find(makeTree({ ...texts, [path]: text })));
};

describe('the account of the processes', () => {
  it('is one, with one number and the same modes, in image, unit, package, chart, Compose file and guides', () => {
    expect(showFindings(oneAccount.find(repository()))).toEqual([]);
  });

  it.each([
    ['deploy/systemd/gpuaas@.service', 'User=gpuaas', 'User=root', 'the account is root'],
    ['deploy/systemd/gpuaas@.service', 'UMask=0077', 'UMask=0022', 'the mode of new files is 0022'],
    ['deploy/control-plane/debian/postinst', '--uid 64738', '--uid 999', 'the number of the account is 999'],
    ['deploy/control-plane/debian/postinst', '-m 0750', '-m 0755', 'the mode of the settings is 0755'],
    ['deploy/helm/gpuaas/templates/_names.tpl', 'runAsUser: 64738', 'runAsUser: 0', 'the number of the account is 0'],
    ['deploy/helm/gpuaas/templates/_names.tpl', /\n.*fsGroup: .*/, '', 'the group of volumes is nothing'],
    ['deploy/compose/compose.yaml', '64738:64738', '64738:0', 'the group is 0'],
    ['docs/guides/run-with-compose.md', '-m 0700 -o gpuaas', '-m 0755 -o gpuaas', 'the mode of identities is 0755'],
    ['server/src/edge/internal/process-identity.ts', 'chmod(folder, 0o700)', 'chmod(folder, 0o755)', 'is 755'],
  ] as const)('is reported where %s says something else', (path, from, to, words) => {
    const findings = changed(path, from, to);
    expect(findings).toHaveLength(1);
    expect(findings[0]).toContain(words);
  });

  it('is what the image says: another number there is reported everywhere', () => {
    const findings = changed('tools/lib/packages/control/image.ts', '64_738', '64_739');
    expect(new Set(findings.map((line) => line.split(':')[0])).size).toBe(5);
  });
});
