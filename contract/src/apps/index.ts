export * from './check-manifest.ts';
export * from './manifest.ts';
export * from './parameters.ts';
export * from './standing.ts';
