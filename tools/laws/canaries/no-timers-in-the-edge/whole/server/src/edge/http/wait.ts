export const tick = (clock: { sleep(ms: number): Promise<void> }) => clock.sleep(10);
