import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contrast, mountBrand, readBrand } from './branding.ts';

const nothing = {
  name: undefined,
  logo: undefined,
  accentLight: undefined,
  accentDark: undefined,
  supportUrl: undefined,
};
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'brand-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the brand of an installation', () => {
  it('is that of the product where nothing else is said', async () => {
    const { branding, logo } = await readBrand(nothing, 'GPUaaS');
    expect(branding).toEqual({ name: 'GPUaaS', logo_url: null, accent: null, support_url: null });
    expect(logo).toBeUndefined();
  });

  it('is its own name, mark, colours and place for help', async () => {
    const path = join(folder, 'mark.svg');
    await writeFile(path, '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    const brand = await readBrand(
      { name: 'Acme', logo: path, accentLight: '#7A1FA2', accentDark: '#d9a6f0', supportUrl: 'https://acme.example' },
      'GPUaaS',
    );
    expect(brand.branding).toEqual({
      name: 'Acme',
      logo_url: '/brand/logo',
      accent: { light: '#7a1fa2', dark: '#d9a6f0' },
      support_url: 'https://acme.example',
    });
    const app = Fastify();
    mountBrand(app, brand);
    const answer = await app.inject('/brand/logo');
    expect(answer.headers['content-type']).toContain('image/svg+xml');
    expect(answer.headers['content-security-policy']).toContain('sandbox');
    const colours = await app.inject('/brand/colours.css');
    expect(colours.headers['content-type']).toContain('text/css');
    expect(colours.body).toBe(':root { --brand-light: #7a1fa2; --brand-dark: #d9a6f0 }\n');
    await app.close();
  });

  it.each([
    [{ accentLight: '#ffee00', accentDark: '#d9a6f0' }, 'ACCENT_LIGHT #ffee00 is hard to read'],
    [{ accentLight: '#7a1fa2', accentDark: '#202020' }, 'ACCENT_DARK #202020 is hard to read'],
    [{ accentLight: '#7a1fa2' }, 'ACCENT_DARK is missing'],
    [{ logo: '/nowhere/logo.png' }, 'cannot be read'],
    [{ logo: '/nowhere/logo.gif' }, 'neither .svg nor .png'],
  ])('is refused at the start: %j', async (wish, why) => {
    await expect(readBrand({ ...nothing, ...wish }, 'GPUaaS')).rejects.toThrow(why);
  });

  it('is measured as WCAG measures', () => {
    expect(contrast('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrast('#777777', '#ffffff')).toBeCloseTo(4.48, 2);
  });
});
