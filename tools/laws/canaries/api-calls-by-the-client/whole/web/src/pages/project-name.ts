export const projectName = async (
  api: { readonly projects: { get(input: { readonly project_id: string }): Promise<{ readonly name: string }> } },
  id: string,
): Promise<string> => (await api.projects.get({ project_id: id })).name;
