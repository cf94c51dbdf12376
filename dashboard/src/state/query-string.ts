/** The query string holds all state of a page: every view can be linked, reloaded and stepped back from. */
import { useCallback, useMemo } from "react";
import { useSearch } from "wouter";
import { navigate, usePathname } from "wouter/use-browser-location";

/** Edits the parameters that it is given. */
export type Edit = (params: URLSearchParams) => void;

/** What is read: the parameters of this address, the same object until they change. */
export function useQuery(): URLSearchParams {
  const search = useSearch();
  return useMemo(() => new URLSearchParams(search), [search]);
}

/**
 * Changes parameters and keeps the page. A change is a step of the history, so that the back button takes it back;
 * `replace` is for what nobody would step back to, such as a focus that moved.
 */
export function useEdit(): (edit: Edit, options?: { readonly replace?: boolean }) => void {
  const path = usePathname();
  return useCallback((edit, { replace = false } = {}) => navigate(path + edited(edit), { replace }), [path]);
}

/** One parameter that a page owns; `null` where it is absent, and setting `null` takes it out. */
export function useParam(name: string): [string | null, (value: string | null, how?: { replace?: boolean }) => void] {
  const value = useQuery().get(name);
  const edit = useEdit();
  const set = useCallback(
    (next: string | null, how?: { replace?: boolean }) =>
      edit((params) => (next === null ? params.delete(name) : params.set(name, next)), how),
    [edit, name],
  );
  return [value, set];
}

/** One name in a parameter that lists names: `table=outcomes,rates` shows these two as tables. */
export function useListed(parameter: string, name: string): [boolean, () => void] {
  const names = listOf(useQuery(), parameter);
  const edit = useEdit();
  const listed = names.includes(name);
  const toggle = () =>
    edit((params) => {
      const rest = listOf(params, parameter).filter((other) => other !== name);
      const next = listed ? rest : [...rest, name];
      if (next.length === 0) params.delete(parameter);
      else params.set(parameter, next.join(","));
    });
  return [listed, toggle];
}

function listOf(params: URLSearchParams, parameter: string): string[] {
  return (params.get(parameter) ?? "").split(",").filter((name) => name !== "");
}

/** The query string of this moment after an edit, with its question mark, or nothing. Colons stay readable. */
function edited(edit: Edit, from: string = window.location.search): string {
  const params = new URLSearchParams(from);
  edit(params);
  return searchText(params);
}

export function searchText(params: URLSearchParams): string {
  const text = params.toString().replaceAll("%3A", ":").replaceAll("%2C", ",").replaceAll("%40", "@");
  return text === "" ? "" : `?${text}`;
}
