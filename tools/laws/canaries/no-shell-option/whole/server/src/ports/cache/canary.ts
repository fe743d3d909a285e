import { spawn } from 'node:child_process';

export const run = (file: string) => spawn(file, ['--version']);
