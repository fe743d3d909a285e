import { openTestSchema } from '../../testing/schema.ts';
import { databaseConformance } from './conformance.ts';

databaseConformance('embedded', openTestSchema);
