/** Which page an address is. Pure: a name in a path may hold a slash, percent-encoded, so paths are split before they are decoded. */

export type Route =
  | { readonly page: "overview" | "runs" | "episodes" | "unknown" }
  | { readonly page: "tool"; readonly tool: string }
  | { readonly page: "run"; readonly id: string };

export function routeOf(pathname: string): Route {
  const parts = pathname.replace(/\/$/, "").split("/").slice(1);
  const [first = "", second, ...rest] = parts;
  if (rest.length > 0) return { page: "unknown" };
  if (second === undefined) {
    if (first === "") return { page: "overview" };
    return first === "runs" || first === "episodes" ? { page: first } : { page: "unknown" };
  }
  const name = decoded(second);
  if (name === null || name === "") return { page: "unknown" };
  if (first === "tools") return { page: "tool", tool: name };
  return first === "runs" ? { page: "run", id: name } : { page: "unknown" };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
