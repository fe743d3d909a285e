// reported as wall: tools look at the server
import { root } from '../../../../tools/lib/tree.ts';

export const used = root;
