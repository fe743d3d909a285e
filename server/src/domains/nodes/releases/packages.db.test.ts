import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemIds } from '../../../kernel/id.ts';
import { openWorld, type World } from '../../../testing/world.ts';
import { digestOf, uploadPath } from './testing.ts';

/** Packages of the agent: handed over by operators, offered with enrolments, fetched by digest without a credential. */
let world: World;
let operator: string;
let base: string;
beforeAll(async () => {
  world = await openWorld();
  operator = await world.operator();
  base = `http://127.0.0.1:${(await world.listen()).port}`;
  await admin('POST', 'catalog/defaults', { reason: 'a test' });
});
afterAll(() => world.close());

const admin = (method: string, path: string, body: object) =>
  world.call(method, `/api/v1/admin/${path}`, { as: operator, key: systemIds.next(), body });
async function upload(
  bytes: Buffer,
  over: { readonly version: string; readonly kind?: string; readonly arch?: string },
) {
  const query = Object.entries(over).flatMap(([name, value]) => (name === 'version' ? [] : [`&${name}=${value}`]));
  const path = uploadPath({ version: over.version, digest: digestOf(bytes), size: bytes.length });
  const answer = await fetch(`${base}${path}${query.join('')}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${operator}`,
      'idempotency-key': systemIds.next(),
      'content-type': 'application/octet-stream',
    },
    body: bytes,
  });
  return { status: answer.status, body: (await answer.json()) as { id: string; code?: string } };
}
const announce = async () =>
  (await admin('POST', 'nodes', { name: `n-${systemIds.next()}`, region: 'test', sku: 'h200-sxm-slice' })).body;
const hexOf = (bytes: Buffer) => digestOf(bytes).slice('sha256:'.length);
const get = (file: string) => fetch(`${base}/install/node-agent/${file}`);
const scriptIn = (line: string) => /\/install\/node-agent\/([0-9a-f]{64}\.sh)/.exec(line)?.[1] ?? '';
const text = () => Buffer.from(randomBytes(2_000).toString('hex'));

describe('packages of the agent', () => {
  it('are offered with the next enrolment, and the host gets all of it by digest', async () => {
    const before = await announce();
    expect(before).toMatchObject({ agent_package: null });
    expect(before.install_command).toContain('node-agent enrol');

    const [x64, arm64] = [text(), text()];
    expect((await upload(x64, { version: '1.4.0', kind: 'tarball', arch: 'x64' })).body).toMatchObject({
      ...{ version: '1.4.0', kind: 'tarball', arch: 'x64' },
    });
    await upload(arm64, { version: '1.4.0', kind: 'tarball', arch: 'arm64' });
    const offer = await announce();
    expect(offer.agent_package).toEqual({ version: '1.4.0', architectures: ['arm64', 'x64'] });

    const script = await (await get(scriptIn(offer.install_command))).text();
    expect(digestOf(Buffer.from(script))).toBe(`sha256:${scriptIn(offer.install_command).slice(0, 64)}`);
    for (const bytes of [x64, arm64]) {
      expect(script).toContain(`digest=${hexOf(bytes)}`);
      const fetched = await get(`${hexOf(bytes)}.tar.gz`);
      expect(fetched.headers.get('content-type')).toBe('application/gzip');
      expect(fetched.headers.get('content-length')).toBe(String(bytes.length));
      expect(Buffer.from(await fetched.arrayBuffer()).equals(bytes)).toBe(true);
    }
    expect(JSON.stringify(script)).not.toContain(offer.token);
  });

  it('that are newer come first, and what was withdrawn is gone with its installer', async () => {
    const next = text();
    const { body: release } = await upload(next, { version: '1.5.0', kind: 'tarball', arch: 'x64' });
    const offer = await announce();
    expect(offer.agent_package).toEqual({ version: '1.5.0', architectures: ['x64'] });
    await admin('POST', `agent-releases/${release.id}/withdraw`, { reason: 'a test' });
    expect((await announce()).agent_package).toMatchObject({ version: '1.4.0' });
    for (const file of [scriptIn(offer.install_command), `${hexOf(next)}.tar.gz`]) {
      const gone = await get(file);
      expect(gone.status).toBe(404);
      expect(((await gone.json()) as { message: string }).message).toContain('gpuaas ops node enrol');
    }
  });

  it('say their architecture, and there is one of each version', async () => {
    const refused = await upload(text(), { version: '2.0.0', kind: 'tarball' });
    expect(refused).toMatchObject({ status: 422, body: { code: 'agent_release_invalid' } });
    const odd = await upload(text(), { version: '2.0.0', arch: 'x64' });
    expect(odd).toMatchObject({ status: 422, body: { code: 'agent_release_invalid' } });
    expect((await upload(text(), { version: '2.0.0', kind: 'deb', arch: 'x64' })).status).toBe(201);
    const twice = await upload(text(), { version: '2.0.0', kind: 'deb', arch: 'x64' });
    expect(twice).toMatchObject({ status: 409, body: { code: 'agent_release_already_exists' } });
  });

  it('update no agent, and bundles are not among what everybody may fetch', async () => {
    const { body: deb } = await upload(text(), { version: '3.0.0', kind: 'deb', arch: 'arm64' });
    const { node } = await announce();
    const asked = await admin('POST', `nodes/${node.id}/agent-update`, { release_id: deb.id });
    expect(asked.body.code).toBe('agent_release_not_found');
    const bundle = text();
    await upload(bundle, { version: '3.0.0' });
    for (const file of [`${hexOf(bundle)}.tar.gz`, `${hexOf(bundle)}.mjs`, `${'0'.repeat(64)}.sh`, '..%2f..%2fetc']) {
      expect({ file, status: (await get(file)).status }).toEqual({ file, status: 404 });
    }
  });

  it('are counted by address', async () => {
    const change = { level: 'global', value: 3, reason: 'a test' };
    expect((await admin('PUT', 'policies/rate_limit.package_downloads_per_minute', change)).status).toBe(200);
    const statuses = async () => Promise.all(Array.from({ length: 12 }, async () => (await get('nothing.sh')).status));
    await expect.poll(statuses, { timeout: 30_000 }).toContain(429);
  });
});
