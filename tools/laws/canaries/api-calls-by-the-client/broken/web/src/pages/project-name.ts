// reported as api-calls-by-the-client: call the API through the generated client
export const projectName = async (id: string): Promise<string> => {
  const answer = await fetch(`/api/v1/projects/${id}`);
  return String(((await answer.json()) as { readonly name: unknown }).name);
};
