export const say = (log: { info(text: string): void }) => log.info('hello');
