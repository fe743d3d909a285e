import { env } from 'node:process';
import { describeKillMatrix } from './kill-matrix.ts';

describeKillMatrix('the kill matrix', 'usual', env);
