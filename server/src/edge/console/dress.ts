import type { Branding } from '@gpuaas/contract';
import { escapeHtml } from '../../kernel/html.ts';

/**
 * Pages are built once, under the name of the product. This inserts name, logo and colours of the installation when the
 * pages are loaded, so that the browser never shows the product's first.
 */
export const coloursPath = '/brand/colours.css';

export function makeDress(brand: Branding): (page: string) => string {
  const name = escapeHtml(brand.name);
  const logo = brand.logo_url === null ? undefined : escapeHtml(brand.logo_url);
  return (page) => {
    // What stands before the last word of ours in a title is the title of the page itself.
    const named = page
      .replace(/(<title>[^<]*)GPUaaS/, (_, before: string) => before + name)
      .replace(/(<\w+ data-brand-name>)[^<]*/g, (_, before: string) => before + name);
    const marked =
      logo === undefined
        ? named
        : named.replaceAll(/(src|href)="[^"]*\/mark\.svg"(?: type="image\/svg\+xml")?/g, (_, at) => `${at}="${logo}"`);
    if (!brand.accent) return marked;
    return marked
      .replace('<html lang="en"', '<html lang="en" data-brand')
      .replace('</head>', () => `<link rel="stylesheet" href="${coloursPath}">\n</head>`);
  };
}

/** The two accents, by the names that the style sheets of our pages know them under. */
export const coloursOf = ({ light, dark }: NonNullable<Branding['accent']>): string =>
  `:root { --brand-light: ${light}; --brand-dark: ${dark} }\n`;
