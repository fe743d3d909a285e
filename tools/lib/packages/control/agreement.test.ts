import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processes } from '../../../../server/src/bin/processes.ts';
import { root } from '../../tree.ts';
import { imageUser } from './image.ts';

/** Unit, Debian package and image install the same program for the same account, each in a file of its own: here they agree. */
const textOf = (path: string) => readFile(join(root, path), 'utf8');

describe('unit, package and image', () => {
  it('run the processes as one account, which the package makes and the image has', async () => {
    const [unit, postinst] = [
      await textOf('deploy/systemd/gpuaas@.service'),
      await textOf('deploy/control-plane/debian/postinst'),
    ];
    expect(/^User=(.*)$/m.exec(unit)?.[1]).toBe(imageUser.name);
    expect(postinst).toContain(`getent passwd ${imageUser.name} `);
    expect(/useradd --system .* (\S+)$/m.exec(postinst)?.[1]).toBe(imageUser.name);
    expect(imageUser.id).toBeGreaterThan(0);
  });

  it('find the program in one folder, and its settings in one that others cannot read', async () => {
    const [unit, postinst] = [
      await textOf('deploy/systemd/gpuaas@.service'),
      await textOf('deploy/control-plane/debian/postinst'),
    ];
    const home = /^WorkingDirectory=(.*)$/m.exec(unit)?.[1];
    expect(home).toBe('/opt/gpuaas');
    expect(postinst).toContain(`--home-dir ${home} `);
    // The package links this path to the runtime that it brings.
    expect(unit).toContain(`ExecStart=${home}/node_modules/.bin/node `);
    const folders = [...unit.matchAll(/^EnvironmentFile=(\/\S+)\//gm)].map(([, folder]) => folder);
    expect(new Set(folders)).toEqual(new Set(['/etc/gpuaas']));
    expect(postinst).toContain(`install -d -m 0750 -o root -g ${imageUser.name} /etc/gpuaas`);
  });

  it('start the same programs: the unit by path, the image by name', async () => {
    const unit = await textOf('deploy/systemd/gpuaas@.service');
    expect(unit).toContain('server/src/bin/%i/main.ts');
    const control = await textOf('deploy/control-plane/gpuaas-control');
    expect(control).toContain('server/src/bin/control/main.ts');
    for (const { spec } of processes) {
      expect(await textOf(`server/src/bin/${spec.name}/main.ts`)).toContain('runAlone');
    }
  });
});
