/** Everything belongs to this project, "default", until there are several: the first migration makes it. */
export const DEFAULT_PROJECT_ID = 1;
