import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../lib/tree.ts';

/** What the bot that proposes updates is told. */
interface Settings {
  readonly extends: readonly string[];
  readonly rangeStrategy: string;
  readonly minimumReleaseAge: string;
  readonly vulnerabilityAlerts: { readonly schedule: readonly string[]; readonly minimumReleaseAge: string | null };
  readonly packageRules: readonly { readonly matchPackageNames?: readonly string[]; readonly groupName: string }[];
  readonly ignoreDeps?: readonly string[];
  readonly ignorePaths?: readonly string[];
  readonly enabled?: boolean;
}
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const settings = read('renovate.json') as Settings;
const { packages } = read('package-lock.json') as { readonly packages: Readonly<Record<string, unknown>> };
const installed = Object.keys(packages).map((path) => path.replace(/^.*node_modules\//, ''));

describe('the bot that proposes updates', () => {
  it('looks at every package, pins what it proposes, and waits until a release is some days old', () => {
    expect(settings.enabled ?? true).toBe(true);
    expect([settings.ignoreDeps, settings.ignorePaths]).toEqual([undefined, undefined]);
    expect(settings.rangeStrategy).toBe('pin');
    expect(settings.extends).toContain(':pinAllExceptPeerDependencies');
    expect(settings.minimumReleaseAge).toMatch(/^[1-9]\d* days$/);
  });

  it('does not wait with a known vulnerability', () => {
    expect(settings.vulnerabilityAlerts).toEqual({ schedule: ['at any time'], minimumReleaseAge: null });
  });

  it('groups packages that we have: a name that matches nothing would group nothing', () => {
    const names = settings.packageRules.flatMap(({ matchPackageNames = [] }) => matchPackageNames);
    expect(names.length).toBeGreaterThan(5);
    const isThere = (name: string) => {
      const pattern = /^\/(.*)\/$/.exec(name)?.[1];
      return installed.some((one) => (pattern === undefined ? one === name : new RegExp(pattern).test(one)));
    };
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });
});
