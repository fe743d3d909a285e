import { createRequire } from 'node:module';

const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };

export const product = 'GPUaaS';
export const release: string = version;
