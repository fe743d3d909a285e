import { execFile } from 'node:child_process';

export const run = (file: string) => execFile(file, ['--version']);
