// reported as no-app-slugs: a program of ours knows no app by its slug
export const isSpecial = (slug: string): boolean => slug === 'notebook';
