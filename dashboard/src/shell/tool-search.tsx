/** To a tool's page by its name; `/` comes here from anywhere. */
import { type FormEvent, useId, useState } from "react";
import { navigate } from "wouter/use-browser-location";
import { useValues } from "../api.ts";
import { toolPath, useHref } from "../state/link.tsx";

export function ToolSearch() {
  const id = useId();
  const [text, setText] = useState("");
  const href = useHref();
  const tools = (useValues().data?.dimensions.tool ?? []).flatMap(({ value }) => (value === null ? [] : [value]));
  const words = text.trim().toLowerCase();
  const found =
    tools.find((tool) => tool.toLowerCase() === words) ?? tools.find((tool) => tool.toLowerCase().includes(words));

  function go(event: FormEvent) {
    event.preventDefault();
    if (words === "" || found === undefined) return;
    setText("");
    navigate(href({ to: toolPath(found), with: { tool: null } }));
  }
  return (
    <search>
      <form className="tool-search" onSubmit={go}>
        <input
          type="search"
          aria-label="Find a tool"
          placeholder="Find a tool"
          data-shortcut="/"
          list={id}
          value={text}
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={words !== "" && found === undefined}
        />
        <datalist id={id}>
          {tools.map((tool) => (
            <option key={tool} value={tool} />
          ))}
        </datalist>
      </form>
    </search>
  );
}
