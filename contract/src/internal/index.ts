/** What processes of the control plane ask each other. Nothing of it is public, and no SDK has it. */
export * from '../logs/internal.ts';
export * from './identity.ts';
export * from './route.ts';
