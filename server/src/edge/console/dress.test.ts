import { describe, expect, it } from 'vitest';
import { plainBranding } from './branding.ts';
import { makeDress } from './dress.ts';

const built = `<!doctype html>
<html lang="en">
<head>
<title>Why GPUaaS · GPUaaS docs</title>
<link rel="icon" href="/docs/assets/mark.svg" type="image/svg+xml">
</head>
<body><img src="/docs/assets/mark.svg" alt=""><span data-brand-name>GPUaaS</span><p>GPUaaS rents GPUs.</p></body>
</html>`;

describe('a page that was built for any installation', () => {
  it('stays as it is where the installation goes by the name of the product', () => {
    expect(makeDress(plainBranding('GPUaaS'))(built)).toBe(built);
  });

  it('wears the name, mark and colours of its own, and is still about the same', () => {
    const page = makeDress({
      name: 'Acme $& <GPUs>',
      logo_url: '/brand/logo',
      accent: { light: '#7a1fa2', dark: '#d9a6f0' },
      support_url: null,
    })(built);
    expect(page).toContain('<title>Why GPUaaS · Acme $&amp; &lt;GPUs&gt; docs</title>');
    expect(page).toContain('<span data-brand-name>Acme $&amp; &lt;GPUs&gt;</span><p>GPUaaS rents GPUs.</p>');
    expect(page).toContain('<link rel="icon" href="/brand/logo">');
    expect(page).toContain('<img src="/brand/logo" alt="">');
    expect(page).toContain('<html lang="en" data-brand>');
    expect(page).toContain('<link rel="stylesheet" href="/brand/colours.css">\n</head>');
  });
});
