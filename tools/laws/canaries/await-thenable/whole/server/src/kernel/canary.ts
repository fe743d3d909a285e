const one = Promise.resolve(1);
export const start = async () => {
  await one;
};
