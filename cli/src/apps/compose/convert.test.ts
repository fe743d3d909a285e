import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AppManifest, checkManifest } from '@gpuaas/contract/apps';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { rehearse } from '../../testing.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gpuaas-compose-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
async function init(name: string, compose: string) {
  const [from, file] = [join(folder, `${name}.compose.yaml`), join(folder, `${name}.yaml`)];
  await writeFile(from, compose);
  const run = await rehearse(['app', 'init', 'shop', '--from', from, '--file', file], {});
  const read = async (path = file) => parse(await readFile(path, 'utf8')) as AppManifest;
  return { ...run, file, read };
}

const whole = `
services:
  web:
    image: registry.example.com/team/shop:2@sha256:${'ab'.repeat(32)}
    command: serve --title "My shop"
    environment: { LANG: C.UTF-8, DB_PASSWORD: hunter2, HOME_PAGE: "\${PAGE}" }
    ports: ["8080:3000", "80:80"]
    user: "101:102"
    read_only: true
    volumes: ["data:/data", "./config:/etc/shop"]
    healthcheck: { test: ["CMD", "curl", "-f", "http://localhost:3000/health"] }
    stop_grace_period: 1m30s
    deploy:
      resources:
        limits: { cpus: "1.5", memory: 2g, pids: 200 }
        reservations: { devices: [{ capabilities: [gpu], count: 2 }] }
    privileged: true
    depends_on: [db]
volumes: { data: {} }
networks: { inner: {} }
`;

describe('gpuaas app init --from', () => {
  it('makes a manifest of a service that validate takes', async () => {
    const { code, err, read } = await init('whole', whole);
    expect(code, err).toBe(0);
    const manifest = await read();
    expect(checkManifest(manifest)).toHaveProperty('manifest');
    expect(manifest).toMatchObject({
      metadata: { slug: 'shop' },
      runtime: {
        image: `registry.example.com/team/shop@sha256:${'ab'.repeat(32)}`,
        args: ['serve', '--title', 'My shop'],
        env: [{ name: 'LANG', value: 'C.UTF-8' }],
        user: { uid: 101, gid: 102 },
      },
      resources: { cpu_millis: 1_500, memory_mib: 2_048, pids: 200, gpu: { min: 2, max: 2 } },
      endpoints: [{ name: 'web', kind: 'browser', port: 3_000, auth: 'platform', health: { path: '/health' } }],
      secrets: [{ env: 'DB_PASSWORD', generated: true }],
      storage: [{ name: 'data', path: '/data' }],
      lifecycle: { drain_seconds: 90 },
    });
  });

  it('names everything that it does not take over, and keeps no password', async () => {
    const { err, file } = await init('named', whole);
    for (const [field, why] of [
      ['services.web.environment.DB_PASSWORD', 'became a secret'],
      ['services.web.environment.HOME_PAGE', 'comes from elsewhere'],
      ['services.web.ports', '80:80 is no port from 1024 on'],
      ['services.web.volumes', './config is a path of the machine'],
      ['services.web.privileged', 'no app has privileges'],
      ['services.web.depends_on', 'apps do not wait for each other'],
      ['networks', 'no such section'],
    ]) {
      expect(err.split('\n').filter((line) => line.includes(`${field}: `) && line.includes(why ?? ''))).toHaveLength(1);
    }
    expect(await readFile(file, 'utf8')).not.toContain('hunter2');
    expect(err).not.toContain('hunter2');
  });

  it('makes one manifest of each service, because an app has one container', async () => {
    const compose = 'services:\n  web: { image: nginx, expose: [8080] }\n  my_cache: { image: redis:8, user: root }\n';
    const { code, err, read } = await init('two', compose);
    expect(code, err).toBe(0);
    expect(await read(join(folder, 'two.web.yaml'))).toMatchObject({
      metadata: { slug: 'shop-web' },
      runtime: { image: `docker.io/library/nginx@sha256:${'0'.repeat(64)}` },
    });
    const cache = await read(join(folder, 'two.my_cache.yaml'));
    expect(cache).toMatchObject({ metadata: { slug: 'shop-my-cache' }, runtime: { user: { uid: 1_000, gid: 1_000 } } });
    expect(err).toContain('services.my_cache.user: an app runs under numbers that are not root');
    expect(err).toContain('services.my_cache.image: a tag is refused');
  });

  it('writes nothing when a service makes no manifest, or the file has no services', async () => {
    const bad = await init('bad', 'services:\n  web: { image: "Not An Image" }\n');
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('would be no manifest: runtime.image') });
    await expect(readFile(bad.file)).rejects.toThrow();
    expect((await init('none', 'version: "3"\n')).err).toContain('has no services');
    const absent = await rehearse(['app', 'init', 'shop', '--from', join(folder, 'absent.yaml')], {});
    expect(absent).toMatchObject({ code: 2, err: expect.stringContaining('There is no file') });
  });
});
