// reported as lint/style/useNodejsImportProtocol: node:
import { join } from 'path';

export const used = join;
