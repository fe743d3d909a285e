import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkManifest } from '@gpuaas/contract/apps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rehearse } from '../testing.ts';
import { readYaml } from './read-manifest.ts';
import { templates } from './templates.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-apps-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
const at = (name: string) => join(folder, name);
const put = async (name: string, text: string) => {
  await writeFile(at(name), text);
  return at(name);
};
const project = '01935a2c-0000-7000-8000-000000000002';

describe('gpuaas app init', () => {
  it.each(Object.keys(templates))('writes a manifest from the template %s that validate takes', async (template) => {
    const path = at(`${template}.yaml`);
    expect((await rehearse(['app', 'init', 'echo', '--template', template, '--file', path], {})).code).toBe(0);
    expect(checkManifest(readYaml(await readFile(path, 'utf8'), path))).toHaveProperty(
      'manifest.metadata.slug',
      'echo',
    );
    const { code, err } = await rehearse(['app', 'validate', path], {});
    expect({ code, err }).toEqual({ code: 0, err: `${path} is a manifest of echo 0.1.0.\n` });
  });

  it('overwrites nothing and refuses what is no slug', async () => {
    const path = await put('mine.yaml', 'mine');
    const again = await rehearse(['app', 'init', 'echo', '--file', path], {});
    expect(again.code).toBe(2);
    expect(await readFile(path, 'utf8')).toBe('mine');
    expect((await rehearse(['app', 'init', '../x', '--file', at('x.yaml')], {})).err).toContain('is no slug');
  });
});

describe('gpuaas app validate', () => {
  it('lists what is wrong and where', async () => {
    const broken = structuredClone(templates.browser('echo')) as unknown as { runtime: { image: string } };
    broken.runtime.image = 'registry.example.com/echo:latest';
    const { code, err } = await rehearse(['app', 'validate', await put('tag.json', JSON.stringify(broken))], {});
    expect(code).toBe(1);
    expect(err).toContain('runtime.image');
  });

  it('refuses a YAML bomb, two keys alike, a file that is too large and one that is not there, at once', async () => {
    const levels = Array.from({ length: 20 }, (_, level) =>
      level === 0 ? 'a0: &a0 [x, x]' : `a${level}: &a${level} [*a${level - 1}, *a${level - 1}, *a${level - 1}]`,
    );
    const bomb = await rehearse(['app', 'validate', await put('bomb.yaml', levels.join('\n'))], {});
    expect(bomb).toMatchObject({ code: 2, err: expect.stringContaining('alias') });
    const twice = await rehearse(['app', 'validate', await put('twice.yaml', 'schema: x\nschema: y\n')], {});
    expect(twice).toMatchObject({ code: 2, err: expect.stringContaining('not YAML') });
    const large = await rehearse(['app', 'validate', await put('large.yaml', `# ${'x'.repeat(300_000)}`)], {});
    expect(large).toMatchObject({ code: 2, err: expect.stringContaining('larger') });
    expect((await rehearse(['app', 'validate', at('absent.yaml')], {})).err).toContain('There is no file');
  });
});

describe('gpuaas app publish', () => {
  const version = { id: 'v', version: '0.1.0', app_reference: 'home/echo', lifecycle_state: 'published' };
  it('creates the app with its first version, and finds it for the next one', async () => {
    const path = await put('echo.json', JSON.stringify(templates.api('echo')));
    const list = `GET /api/v1/projects/${project}/apps`;
    const made = { id: '01935a2c-0000-7000-8000-000000000003', slug: 'echo', visibility: 'project' };
    const script = {
      [`POST /api/v1/projects/${project}/apps`]: made,
      [`POST /api/v1/apps/${made.id}/versions`]: version,
    };
    const image = `registry.example.com/echo@sha256:${'ab'.repeat(32)}`;
    const bare = await rehearse(['app', 'publish', path, '--project', project], script);
    expect(bare).toMatchObject({ code: 2, err: expect.stringContaining('digest of zeros'), asked: [] });
    const args = ['app', 'publish', path, '--project', project, '--image', image];
    const first = await rehearse(args, { ...script, [list]: { data: [], has_more: false, next_cursor: null } });
    expect(first.code, first.err).toBe(0);
    expect(first.asked.at(-1)?.body).toMatchObject({ manifest: { runtime: { image } } });
    expect(first.asked.map(({ request }) => request.split('?')[0])).toEqual([list, ...Object.keys(script)]);
    const next = await rehearse(args, { ...script, [list]: { data: [made], has_more: false, next_cursor: null } });
    expect(next.asked.map(({ request }) => request.split('?')[0])).toEqual([list, Object.keys(script)[1]]);
  });
});
