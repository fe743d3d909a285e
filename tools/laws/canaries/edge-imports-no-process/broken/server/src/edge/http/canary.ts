// reported as lint/style/noRestrictedImports: Nothing imports a process
import { api } from '../../bin/api/process.ts';

export const used = api;
