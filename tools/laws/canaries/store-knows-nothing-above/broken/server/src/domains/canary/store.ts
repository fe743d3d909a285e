// reported as lint/style/noRestrictedImports: its own tables and nothing above them
import { mount } from '../../edge/http/mount.ts';

export const used = mount;
