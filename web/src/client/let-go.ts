/** For a promise whose outcome shows elsewhere: a query keeps its own error, and a page that was left needs no answer. */
export const letGo = (promise: Promise<unknown>): void => {
  promise.catch(() => undefined);
};
