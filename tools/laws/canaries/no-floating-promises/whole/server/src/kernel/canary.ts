const work = async () => 1;
export const start = async () => {
  await work();
};
