import { runAlone } from '../run-alone.ts';
import { api } from './process.ts';

await runAlone(api);
