// reported as lint/style/noRestrictedImports: it imports typebox and itself
import { v7 } from 'uuidv7';

export const used = v7;
