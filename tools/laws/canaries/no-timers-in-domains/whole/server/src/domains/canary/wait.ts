export const later = (clock: { sleep(ms: number): Promise<void> }) => clock.sleep(1);
