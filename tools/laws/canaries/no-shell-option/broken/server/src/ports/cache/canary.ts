// reported as no-shell: started through a shell
import { spawn } from 'node:child_process';

export const run = (text: string) => spawn(text, { shell: true });
