/** For a promise whose result shows elsewhere: a query keeps its own error, and a closed page needs no answer. */
export const letGo = (promise: Promise<unknown>): void => {
  promise.catch(() => undefined);
};
