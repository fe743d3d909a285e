// reported as lint/suspicious/noFocusedTests: focus
import { expect, it } from 'vitest';

it.only('counts', () => expect(1).toBe(1));
