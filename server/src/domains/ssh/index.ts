/** SSH: the public keys of people and of projects. */
export { readPublicKey } from './public-key.ts';
export { sshRoutes } from './routes.ts';
export { markKeysUsed } from './store.ts';
export { makeProjectKeys } from './wind-down.ts';
