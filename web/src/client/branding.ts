import type { Branding } from '@gpuaas/sdk';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { api } from './api.ts';

const plain: Branding = { name: 'GPUaaS', logo_url: null, accent: null, support_url: null };

/** What this installation is called. Until it has said so, it is called as the product is. */
export function useBranding(): Branding {
  const asked = useQuery({
    queryKey: ['branding'],
    queryFn: ({ signal }) => api.health.brandingGet({ signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  return asked.data ?? plain;
}

/** Puts the colours of the installation into the page. Which of the two is used is the theme's affair. */
export function useBrandColours({ accent }: Branding): void {
  useEffect(() => {
    const { style, dataset } = document.documentElement;
    if (!accent) return;
    style.setProperty('--brand-light', accent.light);
    style.setProperty('--brand-dark', accent.dark);
    dataset['brand'] = '';
  }, [accent]);
}
