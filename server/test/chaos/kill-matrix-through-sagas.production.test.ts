import { env } from 'node:process';
import { describeKillMatrix } from './kill-matrix.ts';

describeKillMatrix('the kill matrix, through sagas', 'through sagas', env);
