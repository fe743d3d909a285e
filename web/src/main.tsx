import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { restoreHash } from './client/api.ts';
import { router } from './router.tsx';
import { HeldNote } from './shell/held-note.tsx';
import { applyPreferences } from './shell/preferences.ts';
import './styles.css';

applyPreferences();
restoreHash();
// The SDK retries where that is safe, so queries do not.
const client = new QueryClient({
  defaultOptions: { queries: { retry: false, staleTime: 15_000 }, mutations: { retry: false } },
});
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <RouterProvider router={router} />
        <HeldNote />
      </QueryClientProvider>
    </StrictMode>,
  );
}
