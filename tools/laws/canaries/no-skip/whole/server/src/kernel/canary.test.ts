import { expect, it } from 'vitest';

it('counts', () => expect(1).toBe(1));
