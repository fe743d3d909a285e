import { rm } from 'node:fs/promises';

export const remove = (file: string) => rm(file, { force: true });
