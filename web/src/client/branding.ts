import type { Branding } from '@gpuaas/sdk';

const plain: Branding = { name: 'GPUaaS', logo_url: null, accent: null, support_url: null };

/** What this installation is called. The server wrote it into the page; its colours are in a style sheet of their own. */
export const branding: Branding = readBranding();

function readBranding(): Branding {
  const written = document.querySelector<HTMLMetaElement>('meta[name=brand]')?.content;
  return written === undefined ? plain : (JSON.parse(written) as Branding);
}
