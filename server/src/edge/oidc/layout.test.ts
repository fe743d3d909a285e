import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { html } from './html.ts';
import { plainLayOut as layOut, makeLayOut } from './layout.ts';

const page = layOut({ title: 'A <title>', body: html`<p>text</p>` });
const style = /<style>([\s\S]*)<\/style>/.exec(page.html)?.[1] ?? '';
const palette = (text: string) =>
  Object.fromEntries([...text.matchAll(/--([a-z-]+): #([0-9a-f]{3,6})\b/g)].map(([, name, hex]) => [name, hex]));
const [, light = '', dark = ''] = /(:root \{[\s\S]*?\})\s*@media[^{]*\{([\s\S]*?\}) \}/.exec(style) ?? [];

/** Relative luminance and contrast, as WCAG 2 defines them. */
function luminance(hex: string): number {
  const wide = hex.length === 3 ? hex.replaceAll(/./g, '$&$&') : hex;
  const [r = 0, g = 0, b = 0] = [0, 2, 4].map((at) => {
    const value = Number.parseInt(wide.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
function contrast(one = '', other = ''): number {
  const [bright = 0, dim = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (bright + 0.05) / (dim + 0.05);
}

describe('the sheet that every page is laid out on', () => {
  it.each([
    ['light', palette(light)],
    ['dark', palette(dark)],
  ])('can be read in %s: text has a contrast of 4.5, edges of controls one of 3', (_, colours) => {
    const texts = [
      ['ink', 'paper'],
      ['dim', 'paper'],
      ['on-accent', 'accent'],
      ['bad', 'bad-ground'],
      ['accent', 'paper'],
    ] as const;
    for (const [text, ground] of texts) {
      expect(contrast(colours[text], colours[ground]), `${text} on ${ground}`).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(colours['line'], colours['paper'])).toBeGreaterThanOrEqual(3);
  });

  it('names its style sheet by the digest that browsers compute', () => {
    expect(page.headers['content-security-policy']).toContain(`'sha256-${hash('sha256', style, 'base64')}'`);
  });

  it('carries the name, logo, colours and help of the installation, and loads nothing else', () => {
    const { html: text, headers } = makeLayOut({
      name: 'Acme <GPUs>',
      logo_url: '/brand/logo',
      accent: { light: '#7a1fa2', dark: '#d9a6f0' },
      support_url: 'mailto:help@acme.example',
    })({ title: 'Sign in', body: html`<p>text</p>` });
    expect(text).toContain('<title>Sign in · Acme &lt;GPUs&gt;</title>');
    expect(text).toContain('<bdi>Acme &lt;GPUs&gt;</bdi>');
    expect(text).not.toContain('GPUaaS');
    expect(text).toContain('<img src="/brand/logo" alt="">');
    expect(text).toContain('href="mailto:help@acme.example"');
    const own = /<style>([\s\S]*)<\/style>/.exec(text)?.[1] ?? '';
    expect(own).toContain('--accent: #7a1fa2');
    expect(own).toMatch(/dark\) \{ :root \{ --accent: #d9a6f0/);
    expect(headers['content-security-policy']).toContain(`'sha256-${hash('sha256', own, 'base64')}'; img-src 'self'`);
  });

  it('escapes its title', () => {
    expect(page.html).toContain('<h1>A &lt;title&gt;</h1>');
  });

  it.each([
    ['a program on this machine', 'http://127.0.0.1:5000/cb?x=1', ' http://127.0.0.1:5000;'],
    ['an address that cannot be written there', 'http://[::1]:5000/cb', ' http:;'],
    ['a scheme of its own', 'com.example.app:/cb', ' com.example.app:;'],
    ['nothing that is an address', 'x; script-src *', ';'],
  ])('lets forms lead to %s', (_, leadsTo, allowed) => {
    const { headers } = layOut({ title: 'x', body: html``, leadsTo });
    expect(headers['content-security-policy']).toContain(`form-action 'self'${allowed} base-uri`);
  });
});
