import type { Command } from './command.ts';

/** Every command there is. Only the one that is called is loaded, so that help comes at once. */
export const commands: Readonly<
  Record<string, { readonly summary: string; readonly load: () => Promise<{ readonly command: Command }> }>
> = {
  login: { summary: 'Sign in', load: () => import('./commands/login.ts') },
  logout: { summary: 'Sign out and forget the sign-in', load: () => import('./commands/logout.ts') },
  whoami: { summary: 'Show who is signed in, and what they belong to', load: () => import('./commands/whoami.ts') },
  api: { summary: 'Call any operation of the API', load: () => import('./commands/api.ts') },
};
