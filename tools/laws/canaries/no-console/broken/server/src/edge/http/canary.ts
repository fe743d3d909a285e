// reported as lint/suspicious/noConsole: console
export const say = () => console.log('hello');
