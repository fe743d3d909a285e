// reported as typescript(await-thenable): await
const one = 1;
export const start = async () => {
  await one;
};
