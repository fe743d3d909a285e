// reported as lint/style/noRestrictedImports: does not know how it is reached
import { mount } from '../../edge/http/mount.ts';

export const used = mount;
