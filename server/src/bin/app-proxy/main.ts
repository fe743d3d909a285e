import { runAlone } from '../run-alone.ts';
import { appProxy } from './process.ts';

await runAlone(appProxy);
