// reported as plugin: An act is made once
import { makeAct, type Viewer } from '../../kernel/act.ts';

export const begin = (who: Viewer) => makeAct(who, 'thing.do', '1');
