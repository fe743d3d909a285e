import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Branding } from '@gpuaas/contract';
import type { FastifyInstance } from 'fastify';
import { free } from '../gate/pass.ts';
import { coloursOf, coloursPath } from './dress.ts';

/**
 * How an installation presents itself: its own name, mark, colour and place to ask for help. A colour that people could not
 * read is refused when the process starts, not found out by those who cannot read it.
 */
export interface BrandSettings {
  readonly name: string | undefined;
  /** A file, as SVG or PNG. */
  readonly logo: string | undefined;
  readonly accentLight: string | undefined;
  readonly accentDark: string | undefined;
  readonly supportUrl: string | undefined;
}
export interface Brand {
  readonly branding: Branding;
  readonly logo: { readonly type: string; readonly bytes: Buffer } | undefined;
}

/** The default branding of the product. */
export const plainBranding = (product: string): Branding => ({
  name: product,
  logo_url: null,
  accent: null,
  support_url: null,
});

export class BrandFault extends Error {
  override readonly name = 'BrandFault';
}

const logoPath = '/brand/logo';
const logoTypes: Readonly<Record<string, string>> = { '.svg': 'image/svg+xml', '.png': 'image/png' };
const mostLogoBytes = 256 * 1_024;
/** What lies behind the accent in each theme, as the style sheet of the console has it. */
const papers = { light: '#ffffff', dark: '#171b21' } as const;
/** Text needs a contrast of 4.5 to 1; the rest is reserve for the softer backgrounds of the same colour. */
const leastContrast = 5.5;

export async function readBrand(settings: BrandSettings, product: string): Promise<Brand> {
  const accent =
    settings.accentLight === undefined && settings.accentDark === undefined
      ? null
      : { light: legible('light', settings.accentLight), dark: legible('dark', settings.accentDark) };
  const logo = settings.logo === undefined ? undefined : await readLogo(settings.logo);
  return {
    branding: {
      name: settings.name ?? product,
      logo_url: logo ? logoPath : null,
      accent,
      support_url: settings.supportUrl ?? null,
    },
    logo,
  };
}

function legible(theme: keyof typeof papers, colour: string | undefined): string {
  const variable = `GPUAAS_BRAND_ACCENT_${theme.toUpperCase()}`;
  if (colour === undefined) throw new BrandFault(`${variable} is missing: a colour of one's own is needed for both.`);
  const reached = contrast(colour, papers[theme]);
  if (reached >= leastContrast) return colour.toLowerCase();
  throw new BrandFault(
    `${variable} ${colour} is hard to read on ${papers[theme]}: ${reached.toFixed(1)} to 1, and ${leastContrast} is needed.`,
  );
}

async function readLogo(path: string) {
  const type = logoTypes[extname(path).toLowerCase()];
  if (!type) throw new BrandFault(`GPUAAS_BRAND_LOGO ${path} is neither .svg nor .png.`);
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes) throw new BrandFault(`GPUAAS_BRAND_LOGO ${path} cannot be read.`);
  if (bytes.length > mostLogoBytes) throw new BrandFault(`GPUAAS_BRAND_LOGO ${path} is larger than 256 KB.`);
  return { type, bytes };
}

/** As WCAG 2 has it: how much lighter one colour is than the other. */
export function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function mountBrand(app: FastifyInstance, { branding: { accent }, logo }: Brand): void {
  if (accent) {
    const colours = coloursOf(accent);
    app.get(coloursPath, free, (_, reply) => reply.header('cache-control', 'no-cache').type('text/css').send(colours));
  }
  if (!logo) return;
  // An SVG that is opened by itself must not run scripts with our origin, so its policy forbids everything.
  app.get(logoPath, free, (_, reply) =>
    reply
      .headers({
        'content-type': logo.type,
        'cache-control': 'no-cache',
        'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
        'x-content-type-options': 'nosniff',
      })
      .send(logo.bytes),
  );
}
